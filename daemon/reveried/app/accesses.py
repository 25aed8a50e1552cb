"""What was read, gathered off the reply path and recorded within a second; nothing is lost on a clean stop."""

import asyncio
import logging
from collections.abc import Callable

from reveried.app.commands import Command, Outcomes, Step, View
from reveried.app.writer import Writer
from reveried.domain import decide
from reveried.domain.decide import Decision
from reveried.domain.events import Event, MemoryAccessed, MemoryRecalled
from reveried.errors import ReverieError

DELAY = 0.5
_log = logging.getLogger(__name__)


class Accesses:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waiting: list[Command] = []
        self._timer: asyncio.TimerHandle | None = None
        self._submitted: set[asyncio.Future[Outcomes]] = set()
        self._erased: set[int] = set()

    def recalled(self, namespace: str, actor: str, query: str, ids: tuple[int, ...], profile: str) -> None:
        def decision(_: View) -> Decision:
            # An answer may be on its way while one of its memories is erased; its words must not come back this way.
            kept = "" if self._erased.intersection(ids) else query
            return _fact(MemoryRecalled(query=kept, ids=ids, profile=profile))

        self._note(namespace, actor, decision)

    def before_erasing(self, id_: int) -> None:
        """Record now what was asked up to now, so that the erasure reaches it."""
        self._erased.add(id_)
        self._submit()

    def erasing(self, ids: tuple[int, ...]) -> None:
        """Called where decisions are made: whatever is recorded after it sees these as erased."""
        self._erased.update(ids)

    def listed(self, namespace: str, actor: str, ids: tuple[int, ...]) -> None:
        if ids:
            self._note(namespace, actor, lambda _: _fact(MemoryAccessed(ids=ids, how="timeline")))

    def followed(self, namespace: str, actor: str, ids: tuple[int, ...]) -> None:
        """Returned because a link led there."""
        self._note(namespace, actor, lambda _: _fact(MemoryAccessed(ids=ids, how="linked")))

    def read(self, namespace: str, actor: str, id_: int) -> None:
        def decision(view: View) -> Decision:
            memory = decide.required(view.get(id_), id_, namespace)
            twin = view.by_hash(namespace, memory.content_hash) if memory.state == "archived" else None
            return decide.read(memory, twin)

        self._note(namespace, actor, decision)

    def _note(self, namespace: str, actor: str, decision: Callable[[View], Decision]) -> None:
        self._waiting.append(Command(namespace=namespace, actor=actor, steps=(Step(decide=decision),)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(DELAY, self._submit)

    def _submit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            try:
                submitted = self._writer.submit(command)
            except ReverieError as error:  # read-only, or overloaded: counting reads is not worth refusing them
                _log.info("an access was not recorded: %s", error.message)
                continue
            self._submitted.add(submitted)
            submitted.add_done_callback(self._recorded)

    def _recorded(self, submitted: "asyncio.Future[Outcomes]") -> None:
        self._submitted.discard(submitted)
        if not submitted.cancelled() and (error := submitted.exception()) is not None:
            _log.info("an access was not recorded: %s", error)

    async def flush(self) -> None:
        self._submit()
        if self._submitted:
            await asyncio.wait(self._submitted)


def _fact(event: Event) -> Decision:
    return Decision(outcome="accessed", events=(event,))
