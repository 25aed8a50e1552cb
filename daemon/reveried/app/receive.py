"""Taking in memories from elsewhere: each stands for itself, so one that is refused does not keep the others out."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from reverie.protocol.limits import MAX_BATCH
from reverie.protocol.requests import Arrival, ImportMany
from reveried.app.commands import Caller, Command, Outcome, Outcomes, Step, View
from reveried.app.remember import READ_ASIDE, fingerprint
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide
from reveried.domain.arriving import arrived
from reveried.domain.drafting import refuse_credential
from reveried.errors import InvalidField
from reveried.ports import Clock

REJECTED = "rejected"


class Receive:
    def __init__(self, writer: Writer, clock: Clock, config: Callable[[], Config]) -> None:
        self._writer = writer
        self._clock = clock
        self._config = config

    async def import_many(self, request: ImportMany, caller: Caller) -> Outcomes:
        arrivals = request.arrivals
        _check(arrivals)
        if len(arrivals) < READ_ASIDE:
            steps = [self._step(arrival, caller.namespace) for arrival in arrivals]
        else:
            steps = await asyncio.to_thread(lambda: [self._step(arrival, caller.namespace) for arrival in arrivals])
        fit = tuple(step for step in steps if isinstance(step, Step))
        written: Outcomes = ()
        if fit:
            written = await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=fit))
        return tuple(_in_order(steps, iter(written)))

    def _step(self, arrival: Arrival, namespace: str) -> Step | InvalidField:
        config = self._config()
        # The key says what it is; a life that went on at the source is no other memory.
        mark = fingerprint(arrival.key)
        try:
            if config.understanding.redact:
                refuse_credential("key", arrival.key)
            stored, life = arrived(arrival, config.content, config.understanding, self._clock.now(), mark)
        except InvalidField as error:
            return error

        def decision(view: View) -> decide.Decision:
            known = view.all_by_hash(namespace, stored.content_hash)
            return decide.receive(stored, life, known, dedup=arrival.memory.dedup)

        return Step(decide=decision, key=arrival.key, fingerprint=mark)


def _check(arrivals: Sequence[Arrival]) -> None:
    if not 1 <= len(arrivals) <= MAX_BATCH:
        raise InvalidField(f"{len(arrivals)} memories; a batch holds 1 to {MAX_BATCH}", field="arrivals")
    if len({arrival.key for arrival in arrivals}) < len(arrivals) or any(not arrival.key for arrival in arrivals):
        raise InvalidField("two arrivals have the same key, or one has none", field="arrivals", hint="one key for each")


def _in_order(steps: Sequence[Step | InvalidField], written: Iterator[Outcome]) -> Iterator[Outcome]:
    for step in steps:
        if isinstance(step, Step):
            yield next(written)
        else:
            # No event, so nothing that this connection would have to wait for.
            yield Outcome(id=0, outcome=REJECTED, seq=0, notes=(step.message,))
