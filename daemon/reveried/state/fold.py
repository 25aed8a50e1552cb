"""The records touched by events that are not in the tables yet: what decisions see, and what a flush writes."""

import sqlite3
from collections.abc import Callable, Iterator

from msgspec import Struct

from reveried.domain.events import MemoryStored, MemoryUpdated, Recorded
from reveried.domain.evolving import concerns, evolve, is_read, read_often
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.state.memories import fetch, ids_by_hash, ids_by_parent
from reveried.state.narratives import latest_now, narratives_now
from reveried.state.projection import Change
from reveried.state.sessions import SessionRow, session_now

# Commands that change nothing ask, too, and no flush follows them.
MOST_HASHES = 10_000


class Touched(Struct):
    """A record as the two files hold it, and as it is now. At most one of the two is current.

    Nothing happens as often as being read, so reads in a row are counted here and become part of the record when
    somebody looks at it, or something else happens to it.
    """

    live: Memory | None
    archived: Memory | None
    record: Memory | None
    reads: int = 0
    read_at: int = 0
    read_seq: int = 0

    @property
    def now(self) -> Memory | None:
        if self.reads and self.record is not None:
            self.record = read_often(self.record, self.reads, self.read_at, self.read_seq)
            self.reads = 0
        return self.record

    def take(self, recorded: Recorded) -> None:
        self.record = evolve(self.now, recorded)


class Fold:
    """Folds events over the tables without writing them. One thread at a time."""

    def __init__(
        self, live: sqlite3.Connection, archive: sqlite3.Connection, known: int, *, deciding: bool = True
    ) -> None:
        self._live = live
        self._archive = archive
        self._known = known  # up to here a stored memory may already have a row
        self._deciding = deciding  # otherwise nobody asks who holds which words
        self._touched: dict[int, Touched] = {}
        self._hashes: dict[str, set[int]] = {}
        self._in_table: dict[str, set[int]] = {}
        self.events: list[Recorded] = []

    @property
    def held(self) -> int:
        return len(self._touched)

    def get(self, id_: int) -> Memory | None:
        touched = self._touched.get(id_)
        if touched is not None:
            return touched.now
        return self._load(id_).now

    def by_hash(self, namespace: str, content_hash: str) -> Memory | None:
        """The live memory of this namespace that holds exactly these words."""
        found = self._holding(namespace, content_hash, self._with_hash(content_hash))
        return next((one for one in found if one.holds_its_hash), None)

    def all_by_hash(self, namespace: str, content_hash: str) -> list[Memory]:
        """Those with exactly these words in any state, a live one first."""
        ids = self._with_hash(content_hash) | ids_by_hash(self._archive, content_hash)
        found = list(self._holding(namespace, content_hash, ids))
        return sorted(found, key=lambda memory: not memory.holds_its_hash)

    def _holding(self, namespace: str, content_hash: str, ids: set[int]) -> Iterator[Memory]:
        for id_ in sorted(ids):
            memory = self.get(id_)
            if memory and (memory.namespace, memory.content_hash) == (namespace, content_hash):
                yield memory

    def _with_hash(self, content_hash: str) -> set[int]:
        """Those of the live file, and those touched since. The file is asked once between two flushes."""
        ids = self._in_table.get(content_hash)
        if ids is None:
            if len(self._in_table) >= MOST_HASHES:
                self._in_table.clear()
            ids = self._in_table[content_hash] = ids_by_hash(self._live, content_hash)
        touched = self._hashes.get(content_hash)
        return ids if touched is None else ids | touched

    def parts_of(self, document: Memory) -> tuple[Memory, ...]:
        if not document.is_document:
            return ()
        ids = ids_by_parent(self._live, document.id) | ids_by_parent(self._archive, document.id)
        ids.update(self._touched)
        known = (self.get(id_) for id_ in sorted(ids))
        return tuple(memory for memory in known if memory is not None and memory.belongs_to(document))

    def holding(self, memory: Memory) -> tuple[Memory, ...]:
        """Who else holds its words: the chunks of a document, and the accounts drawn from it or from them."""
        parts = self.parts_of(memory)
        accounts = {
            account.id: account
            for one in (memory, *parts)
            for tie in one.ties
            if (account := self.get(tie)) is not None and one.id in account.drawn_from
        }
        return (*parts, *accounts.values())

    def session(self, namespace: str, session_id: str) -> SessionRow | None:
        return session_now(self._live, self.events, namespace, session_id)

    def narrative(self, namespace: str, id_: int) -> bool:
        return id_ in narratives_now(self._live, self.events, namespace)

    def latest_narrative(self, namespace: str) -> int | None:
        return latest_now(self._live, self.events, namespace)

    def narratives_naming(self, memory: Memory) -> list[int]:
        named = narratives_now(self._live, self.events, memory.namespace)
        return sorted(id_ for id_, memories in named.items() if memory.id in memories)

    def absorbing(self, namespace: str, content_hash: str) -> Memory | None:
        """The live memory that these words were merged into when they came before.

        Who was archived, deleted or superseded since has released its words, whatever it was merged into.
        """
        for merged in self._holding(namespace, content_hash, self._with_hash(content_hash)):
            free = merged.state not in LIVE_STATES or merged.superseded_by is not None
            into = self.get(merged.compressed_into) if merged.compressed_into and not free else None
            if into is not None and into.holds_its_hash:
                return into
        return None

    def about(self, recorded: Recorded) -> Iterator[Memory | None]:
        """What an event concerns, as it is before that. It is held at once: the event itself would load it again."""
        return (self._at(id_, recorded).now for id_ in concerns(recorded))

    def apply(self, recorded: Recorded) -> None:
        self.events.append(recorded)
        if is_read(recorded):
            self._count(recorded)
            return
        for id_ in concerns(recorded):
            touched = self._at(id_, recorded)
            known = touched.record is not None
            touched.take(recorded)
            if not known or isinstance(recorded.event, MemoryUpdated):
                self._note_hash(touched.record)

    def _count(self, recorded: Recorded) -> None:
        at, seq = recorded.at, recorded.seq
        for id_ in concerns(recorded):
            touched = self._touched.get(id_) or self._at(id_, recorded)
            # An event it has already seen changes nothing, as in `evolve`.
            if touched.record is not None and seq > touched.read_seq and seq > touched.record.seq:
                touched.reads += 1
                touched.read_at, touched.read_seq = at, seq

    def _at(self, id_: int, recorded: Recorded) -> Touched:
        touched = self._touched.get(id_)
        if touched is None:
            touched = self._touched[id_] = self._first_touch(id_, recorded)
            self._note_hash(touched.record)
        return touched

    def _note_hash(self, memory: Memory | None) -> None:
        if memory is not None and self._deciding:
            self._hashes.setdefault(memory.content_hash, set()).add(memory.id)

    def _first_touch(self, id_: int, recorded: Recorded) -> Touched:
        if isinstance(recorded.event, MemoryStored) and recorded.seq > self._known:
            return Touched(None, None, None)
        return self._load(id_)

    def _load(self, id_: int) -> Touched:
        live, archived = fetch(self._live, id_), fetch(self._archive, id_)
        if live is not None and archived is not None:
            # A kill between the commits of the two files leaves both; the one that saw more events is right.
            return Touched(live, archived, max(live, archived, key=lambda memory: memory.seq))
        return Touched(live, archived, live or archived)

    def live_changes(self) -> list[Change]:
        return list(self._changes(lambda touched: touched.live, archived=False))

    def archive_changes(self) -> list[Change]:
        return list(self._changes(lambda touched: touched.archived, archived=True))

    def _changes(self, before: Callable[[Touched], Memory | None], *, archived: bool) -> Iterator[Change]:
        for id_, touched in self._touched.items():
            now = touched.now
            after = now if now is not None and (now.state == "archived") is archived else None
            if before(touched) is not None or after is not None:
                yield Change(id_, before(touched), after)

    def clear(self, known: int) -> None:
        self._known = known
        self._touched.clear()
        self._hashes.clear()
        self._in_table.clear()
        self.events = []
