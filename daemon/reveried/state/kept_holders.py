"""Who holds a term, kept from one question to the next: a common word is asked for again and again.

A list is good up to some memory; what was stored since is asked for by itself and put in front. When the words of a
memory change, or one goes, every list goes, for none says whether it was on it.
"""

from array import array
from collections.abc import Callable, Sequence
from threading import Lock

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.state.kept import Kept
from reveried.state.projection import Change

# An index, what it is asked, and how many of the newest are wanted.
Term = tuple[str, str, int]
# Finds the newest holders of each that are above an id.
Search = Callable[[Sequence[Term], int], Sequence[Sequence[int]]]
_BYTES_BESIDE = 600


class _Newest(Struct, frozen=True):
    """The newest first; nobody above `upto` was looked at."""

    ids: "array[int]"
    upto: int


class KeptHolders:
    def __init__(self, room: int) -> None:
        self._kept: Kept[Term, _Newest] = Kept(room, lambda one: _BYTES_BESIDE + 8 * len(one.ids))
        # The newest memory there is. None until somebody has looked, and again where the file is another.
        self._last: int | None = None
        self._lock = Lock()

    def of(self, terms: Sequence[Term], search: Search, newest: Callable[[], int]) -> Sequence[Sequence[int]]:
        if self._last is None:
            self._begin(newest)
        mark, last = self._kept.mark(), self._last
        if last is None:  # something was written meanwhile
            return search(terms, 0)
        found = self._kept.known(terms)
        missing = [term for term in terms if term not in found]
        behind = [term for term in found if found[term].upto < last]
        read: dict[Term, _Newest] = {}
        if missing:
            for term, ids in zip(missing, search(missing, 0), strict=True):
                read[term] = _up_to(last, ids)
        if behind:
            above = min(found[term].upto for term in behind)
            for term, ids in zip(behind, search(behind, above), strict=True):
                known = found[term]
                new = [id_ for id_ in ids if id_ > known.upto]
                read[term] = _up_to(last, [*new, *known.ids][: term[2]])
        self._kept.keep(mark, read)
        found |= read
        return [found[term].ids for term in terms]

    def _begin(self, newest: Callable[[], int]) -> None:
        mark = self._kept.mark()
        last = newest()
        with self._lock:
            if mark == self._kept.mark():
                self._last = last

    def forget(self, changes: Sequence[Change]) -> None:
        with self._lock:
            if self._last is None:
                self._kept.clear()
                return
            known = self._last
            came = [change.id for change in changes if change.before is None and change.id > known]
            if any(_is_reworded(change) for change in changes if change.before is not None or change.id <= known):
                self._kept.clear()
            self._last = max(known, *came) if came else known

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._last = None


def _up_to(last: int, ids: Sequence[int]) -> _Newest:
    # Writes become visible in the order of their ids: who sees one of them sees all before it.
    return _Newest(array("q", ids), max(last, ids[0]) if ids else last)


def _is_reworded(change: Change) -> bool:
    """Whether what is indexed of it may be different now."""
    return _indexed(change.before) != _indexed(change.after)


def _indexed(memory: Memory | None) -> tuple[object, ...] | None:
    if memory is None:
        return None
    words = (memory.content, memory.title, memory.tags_manual, memory.tags_auto, memory.speaker)
    return (*words, memory.namespace, memory.created_at)
