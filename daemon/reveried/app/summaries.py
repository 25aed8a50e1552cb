"""Summaries by the model that is configured, else by first sentences; which of the two it was is always said."""

import asyncio
from collections.abc import Callable, Sequence

from reveried.config.schema import Config
from reveried.domain.consolidating.accounts import EXTRACTIVE, Session, Written, extract
from reveried.domain.consolidating.lacking import opening
from reveried.domain.memory import Memory, own_content
from reveried.domain.understanding.cleaning import clean
from reveried.domain.understanding.secrets import redact
from reveried.ports import Said, Summariser
from reveried.summarising.errors import SummariserUnavailable

# What a model may write of one memory or session, whatever it was told.
MOST_CHARACTERS = 10_000


class Summaries:
    def __init__(self, summariser: Summariser, config: Callable[[], Config]) -> None:
        self._summariser = summariser
        self._config = config
        self._problem = ""
        self._left_alone_until = 0.0

    @property
    def writer(self) -> str:
        """Who writes them."""
        return self._summariser.name or EXTRACTIVE

    def warnings(self) -> list[str]:
        return [f"summaries are first sentences: {self._problem}"] if self._problem and self._summariser.name else []

    async def of_session(self, session: Session) -> Written:
        policy = self._config().consolidation
        told = [_said(memory) for memory in session.memories]
        text = await self._by_model(told, policy.session_sentences, policy.session_characters)
        if text is not None:
            return text
        return Written(extract(session.memories, policy.session_sentences, policy.session_characters), EXTRACTIVE)

    async def of_memory(self, memory: Memory) -> Written | None:
        """None where a memory is too short to need one."""
        policy = self._config().understanding
        first = opening(memory, policy)
        if first is None:
            return None
        sentences = policy.sentences_for(chunk=memory.chunk_index is not None)
        return await self._by_model([_said(memory)], sentences, MOST_CHARACTERS) or Written(first, EXTRACTIVE)

    async def _by_model(self, said: Sequence[Said], sentences: int, characters: int) -> Written | None:
        name, now = self._summariser.name, asyncio.get_running_loop().time()
        if not name or now < self._left_alone_until:
            return None
        try:
            text = await self._summariser.summary(said, sentences)
        except SummariserUnavailable as unavailable:
            self._problem, self._left_alone_until = unavailable.message, now + self._summariser.pause
            return None
        self._problem = ""
        # A model repeats what it was told, or makes up what it was not: either may look like a credential.
        safe = redact(clean(text)).text if self._config().understanding.redact else clean(text)
        return Written(safe[:characters], name)


def _said(memory: Memory) -> Said:
    return Said(own_content(memory), memory.speaker or "", memory.trust)
