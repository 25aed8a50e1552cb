"""Memories that nobody has looked at since they changed are linked; weak links are verified, or they go."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from reveried.app.commands import Command, Step, View
from reveried.domain.decide import Decision
from reveried.domain.events import Event, Link, MemoryLinked, MemoryReviewed, MemoryUnlinked
from reveried.domain.forgetting.units import DAY
from reveried.domain.linking.decisions import proposed
from reveried.domain.linking.proposing import linkable
from reveried.domain.memory import Memory
from reveried.jobs.applying import ACTOR, BATCH, submitted
from reveried.jobs.work import Change, Done, Job, Plan, Work, counted
from reveried.state.link_reads import to_review, unverified
from reveried.state.links import LinkRow
from reveried.state.reads import by_ids

# Weak links looked at in one run, the longest unverified first.
DOUBTED = 500
T = TypeVar("T")
PROPOSED, VERIFIED, UNVERIFIED = "proposed", "verified", "unverified"


class Found(Struct, frozen=True):
    memory: Memory
    links: tuple[Link, ...]
    how: str


class LinkPlan(Plan, kw_only=True):
    """The links behind the changes, and who was looked at in vain."""

    found: list[Found] = field(default_factory=list)
    gone: list[LinkRow] = field(default_factory=list)
    in_vain: list[Memory] = field(default_factory=list)


async def _plan(work: Work) -> Plan:
    plan = LinkPlan()
    if work.config.links.propose:
        await _look_for_new(work, plan)
    await _doubt(work, plan)
    plan.changes = [
        *(_made(found.memory, link, found.how) for found in plan.found for link in found.links),
        *(removal(row, UNVERIFIED) for row in plan.gone),
    ]
    return plan


async def _look_for_new(work: Work, plan: LinkPlan) -> None:
    ids = await to_review(work.readers.live, work.config.links.review)
    planned: set[tuple[int, int]] = set()
    for memory in sorted(await by_ids(work.readers.live, ids), key=lambda one: one.id):
        links = await work.proposer.links_for(memory) if linkable(memory) else ()
        fresh = tuple(link for link in links if (link.to, memory.id) not in planned)
        planned |= {(memory.id, link.to) for link in fresh}
        if fresh:
            plan.found.append(Found(memory, fresh, PROPOSED))
        else:
            plan.in_vain.append(memory)


async def _doubt(work: Work, plan: LinkPlan) -> None:
    rows = await _weak(work)
    ends = await by_ids(work.readers.live, sorted({id_ for row in rows for id_ in (row.a, row.b)}))
    known = {memory.id: memory for memory in ends}
    for row in rows:
        link = await work.proposer.judged(known[row.a], known[row.b])
        if link is not None and link.confidence > work.config.links.weak:
            plan.found.append(Found(known[row.a], (replace(link, kind=row.kind),), VERIFIED))
        else:
            plan.gone.append(row)


async def _weak(work: Work) -> list[LinkRow]:
    policy = work.config.links
    before = work.now - round(policy.verify_days * DAY)
    return await unverified(work.readers.live, before, policy.weak, DOUBTED)


def _made(memory: Memory, link: Link, how: str) -> Change:
    cosine = "" if link.cosine is None else f", cosine {link.cosine:.2f}"
    reason = f"{link.tags} tags, {link.entities} entities{cosine}"
    before = f"{link.kind} [id:{link.to}]" if how == VERIFIED else "unlinked"
    after = how if how == VERIFIED else f"{link.kind} [id:{link.to}]"
    return Change(memory.id, memory.namespace, "link", before, after, reason)


def removal(row: LinkRow, reason: str) -> Change:
    return Change(row.a, row.namespace, "link", f"{row.kind} [id:{row.b}]", "removed", reason)


async def _carry_out(work: Work, plan: Plan) -> Done:
    assert isinstance(plan, LinkPlan)
    done = Done()
    for found in plan.found:
        made: list[Link] = []
        step = Step(decide=partial(_judged, found, made))
        await submitted(work.writer, _command(found.memory.namespace, step))
        counted(done.changed, "linked" if found.how == PROPOSED else VERIFIED, len(made))
        work.advance.done += len(found.links)
    still = {row.ends for row in await _weak(work)}  # a recall may have verified one meanwhile
    counted(done.changed, "unlinked", await unlink(work, [row for row in plan.gone if row.ends in still], UNVERIFIED))
    for namespace, memories in _by_namespace(plan.in_vain, lambda one: one.namespace).items():
        await _record(work, namespace, MemoryReviewed(ids=tuple(one.id for one in memories), what="links"))
    return done


def _judged(found: Found, made: list[Link], view: View) -> Decision:
    decided = proposed(found.memory, found.links, view.get, found.how)
    made += [link for event in decided.events if isinstance(event, MemoryLinked) for link in event.links]
    return decided


async def unlink(work: Work, rows: Sequence[LinkRow], reason: str) -> int:
    """One event for many links that end for the same reason."""
    for namespace, of_it in _by_namespace(rows, lambda row: row.namespace).items():
        for start in range(0, len(of_it), BATCH):
            part = of_it[start : start + BATCH]
            await _record(
                work, namespace, MemoryUnlinked(links=tuple((row.a, row.b, row.kind) for row in part), reason=reason)
            )
            work.advance.done += len(part)
    return len(rows)


async def _record(work: Work, namespace: str, fact: Event) -> None:
    decision = Decision(outcome="linked", events=(fact,))
    await submitted(work.writer, _command(namespace, Step(decide=lambda _: decision)))


def _command(namespace: str, step: Step) -> Command:
    return Command(namespace=namespace, actor=ACTOR, steps=(step,))


def _by_namespace(items: Iterable[T], namespace: Callable[[T], str]) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(namespace(item), []).append(item)
    return groups


STEP = Job(plan=_plan, carry_out=_carry_out)
