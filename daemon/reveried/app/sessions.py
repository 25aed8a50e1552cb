"""Sessions: they begin, they end with an account of what was said, and all that anything is known of are listed."""

import os
from collections.abc import Callable
from hashlib import blake2b
from typing import NoReturn

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.results import SessionBegun, SessionsPage, SessionView
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.readers import Readers
from reveried.app.remember import fingerprint
from reveried.app.summaries import Summaries
from reveried.app.views import checked_limit, fitting
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import drafts
from reveried.domain.consolidating.accounts import EXTRACTIVE, Session, Written, account, in_order
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.drafting import Redactor
from reveried.domain.events import SessionEnded, SessionStarted
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.errors import InvalidField, NotFound, WrongState
from reveried.log.reads import is_recorded
from reveried.ports import Clock
from reveried.state.looking import Said, said_in, sessions_said
from reveried.state.sessions import SessionRow, sessions_of

SOURCE = "session"
CALLER = "caller"


class Sessions:
    def __init__(
        self, writer: Writer, readers: Readers, summaries: Summaries, clock: Clock, config: Callable[[], Config]
    ) -> None:
        self._writer = writer
        self._clock = clock
        self._readers = readers
        self._summaries = summaries
        self._config = config

    async def begin(self, request: ask.SessionBegin, caller: Caller) -> SessionBegun:
        safe = Redactor(self._config().understanding)
        name = safe.name("session_id", request.session_id) or _named(caller.namespace, request.key)
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))

        def decision(view: View) -> Decision:
            known = view.session(caller.namespace, name)
            if known is not None and known.is_open:
                return Decision(outcome=UNCHANGED, subject=0)
            return Decision(outcome="started", events=(SessionStarted(session_id=name, request=mark),))

        (outcome,) = await self._submitted(Step(decide=decision, key=request.key, fingerprint=mark), caller)
        return SessionBegun(session_id=name, outcome=outcome.outcome, seq=outcome.seq, repeated=outcome.repeated)

    async def end(self, request: ask.SessionEnd, caller: Caller) -> Outcomes:
        name = drafts.checked_name("session_id", request.session_id) or ""
        given = drafts.checked_summary(request.summary)
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))
        await self._readers.complete()
        said = [one for one in await said_in(self._readers.live, caller.namespace, name) if not one.drawn_from]
        session = Session(caller.namespace, name, in_order(said))
        # A retried key is answered from the log: no model need write the account a second time.
        again = request.key is not None and await is_recorded(self._readers.log, caller.namespace, request.key)
        written = await self._account(session, given) if (said or given) and not again else None

        def decision(view: View) -> Decision:
            _must_be_going_on(view.session(caller.namespace, name), session)
            return self._ended(session, _if_unchanged(written, given, session, view), mark)

        (outcome,) = await self._submitted(Step(decide=decision, key=request.key, fingerprint=mark), caller)
        # What the caller asked for was the end, and the number it gets is that of the account.
        told = outcome.outcome == "stored"
        return (msgspec.structs.replace(outcome, outcome="ended", id=outcome.id if told else 0),)

    async def _submitted(self, step: Step, caller: Caller) -> Outcomes:
        outcomes = await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))
        caller.written = max(caller.written, outcomes[-1].seq)
        return outcomes

    async def _account(self, session: Session, given: str | None) -> Written:
        return Written(given, CALLER) if given else await self._summaries.of_session(session)

    def _ended(self, session: Session, written: Written | None, mark: str) -> Decision:
        if written is None:
            ended = SessionEnded(session_id=session.session_id, request=mark)
            return Decision(outcome="ended", events=(ended,))
        stored = account(session, written, SOURCE, self._config().understanding, self._clock.now())
        ids = tuple(memory.id for memory in session.memories)
        ended = SessionEnded(session_id=session.session_id, ids=ids, by=written.by, request=mark)
        events = (msgspec.structs.replace(stored, request=mark), ended)
        poorer = self._summaries.warnings() if written.by == EXTRACTIVE else []
        return Decision(outcome="stored", events=events, notes=(*stored.notes, *poorer))

    async def list(self, request: ask.Sessions, caller: Caller) -> SessionsPage:
        limit = checked_limit(request.limit)
        before = _position(request.cursor)
        await self._readers.complete()
        said = await sessions_said(self._readers.live, caller.namespace)
        known = await sessions_of(self._readers.live, caller.namespace)
        views = [_view(said.get(name), known.get(name), name) for name in said.keys() | known.keys()]
        views.sort(key=_place, reverse=True)
        rest = [view for view in views if before is None or _place(view) < before]
        page = fitting(rest[:limit]) if rest else []
        return SessionsPage(sessions=page, next=_cursor(page[-1]) if len(page) < len(rest) else None)


def _named(namespace: str, key: str | None) -> str:
    """The same key names the same session, so that a retry does not begin another."""
    seed = os.urandom(16) if key is None else f"{namespace}\0{key}".encode("utf-8", "surrogatepass")
    return f"session-{blake2b(seed, digest_size=8).hexdigest()}"


def _must_be_going_on(known: SessionRow | None, session: Session) -> None:
    if known is not None and known.ended_at is not None:
        _refuse(WrongState, session, "has ended already", "`reverie session begin` with its id lets it go on")
    if known is None and not session.memories:
        _refuse(NotFound, session, "is not known", "`reverie session list` shows those that are")


def _refuse(error: type[WrongState] | type[NotFound], session: Session, what: str, hint: str) -> NoReturn:
    raise error(f"session {session.session_id[:64]!r} {what}", field="session_id", hint=hint)


def _if_unchanged(written: Written | None, given: str | None, session: Session, view: View) -> Written | None:
    """An account must not bring back words that were changed or erased while it was written."""
    if written is None or given:
        return written
    return written if all(_stands(view.get(memory.id), memory) for memory in session.memories) else None


def _stands(now: Memory | None, then: Memory) -> bool:
    return now is not None and now.content_hash == then.content_hash and now.state in LIVE_STATES


def _view(said: Said | None, row: SessionRow | None, name: str) -> SessionView:
    began = (row.started_at if row else None) or (row.ended_at if row else None) or 0
    return SessionView(
        session_id=name,
        open=row.is_open if row else False,
        memories=said.memories if said else 0,
        first_at=said.first_at if said else began,
        last_at=said.last_at if said else began,
        speakers=list(said.speakers) if said else [],
        started_at=row.started_at if row else None,
        ended_at=row.ended_at if row else None,
        account=row.account if row else None,
        compressed_into=row.compressed_into if row else None,
    )


def _place(view: SessionView) -> tuple[int, str]:
    return view.last_at, view.session_id


def _cursor(view: SessionView) -> str:
    return f"{view.last_at}:{view.session_id}"


def _position(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    at, colon, name = cursor.partition(":")
    if not colon or not at.removeprefix("-").isdecimal():
        raise InvalidField("cursor is not one of ours", field="cursor", hint="pass on the `next` of a page")
    return int(at), name
