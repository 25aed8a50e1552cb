"""Along the links of what was found: neighbours that come with an answer, and the pull they exert on its order.

Only who asks for it pays for it: a recall that does not, under a profile that does not weigh links, reads none.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from reverie.protocol.results import RecalledMemory
from reveried.app.edges import Edge, stored_edge
from reveried.app.places import Place, looking, records
from reveried.app.readers import Readers
from reveried.app.views import recalled_view
from reveried.config.schema import Config
from reveried.domain.linking.kinds import seen_from
from reveried.domain.memory import Memory
from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.relevance import Relevance
from reveried.domain.understanding.text import estimate_tokens
from reveried.ports import Clock
from reveried.state.link_reads import links_of

# The pull comes from the best candidates alone: what lies further down says little about what was meant.
PULLING = 20


class Neighbour(Struct, frozen=True):
    """Somebody a link leads to from what was found, and how much of its score comes along."""

    id: int
    score: float
    edge: Edge
    found: int


class Expanding:
    def __init__(self, readers: Readers, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._clock = clock
        self._config = config

    async def neighbours(self, found: Sequence[Ranked], places: Sequence[Place], room: int) -> list[RecalledMemory]:
        """The firmest neighbours of what was found that pass the same filters and fit into what is left of the
        budget, ranked after it."""
        known = {one.memory.id: one.score for one in found}
        near = _best(await self._edges(list(known)), known)
        memories = await looking(places, lambda opened: records(opened, [one.id for one in near]))
        views: list[RecalledMemory] = []
        for one in near:
            memory = memories.get(one.id)
            if memory is None or len(views) == self._config().links.expand:
                continue
            tokens = estimate_tokens(memory.content)
            if tokens <= room:
                room -= tokens
                views.append(_view(memory, one, len(found) + len(views) + 1, tokens))
        return views

    async def pull(self, relevance: Mapping[int, Relevance]) -> dict[int, float]:
        """For each candidate the firmest link to one of the best, by how good that one is; in 0..1."""
        best = sorted(relevance, key=lambda id_: -relevance[id_].total)[:PULLING]
        top = relevance[best[0]].total if best else 0.0
        if top <= 0.0:
            return {}
        share = {id_: max(relevance[id_].total, 0.0) / top for id_ in best}
        pulled: dict[int, float] = {}
        for edge in await self._edges(best):
            for end in (edge.ends.a, edge.ends.b):
                other = edge.other(end)
                if end in share and other in relevance:
                    pulled[other] = max(pulled.get(other, 0.0), edge.strength * share[end])
        return pulled

    async def _edges(self, ids: Sequence[int]) -> list[Edge]:
        now, policy = self._clock.now(), self._config().links
        rows = await links_of(self._readers.live, ids) if ids else []
        edges = [stored_edge(row, now, policy) for row in rows]
        return [edge for edge in edges if edge.strength >= policy.faded]


def _best(edges: Sequence[Edge], known: Mapping[int, float]) -> list[Neighbour]:
    """Each neighbour once, by the link that brings it most."""
    best: dict[int, Neighbour] = {}
    for edge in edges:
        for end in (edge.ends.a, edge.ends.b):
            other = edge.other(end)
            if end not in known or other in known:
                continue
            one = Neighbour(other, known[end] * edge.strength, edge, end)
            if other not in best or one.score > best[other].score:
                best[other] = one
    return sorted(best.values(), key=lambda one: (-one.score, -one.id))


def _view(memory: Memory, one: Neighbour, rank: int, tokens: int) -> RecalledMemory:
    ranked = Ranked(memory, one.score, {"links": one.edge.strength}, {})
    view = recalled_view(ranked, rank, tokens, explain=False)
    view.linked_to, view.link = one.found, seen_from(one.found, one.edge.ends).kind
    return view
