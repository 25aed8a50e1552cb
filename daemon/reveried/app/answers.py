"""Answers to questions that are asked again, kept until anything happens that could change them."""

from collections import OrderedDict
from collections.abc import Callable

import msgspec

from reverie.protocol.requests import Recall
from reverie.protocol.results import Recalled
from reveried.config.schema import Config

Mark = tuple[int, int, int]
# Memories fade and dates move on; within this many seconds they do not move far enough to reorder an answer.
KEPT_FOR = 60_000_000


class Answers:
    def __init__(
        self,
        changes: Callable[[str], int],
        learned: Callable[[], int],
        now: Callable[[], int],
        config: Callable[[], Config],
    ) -> None:
        self._changes = changes
        self._learned = learned
        self._now = now
        self._config = config
        self._kept: OrderedDict[tuple[str, bytes], tuple[Mark, int, Recalled]] = OrderedDict()

    def mark(self, namespace: str) -> Mark:
        """Changes with every write in the namespace, every new vector and every new configuration."""
        return self._changes(namespace), self._learned(), id(self._config())

    def known(self, request: Recall, namespace: str) -> Recalled | None:
        kept = self._kept.get(_key(request, namespace))
        if kept is None or kept[0] != self.mark(namespace) or self._now() - kept[1] > KEPT_FOR:
            return None
        return msgspec.structs.replace(kept[2], cached=True)

    def keep(self, request: Recall, namespace: str, mark: Mark, answer: Recalled) -> None:
        """Only if nothing happened since the mark was taken, and only what cannot change by being read."""
        if mark != self.mark(namespace) or not request.include_stale or answer.semantic_reason or answer.rerank_reason:
            return
        self._kept[_key(request, namespace)] = mark, self._now(), msgspec.structs.replace(answer)
        while len(self._kept) > self._config().recall.cache:
            self._kept.popitem(last=False)


def _key(request: Recall, namespace: str) -> tuple[str, bytes]:
    return namespace, msgspec.msgpack.encode(msgspec.structs.replace(request, id=0))
