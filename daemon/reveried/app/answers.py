"""Answers to questions that are asked again, kept until anything happens that could change them."""

from collections import OrderedDict
from collections.abc import Callable

import msgspec

from reverie.protocol.requests import Recall
from reverie.protocol.results import Recalled
from reveried.config.schema import Config

Mark = tuple[tuple[int, ...], int, Config]
Key = tuple[tuple[str, ...], bytes]
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
        self._kept: OrderedDict[Key, tuple[Mark, int, Recalled]] = OrderedDict()

    def mark(self, namespaces: tuple[str, ...]) -> Mark:
        """Changes with every write in one of the namespaces, every new vector and every new configuration."""
        return tuple(map(self._changes, namespaces)), self._learned(), self._config()

    def known(self, request: Recall, namespaces: tuple[str, ...]) -> Recalled | None:
        key = _key(request, namespaces)
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept[0] != self.mark(namespaces) or not 0 <= self._now() - kept[1] <= KEPT_FOR:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return msgspec.structs.replace(kept[2], cached=True)

    def keep(self, request: Recall, namespaces: tuple[str, ...], mark: Mark, answer: Recalled) -> None:
        """Only if nothing happened since the mark was taken."""
        if mark != self.mark(namespaces):
            return
        key = _key(request, namespaces)
        self._kept[key] = mark, self._now(), msgspec.structs.replace(answer)
        self._kept.move_to_end(key)
        while len(self._kept) > self._config().recall.cache:
            self._kept.popitem(last=False)


def _key(request: Recall, namespaces: tuple[str, ...]) -> Key:
    return namespaces, msgspec.msgpack.encode(msgspec.structs.replace(request, id=0))
