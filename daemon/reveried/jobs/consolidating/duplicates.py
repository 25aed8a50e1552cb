"""Near-duplicates become one memory: pairs by their vectors, judged by their words, each written as one command.

What was compared once is not compared again until one of the two changes; a run that could not compare everything says
so, and the next one begins from the start.
"""

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from reveried.app.commands import Command, Step, View
from reveried.domain.consolidating.compressing import REASON, compression, into
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import Event, Recorded
from reveried.domain.evolving import concerns, evolve
from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import Memory
from reveried.domain.recalling.words import is_latin
from reveried.jobs.applying import ACTOR, submitted
from reveried.jobs.work import Change, Done, Plan, Work, counted
from reveried.log.reads import changes_of_content, kept_apart
from reveried.state.jobs import last_runs
from reveried.state.looking import changed_since
from reveried.state.reads import by_ids, count_by_namespace

JOB_NAME = "consolidate"
# A vector may follow its words late; so far back a pair is looked at once more.
MARGIN = 1 * DAY
Near = tuple[int, int, float]


class Pair(Struct, frozen=True):
    namespace: str
    goes: int
    keeper: int
    cosine: float


class Duplicates(Plan, kw_only=True):
    """`after` are the records as they will be: what is planned next must reckon with them."""

    pairs: list[Pair] = field(default_factory=list)
    after: dict[int, Memory] = field(default_factory=dict)


async def plan(work: Work) -> Duplicates:
    policy, embedder = work.config.consolidation, work.semantics.embedder
    notes = [policy.warning] if policy.warning else []
    if not policy.compress or not work.config.reconciling.dedup:
        return Duplicates(notes=[*notes, "near-duplicates are left alone: the settings say so"])
    if not embedder.id:
        reason = embedder.condition.reason or "there is no model"
        return Duplicates(notes=[*notes, f"nothing was compared: {reason}"])
    found = Duplicates(notes=notes)
    since = await _since(work)
    for namespace in sorted(await count_by_namespace(work.readers.live)):
        await _planned(work, namespace, since, found)
    found.notes.append(await _mark(work))
    return found


async def _planned(work: Work, namespace: str, since: int, found: Duplicates) -> None:
    policy = work.config.consolidation
    new = None if not since else await changed_since(work.readers.live, namespace, since)
    near = await work.semantics.alike(namespace, policy.similarity, policy.most_compared, new) if new != [] else []
    ids = sorted({id_ for one, other, _ in near for id_ in (one, other)})
    apart = await kept_apart(work.readers.log, ids)
    latin = work.semantics.embedder.scripts != "all"
    # A model that cannot read a script finds all of it alike.
    known = {
        memory.id: memory
        for memory in await by_ids(work.readers.live, [id_ for id_ in ids if id_ not in apart])
        if not latin or is_latin(memory.content)
    }
    await asyncio.to_thread(_choose, work, namespace, near, known, found)


def _choose(work: Work, namespace: str, near: Sequence[Near], known: dict[int, Memory], found: Duplicates) -> None:
    """The nearest first; each next pair is judged as it will be after those before it."""
    for one, other, cosine in near:
        decided = _judged(work, known.get(one), known.get(other), cosine)
        if decided is None:
            continue
        goes, keeper = decided.subject or 0, into(decided)
        for event in decided.events:
            _take_in(known, event, goes, work.now)
        found.after |= {id_: known[id_] for id_ in (goes, keeper)}
        found.pairs.append(Pair(namespace, goes, keeper, cosine))
        why = f"{REASON} {cosine:.2f}"
        found.changes.append(Change(goes, namespace, "compressed_into", "", str(keeper), why))
        found.changes.append(Change(keeper, namespace, "content", "", f"stands for {goes}", why))


def _judged(work: Work, one: Memory | None, other: Memory | None, cosine: float) -> Decision | None:
    if one is None or other is None:
        return None
    config = work.config
    return compression(one, other, cosine, config.consolidation, config.reconciling, config.content.max_content)


def _take_in(known: dict[int, Memory], event: Event, goes: int, now: int) -> None:
    """As the log would; only its numbers are not known yet, and nothing here depends on them."""
    seq = max(memory.seq for memory in known.values()) + 1
    recorded = Recorded(seq, now, known[goes].namespace, goes, ACTOR, None, event.type, event)
    for id_ in concerns(recorded):
        known[id_] = evolve(known[id_], recorded) or known[id_]


async def _since(work: Work) -> int:
    """From when on words may be new; 0 when the last run did not compare everything with this model and number."""
    last = (await last_runs(work.readers.live)).get(JOB_NAME)
    if last is None or last.failed or _marked(work) not in last.notes:
        return 0
    return max(last.started - MARGIN, 0)


def _marked(work: Work) -> str:
    return f"compared above {work.config.consolidation.similarity} by {work.semantics.embedder.id}"


async def _mark(work: Work) -> str:
    """What a later run goes by; it is not written while vectors are missing."""
    semantics = work.semantics
    reached = await asyncio.to_thread(semantics.store.progress, semantics.embedder.id)
    waiting, _ = await changes_of_content(work.readers.log, reached, 1)
    return "some memories have no vector yet: the next run compares them" if waiting else _marked(work)


async def carry_out(work: Work, plan: Duplicates) -> Done:
    done = Done(notes=list(plan.notes))
    for pair in plan.pairs:
        step = Step(decide=_step(work, pair))
        command = Command(namespace=pair.namespace, actor=ACTOR, steps=(step,))
        (outcome,) = await submitted(work.writer, command)
        counted(done.changed, outcome.outcome, int(outcome.outcome != UNCHANGED))
        work.advance.done += 2
    return done


def _step(work: Work, pair: Pair) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        """Only if it still comes out as planned: somebody may have pinned, changed or erased one of them since."""
        decided = _judged(work, view.get(pair.goes), view.get(pair.keeper), pair.cosine)
        if decided is None or (decided.subject, into(decided)) != (pair.goes, pair.keeper):
            return Decision(outcome=UNCHANGED, subject=pair.goes)
        return decided

    return decide
