"""Old sessions are told by an account of each: the account and what it stands for are written as one command."""

from collections.abc import Callable, Mapping

from msgspec import field

from reveried.app.commands import Command, Step, View
from reveried.domain.consolidating.accounts import (
    CONSOLIDATION,
    Session,
    Written,
    account,
    may_be_told,
    oldest_sessions,
)
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import MemoryCompressed
from reveried.domain.memory import COMPRESSED, Memory
from reveried.jobs.applying import ACTOR, submitted
from reveried.jobs.work import Change, Done, Plan, Work, counted
from reveried.state.looking import said_in_sessions
from reveried.state.reads import count_by_namespace
from reveried.state.sessions import sessions_of


class Sessions(Plan, kw_only=True):
    sessions: list[Session] = field(default_factory=list)


async def plan(work: Work, changed: Mapping[int, Memory]) -> Sessions:
    """`changed` are records as they will be by then."""
    if not work.config.consolidation.sessions:
        return Sessions(notes=["sessions are left alone: the settings say so"])
    found = Sessions()
    for namespace in sorted(await count_by_namespace(work.readers.live)):
        said = [changed.get(memory.id, memory) for memory in await said_in_sessions(work.readers.live, namespace)]
        known = await sessions_of(work.readers.live, namespace)
        accounts = {name: row.compressed_into or 0 for name, row in known.items()}
        found.sessions += oldest_sessions(said, accounts, work.config.consolidation)
    for session in found.sessions:
        found.changes += [_change(memory, session) for memory in session.memories]
        found.notes.append(
            f"session {session.session_id} of {session.namespace}: {len(session.memories)} memories, an account by "
            f"{work.summaries.writer}"
        )
    return found


def _change(memory: Memory, session: Session) -> Change:
    return Change(
        memory.id, session.namespace, "compressed_into", "", f"account of {session.session_id}", "old_session"
    )


async def carry_out(work: Work, plan: Sessions) -> Done:
    done = Done()
    for session in plan.sessions:
        written = await work.summaries.of_session(session)
        step = Step(decide=_step(work, session, written))
        command = Command(namespace=session.namespace, actor=ACTOR, steps=(step,))
        (outcome,) = await submitted(work.writer, command)
        if outcome.outcome == COMPRESSED:
            counted(done.changed, "sessions", 1)
            counted(done.changed, "told", len(session.memories))
            told = f"{len(session.memories)} memories into [id:{outcome.id}], by {written.by}"
            done.notes.append(f"session {session.session_id} of {session.namespace}: {told}")
        work.advance.done += len(session.memories)
    done.notes += work.summaries.warnings()
    return done


def _step(work: Work, session: Session, written: Written) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        """All of them or none: the account may hold words of each, also of one that was changed or erased since."""
        known = view.session(session.namespace, session.session_id)
        last = (known.compressed_into or 0) if known else 0
        for memory in session.memories:
            now = view.get(memory.id)
            if now is None or now.content_hash != memory.content_hash or not may_be_told(now, last):
                return Decision(outcome=UNCHANGED, subject=0)
        stored = account(session, written, CONSOLIDATION, work.config.understanding, work.now)
        ids = tuple(memory.id for memory in session.memories)
        told = MemoryCompressed(ids=ids, session_id=session.session_id, by=written.by)
        return Decision(outcome=COMPRESSED, events=(stored, told), notes=stored.notes)

    return decide
