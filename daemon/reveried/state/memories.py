"""The memories table: one row for each record, one column for each of its fields."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.state.projection import Change, Projection

DDL = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, namespace TEXT NOT NULL, content TEXT NOT NULL, title TEXT NOT NULL,
  summary TEXT, kind TEXT NOT NULL, importance REAL NOT NULL, confidence REAL NOT NULL, score INTEGER NOT NULL,
  access_count INTEGER NOT NULL, last_accessed_at INTEGER, pinned INTEGER NOT NULL, priority REAL,
  source TEXT NOT NULL, source_ref TEXT, speaker TEXT, session_id TEXT, narrative_id INTEGER, task_id TEXT,
  parent_id INTEGER, chunk_index INTEGER, tags_auto TEXT NOT NULL, tags_manual TEXT NOT NULL, entities TEXT NOT NULL,
  state TEXT NOT NULL, tier TEXT NOT NULL, trust TEXT NOT NULL, compressed_into INTEGER, superseded_by INTEGER,
  content_hash TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, reinforced_at INTEGER,
  valid_from INTEGER, valid_to INTEGER, expires_at INTEGER, archived_at INTEGER, deleted_at INTEGER,
  metadata TEXT NOT NULL
) STRICT;
"""
INDEXES = (
    "CREATE INDEX memories_hash ON memories(content_hash)",
    "CREATE INDEX memories_timeline ON memories(namespace, created_at, id)",
)
FIELDS = Memory.__struct_fields__
COLUMNS = ", ".join(FIELDS)
_PLACES = ", ".join("?" * len(FIELDS))
_TAGS = msgspec.json.Decoder(tuple[str, ...])
_encode = msgspec.json.encode
_decode_metadata = msgspec.json.Decoder(dict[str, Any]).decode

Row = tuple[Any, ...]


def to_row(memory: Memory) -> Row:
    return tuple(_ENCODERS[index](value) for index, value in enumerate(msgspec.structs.astuple(memory)))


def _same(value: Any) -> Any:
    return value


def _json_list(value: tuple[str, ...]) -> str:
    return "[]" if not value else _encode(value).decode()


def _json_map(value: dict[str, Any]) -> str:
    return "{}" if not value else _encode(value).decode()


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "tags_auto": _json_list,
    "tags_manual": _json_list,
    "entities": _json_list,
    "metadata": _json_map,
}
_ENCODERS: list[Callable[[Any], Any]] = [_SPECIAL.get(field, _same) for field in FIELDS]
_PINNED = FIELDS.index("pinned")
_LISTS = [FIELDS.index(field) for field in ("tags_auto", "tags_manual", "entities")]
_METADATA = FIELDS.index("metadata")


def from_row(row: Row) -> Memory:
    values = list(row)
    values[_PINNED] = bool(values[_PINNED])
    for index in _LISTS:
        text = values[index]
        values[index] = () if text == "[]" else _TAGS.decode(text)
    text = values[_METADATA]
    values[_METADATA] = {} if text == "{}" else _decode_metadata(text)
    return Memory(*values)


def fetch(db: sqlite3.Connection, ids: Iterable[int]) -> Iterator[Memory]:
    for id_ in ids:
        row = db.execute(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id_,)).fetchone()
        if row:
            yield from_row(row)


def fetch_by_hash(db: sqlite3.Connection, content_hash: str) -> Iterator[Memory]:
    rows = db.execute(f"SELECT {COLUMNS} FROM memories WHERE content_hash = ? ORDER BY id", (content_hash,))
    return map(from_row, rows)


class Memories(Projection):
    name = "memories"
    ddl = DDL
    digest_queries = (f"SELECT {COLUMNS} FROM memories ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        gone = [(change.id,) for change in changes if change.after is None]
        rows = [to_row(change.after) for change in changes if change.after is not None]
        if gone:
            db.executemany("DELETE FROM memories WHERE id = ?", gone)
        if rows:
            db.executemany(f"INSERT OR REPLACE INTO memories VALUES ({_PLACES})", rows)

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        for index in INDEXES:
            db.execute(index)
