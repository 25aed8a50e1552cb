"""Links new memories to those they share something with, after they were held against what is known.

One command for a whole turn of the reactor, one event for each memory, each with a key made of the number of the event
that brought its words: a turn that is repeated after a kill records nothing twice.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from reveried.app.commands import Command, Step, View
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain.decide import Decision
from reveried.domain.events import Link
from reveried.domain.linking.decisions import proposed
from reveried.domain.linking.proposing import linkable
from reveried.domain.memory import Memory
from reveried.errors import Busy
from reveried.log.reads import News
from reveried.state.reads import by_id

ACTOR = "linking"
BUSY_PAUSE = 0.2


class Linking:
    def __init__(self, proposer: Proposer, readers: Readers, writer: Writer, config: Callable[[], Config]) -> None:
        self._proposer = proposer
        self._readers = readers
        self._writer = writer
        self._config = config

    async def link(self, news: Sequence[News]) -> int:
        """The number of the last event that this recorded; 0 if there was none."""
        if not self._config().links.propose:
            return 0
        steps: dict[str, list[Step]] = {}
        for one in news:
            if (step := await self._step(one)) is not None:
                steps.setdefault(one.namespace, []).append(step)
        commands = [Command(namespace=namespace, actor=ACTOR, steps=tuple(found)) for namespace, found in steps.items()]
        return max([await self._submit(command) for command in commands], default=0)

    async def _step(self, one: News) -> Step | None:
        memory = None if one.lived else await by_id(self._readers.live, one.memory)
        if memory is None or not linkable(memory):
            return None
        links = await self._proposer.links_for(memory, earlier=one.seq == one.memory)
        if not links:
            return None
        return Step(decide=partial(_judged, memory, links), key=f"{ACTOR}:{one.seq}")

    async def _submit(self, command: Command) -> int:
        while True:
            try:
                return max(outcome.seq for outcome in await self._writer.submit(command))
            except Busy:  # people go first
                await asyncio.sleep(BUSY_PAUSE)


def _judged(memory: Memory, links: tuple[Link, ...], view: View) -> Decision:
    return proposed(memory, links, view.get)
