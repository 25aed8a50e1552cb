"""Going along links: what a memory belongs together with, the way from one to another, and what lies around."""

from collections.abc import Callable, Iterable, Mapping

from reverie.protocol import requests as ask
from reverie.protocol.results import (
    GraphLink,
    GraphNode,
    GraphReport,
    LinkView,
    PathReport,
    PathStep,
    RelatedReport,
)
from reveried.app.commands import Caller
from reveried.app.edges import Edge, edge_rule, edges_of, standing, stored_edge
from reveried.app.readers import Readers
from reveried.app.views import checked_limit, fitting
from reveried.config.schema import Config
from reveried.domain import decide
from reveried.domain.linking.kinds import KINDS, seen_from
from reveried.domain.memory import Memory
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.link_reads import ALONE, degrees_of, firmest, names_shared

MOST_HOPS = 10
# A walk ends here, so that one question cannot hold up the others.
MOST_VISITED = 2_000


class Neighbourhood:
    def __init__(self, readers: Readers, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._clock = clock
        self._config = config

    async def related(self, request: ask.Related, caller: Caller) -> RelatedReport:
        """Looking at links is not access."""
        limit, kinds = checked_limit(request.limit), _checked_kinds(request.kinds)
        memory = await self._one(request.memory, caller)
        edges = await self._edges({memory.id: memory})
        known = await standing(self._readers, {edge.other(memory.id) for edge in edges}, caller.namespace)
        names = await names_shared(self._readers.live, memory.id, list(known))
        views = [_view(memory, edge, known, names) for edge in edges if edge.other(memory.id) in known]
        shown = [view for view in views if not kinds or view.kind in kinds][:limit]
        rule = edge_rule(self._clock.now(), self._config())
        degree = (await degrees_of(self._readers.live, [memory.id], rule)).get(memory.id, ALONE)
        return RelatedReport(memory=memory.id, links=fitting(shown), edges=degree.edges, recent_edges=degree.recent)

    async def path(self, request: ask.Path, caller: Caller) -> PathReport:
        hops = _checked_hops(request.hops)
        start, goal = await self._one(request.memory, caller), await self._one(request.other, caller)
        reached: dict[int, tuple[int, Edge] | None] = {start.id: None}
        layer = {start.id: start}
        known = dict(layer)
        for _ in range(hops):
            if goal.id in reached or not layer or len(reached) >= MOST_VISITED:
                break
            layer = await self._next(layer, reached, caller.namespace, MOST_VISITED)
            known |= layer
        steps = _steps(goal.id, reached, known) if goal.id in reached else []
        return PathReport(steps=steps, complete=bool(steps) or len(reached) < MOST_VISITED)

    async def graph(self, request: ask.Graph, caller: Caller) -> GraphReport:
        limit, hops = checked_limit(request.limit), _checked_hops(request.hops)
        if request.memory is None:
            return await self._firmest(caller, limit)
        start = await self._one(request.memory, caller)
        reached: dict[int, tuple[int, Edge] | None] = {start.id: None}
        layer, distance = {start.id: start}, {start.id: 0}
        known = dict(layer)
        for hop in range(1, hops + 1):
            layer = await self._next(layer, reached, caller.namespace, limit) if len(reached) < limit else {}
            known |= layer
            distance |= dict.fromkeys(layer, hop)
        edges = await self._edges(known)
        beyond = any(edge.other(id_) not in known for edge in edges for id_ in (edge.ends.a, edge.ends.b))
        return _report(known.values(), distance, edges, complete=not beyond)

    async def _firmest(self, caller: Caller, limit: int) -> GraphReport:
        rows = await firmest(self._readers.live, caller.namespace, limit)
        now, policy = self._clock.now(), self._config().links
        edges = [stored_edge(row, now, policy) for row in rows]
        known = await standing(self._readers, {id_ for row in rows for id_ in (row.a, row.b)}, caller.namespace)
        return _report(known.values(), {}, edges, complete=len(rows) < limit)

    async def _next(
        self, layer: Mapping[int, Memory], reached: dict[int, tuple[int, Edge] | None], namespace: str, most: int
    ) -> dict[int, Memory]:
        """Who is one step further, each noted in `reached` with the firmest link that leads there."""
        edges = await self._edges(layer)
        ways = [(edge, end) for edge in edges for end in (edge.ends.a, edge.ends.b) if end in layer]
        fresh = {edge.other(end) for edge, end in ways} - reached.keys()
        found = await standing(self._readers, fresh, namespace)
        for edge, end in ways:
            other = edge.other(end)
            if other in found and other not in reached and len(reached) < most:
                reached[other] = (end, edge)
        return {id_: memory for id_, memory in found.items() if id_ in reached}

    async def _edges(self, memories: Mapping[int, Memory]) -> list[Edge]:
        return await edges_of(self._readers, memories, self._clock.now(), self._config().links)

    async def _one(self, id_: int, caller: Caller) -> Memory:
        await self._readers.up_to_date(caller)
        found = await standing(self._readers, [id_], caller.namespace)
        return decide.required(found.get(id_), id_, caller.namespace)


def _view(memory: Memory, edge: Edge, known: Mapping[int, Memory], names: Mapping[int, list[str]]) -> LinkView:
    seen, row = seen_from(memory.id, edge.ends), edge.row
    other = known[seen.other]
    view = LinkView(
        other=other.id,
        kind=seen.kind,
        inverse=seen.inverse,
        strength=round(edge.strength, 4),
        confidence=1.0 if row is None else row.confidence,
        how="implied" if row is None else row.how,
        title=other.title,
        state=other.state,
        tags=[tag for tag in memory.tags if tag in other.tags],
        entities=names.get(other.id, []),
    )
    if row is not None:
        view.created_at, view.verified_at = row.created_at, row.verified_at
        view.together, view.affirmed = row.together, row.affirmed
        told = {"tags": row.tags, "entities": row.entities, "cosine": row.cosine}
        view.evidence = {name: float(value) for name, value in told.items() if value}
    return view


def _steps(goal: int, reached: Mapping[int, tuple[int, Edge] | None], known: Mapping[int, Memory]) -> list[PathStep]:
    steps: list[PathStep] = []
    at, way = goal, reached[goal]
    while way is not None:
        before, edge = way
        seen = seen_from(before, edge.ends)
        steps.append(
            PathStep(
                memory=at, title=known[at].title, kind=seen.kind, inverse=seen.inverse, strength=round(edge.strength, 4)
            )
        )
        at, way = before, reached[before]
    return [PathStep(memory=at, title=known[at].title), *reversed(steps)]


def _report(
    memories: Iterable[Memory], distance: Mapping[int, int], edges: Iterable[Edge], *, complete: bool
) -> GraphReport:
    nodes = [
        GraphNode(id=one.id, title=one.title, kind=one.kind, state=one.state, hops=distance.get(one.id, 0))
        for one in sorted(memories, key=lambda one: (distance.get(one.id, 0), one.id))
    ]
    inside = {node.id for node in nodes}
    links = [
        GraphLink(a=edge.ends.a, b=edge.ends.b, kind=edge.ends.kind, strength=round(edge.strength, 4))
        for edge in edges
        if edge.ends.a in inside and edge.ends.b in inside
    ]
    return GraphReport(nodes=nodes, links=links, complete=complete)


def _checked_kinds(kinds: list[str]) -> tuple[str, ...]:
    for kind in kinds:
        if kind not in KINDS:
            raise InvalidField(f"kind {kind[:64]!r} of link is not known", field="kinds", hint=", ".join(KINDS))
    return tuple(kinds)


def _checked_hops(hops: int) -> int:
    if not 1 <= hops <= MOST_HOPS:
        raise InvalidField(f"hops is {hops}; it must be 1 to {MOST_HOPS}", field="hops")
    return hops
