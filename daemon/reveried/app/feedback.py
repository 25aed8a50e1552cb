"""What a caller says about a memory that is there: it helped, it is wrong, keep it, let it go."""

import asyncio
from collections.abc import Callable

import msgspec

from reverie.protocol import requests as ask
from reveried.app.accesses import Accesses
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.remember import fingerprint
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.decide import Decision
from reveried.domain.drafting import Redactor
from reveried.domain.memory import Memory

Written = asyncio.Future[Outcomes]
Judge = Callable[[Memory, View, str], Decision]


class Feedback:
    def __init__(self, writer: Writer, accesses: Accesses, config: Callable[[], Config]) -> None:
        self._writer = writer
        self._accesses = accesses
        self._config = config

    def reinforce(self, request: ask.Reinforce, caller: Caller) -> Written:
        policy = self._config().feedback
        return self._about(
            request, request.memory, caller, lambda memory, _, mark: decide.reinforce(memory, policy, mark)
        )

    def demote(self, request: ask.Demote, caller: Caller) -> Written:
        policy = self._config().feedback
        return self._about(request, request.memory, caller, lambda memory, _, mark: decide.demote(memory, policy, mark))

    def pin(self, request: ask.Pin, caller: Caller) -> Written:
        return self._about(request, request.memory, caller, lambda memory, _, mark: decide.pin(memory, mark))

    def unpin(self, request: ask.Unpin, caller: Caller) -> Written:
        return self._about(request, request.memory, caller, lambda memory, _, mark: decide.unpin(memory, mark))

    def tag(self, request: ask.Tag, caller: Caller) -> Written:
        limits = self._config().content
        tags = self._safe().tags(request.tags, limits)

        def judge(memory: Memory, view: View, mark: str) -> Decision:
            return decide.tag(memory, tags, limits, mark, view.by_hash(memory.namespace, memory.content_hash))

        return self._about(request, request.memory, caller, judge)

    def untag(self, request: ask.Untag, caller: Caller) -> Written:
        tags = drafts.checked_tags(request.tags, self._config().content)
        return self._about(request, request.memory, caller, lambda memory, _, mark: decide.untag(memory, tags, mark))

    def supersede(self, request: ask.Supersede, caller: Caller) -> Written:
        reason = self._safe_reason(request.reason)

        def judge(old: Memory, view: View, mark: str) -> Decision:
            new = decide.required(view.get(request.new), request.new, caller.namespace)
            return decide.supersede(old, new, reason, mark)

        return self._about(request, request.old, caller, judge)

    def archive(self, request: ask.Archive, caller: Caller) -> Written:
        reason = self._safe_reason(request.reason)
        return self._about(
            request, request.memory, caller, lambda memory, _, mark: decide.archive(memory, reason, mark)
        )

    def restore(self, request: ask.Restore, caller: Caller) -> Written:
        def judge(memory: Memory, view: View, mark: str) -> Decision:
            return decide.restore(memory, view.by_hash(memory.namespace, memory.content_hash), mark)

        return self._about(request, request.memory, caller, judge)

    def delete(self, request: ask.Delete, caller: Caller) -> Written:
        reason = self._safe_reason(request.reason)
        return self._about(request, request.memory, caller, lambda memory, _, mark: decide.delete(memory, reason, mark))

    def erase(self, request: ask.Erase, caller: Caller) -> Written:
        self._accesses.before_erasing(request.memory)

        def judge(memory: Memory, view: View, mark: str) -> Decision:
            holding = view.holding(memory)
            self._accesses.erasing(tuple(one.id for one in holding))
            named = tuple(f"named_by_narrative:{id_}" for id_ in view.narratives_naming(memory))
            return msgspec.structs.replace(decide.erase(memory, mark, holding), notes=named)

        def unknown(view: View, mark: str) -> Decision | None:
            """A narrative has a number as a memory has, and its words can go as well."""
            found = view.narrative(caller.namespace, request.memory)
            return decide.erase_narrative(request.memory, mark) if found else None

        return self._about(request, request.memory, caller, judge, erases=True, otherwise=unknown)

    def _safe(self) -> Redactor:
        return Redactor(self._config().understanding)

    def _safe_reason(self, reason: str) -> str:
        """Whoever says why he lets go of a password may well repeat it."""
        return self._safe().text(reason) or ""

    def _about(
        self,
        request: ask.Command,
        id_: int,
        caller: Caller,
        judge: Judge,
        *,
        erases: bool = False,
        otherwise: Callable[[View, str], Decision | None] = lambda view, mark: None,
    ) -> Written:
        """`otherwise` is asked where there is no memory of that number; without an answer that is an error."""
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))

        def decision(view: View) -> Decision:
            memory = view.get(id_)
            if memory is None and (decided := otherwise(view, mark)) is not None:
                return decided
            return judge(decide.required(memory, id_, caller.namespace), view, mark)

        step = Step(decide=decision, key=request.key, fingerprint=mark)
        return self._writer.submit(
            Command(namespace=caller.namespace, actor=caller.actor, steps=(step,), erases=erases)
        )
