"""Storing and rewording: what a caller says becomes an event here, and the writer decides what becomes of it."""

import asyncio
from collections.abc import Callable
from hashlib import sha256

import msgspec

from reverie.protocol.limits import MAX_BATCH
from reverie.protocol.requests import Draft, Store, StoreMany, Update
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.courtesy import Courtesy
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, drafting
from reveried.domain.consolidating.retagging import reworded
from reveried.errors import InvalidField
from reveried.ports import Clock

# Understanding a text costs tens of microseconds; from this many on they are read beside the event loop.
READ_ASIDE = 16


def fingerprint(body: object) -> str:
    """Tells a retry from another request under the same key."""
    return sha256(msgspec.msgpack.encode(body)).hexdigest()[:32]


class Remember:
    def __init__(
        self, writer: Writer, clock: Clock, config: Callable[[], Config], courtesy: Courtesy | None = None
    ) -> None:
        self._courtesy = courtesy or Courtesy(lambda: False)
        self._writer = writer
        self._clock = clock
        self._config = config

    def store(self, request: Store, caller: Caller) -> "asyncio.Future[Outcomes]":
        step = self.step(request.memory, caller.namespace, request.key)
        return self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))

    async def store_many(self, request: StoreMany, caller: Caller) -> Outcomes:
        """All of them or none: one bad draft refuses the batch, and names its place."""
        if not 1 <= len(request.memories) <= MAX_BATCH:
            raise InvalidField(f"{len(request.memories)} memories; a batch holds 1 to {MAX_BATCH}", field="memories")
        self._courtesy.somebody_stores()
        if len(request.memories) < READ_ASIDE:
            steps = self._steps(request, caller.namespace)
        else:
            steps = await asyncio.to_thread(self._steps, request, caller.namespace)
        return await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=steps))

    def _steps(self, request: StoreMany, namespace: str) -> tuple[Step, ...]:
        steps = []
        for index, draft in enumerate(request.memories):
            key = f"{request.key}/{index}" if request.key else None
            try:
                steps.append(self.step(draft, namespace, key))
            except InvalidField as error:
                error.field = f"memories[{index}].{error.field}"
                raise
        return tuple(steps)

    def step(self, draft: Draft, namespace: str, key: str | None, mark: str | None = None, *, said_at: int = 0) -> Step:
        """One memory on its way; `mark` tells a retry from another request where the draft itself cannot.

        What was said at a time that was found right then is not of the future because the clock was set back since.
        """
        config, mark, now = self._config(), mark or fingerprint(draft), max(self._clock.now(), said_at)
        event = drafting.stored(draft, config.content, config.understanding, now, mark)

        def decision(view: View) -> decide.Decision:
            known = namespace, event.content_hash
            return decide.store(event, (view.by_hash(*known) or view.absorbing(*known)) if draft.dedup else None)

        return Step(decide=decision, key=key, fingerprint=mark)

    def update(self, request: Update, caller: Caller) -> "asyncio.Future[Outcomes]":
        config, mark = self._config(), fingerprint(msgspec.structs.replace(request, id=0, key=None))
        change = drafting.updated(request, config.content, config.understanding, mark)

        def decision(view: View) -> decide.Decision:
            memory = decide.required(view.get(request.memory), request.memory, caller.namespace)
            twin = view.by_hash(caller.namespace, change.content_hash) if change.content_hash else None
            return decide.update(memory, reworded(memory, change, config.understanding.tags), twin)

        step = Step(decide=decision, key=request.key, fingerprint=mark)
        return self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))
