"""The memories table: one row for each record, one column for each of its fields."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import msgspec
from msgspec.structs import astuple

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.errors import StateDamaged
from reveried.state.projection import Change, Projection, put

DDL = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, namespace TEXT NOT NULL, content TEXT NOT NULL, title TEXT NOT NULL,
  summary TEXT, kind TEXT NOT NULL, importance REAL NOT NULL, confidence REAL NOT NULL, score INTEGER NOT NULL,
  access_count INTEGER NOT NULL, last_accessed_at INTEGER, pinned INTEGER NOT NULL, priority REAL,
  source TEXT NOT NULL, source_ref TEXT, speaker TEXT, session_id TEXT, narrative_id INTEGER, task_id TEXT,
  parent_id INTEGER, chunk_index INTEGER, tags_auto TEXT NOT NULL, tags_manual TEXT NOT NULL, entities TEXT NOT NULL,
  state TEXT NOT NULL, tier TEXT NOT NULL, trust TEXT NOT NULL, compressed_into INTEGER, superseded_by INTEGER,
  content_hash TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, reinforced_at INTEGER,
  valid_from INTEGER, valid_to INTEGER, expires_at INTEGER, stored_at INTEGER NOT NULL,
  stale_since INTEGER, archived_at INTEGER, deleted_at INTEGER, metadata TEXT NOT NULL,
  conflicts TEXT NOT NULL, absorbed TEXT NOT NULL, ties TEXT NOT NULL, drawn_from TEXT NOT NULL,
  tags_at INTEGER NOT NULL, untagged TEXT NOT NULL, relations TEXT NOT NULL, replaced_at INTEGER
) STRICT;
"""
# The same as `last_used_at` of `domain.forgetting.units` says of one record; a test holds them together.
USED_AT = "max(coalesce(last_accessed_at, created_at), stored_at, coalesce(reinforced_at, stored_at))"
# Who was last used when, whatever that means under the settings of the day: `state.ripening` looks it up. Spelt so that
# only who spells it so uses the index: SQLite would take `state = 'active'` for rare, and answer other questions by it.
STATE = "(state || '')"
_INDEXES = (
    "CREATE INDEX memories_hash ON memories(content_hash)",
    "CREATE INDEX memories_newest ON memories(namespace, id)",
    "CREATE INDEX memories_timeline ON memories(namespace, created_at, id)",
    "CREATE INDEX memories_parent ON memories(parent_id) WHERE parent_id IS NOT NULL",
    "CREATE INDEX memories_session ON memories(session_id, id) WHERE session_id IS NOT NULL",
    f"CREATE INDEX memories_fading ON memories({STATE}, kind, {USED_AT}, access_count)",
    "CREATE INDEX memories_expiring ON memories(expires_at) WHERE expires_at IS NOT NULL",
)
FIELDS = Memory.__struct_fields__
COLUMNS = ", ".join(FIELDS)
_BY_ID = f"SELECT {COLUMNS} FROM memories WHERE id = ?"

_PINNED = FIELDS.index("pinned")
_METADATA = FIELDS.index("metadata")
_LISTS = [FIELDS.index(field) for field in ("tags_auto", "tags_manual", "entities", "untagged")]
_PAIRS = [FIELDS.index(field) for field in ("conflicts", "absorbed")]
_NUMBERS = [FIELDS.index(field) for field in ("ties", "drawn_from")]
_RELATIONS = FIELDS.index("relations")
_JSON = [*_LISTS, *_PAIRS, *_NUMBERS, _RELATIONS, _METADATA]
_EMPTY = {**dict.fromkeys(_JSON, "[]"), _METADATA: "{}"}
_encode = msgspec.json.Encoder().encode
_decode_list = msgspec.json.Decoder(tuple[str, ...]).decode
_decode_pairs = msgspec.json.Decoder(tuple[tuple[int, int], ...]).decode
_decode_numbers = msgspec.json.Decoder(tuple[int, ...]).decode
_decode_relations = msgspec.json.Decoder(tuple[tuple[str, str, str], ...]).decode
_decode_map = msgspec.json.Decoder(dict[str, Any]).decode

Row = tuple[Any, ...]


def to_row(memory: Memory) -> Row:
    values = list(astuple(memory))
    values[_PINNED] = int(memory.pinned)
    for index in _JSON:
        value = values[index]
        values[index] = _encode(value).decode() if value else _EMPTY[index]
    return tuple(values)


def listed(texts: tuple[str, ...]) -> str:
    """As the columns of tags and names hold it."""
    return _encode(texts).decode() if texts else "[]"


def from_row(row: Row) -> Memory:
    try:
        return _decoded(list(row))
    except (ValueError, TypeError) as error:  # msgspec.DecodeError is a ValueError
        raise StateDamaged(f"a memory's row cannot be read: {error}", hint="it is made anew from the log") from error


def _decoded(values: list[Any]) -> Memory:
    values[_PINNED] = bool(values[_PINNED])
    for index in _LISTS:
        text = values[index]
        values[index] = () if text == "[]" else _decode_list(text)
    for index in _PAIRS:
        text = values[index]
        values[index] = () if text == "[]" else _decode_pairs(text)
    for index in _NUMBERS:
        text = values[index]
        values[index] = () if text == "[]" else _decode_numbers(text)
    text = values[_RELATIONS]
    values[_RELATIONS] = () if text == "[]" else _decode_relations(text)
    text = values[_METADATA]
    values[_METADATA] = {} if text == "{}" else _decode_map(text)
    return Memory(*values)


def fetch(db: sqlite3.Connection, id_: int) -> Memory | None:
    row = db.execute(_BY_ID, (id_,)).fetchone()
    return from_row(row) if row else None


def every(db: sqlite3.Connection) -> Iterator[Memory]:
    return map(from_row, db.execute(f"SELECT {COLUMNS} FROM memories"))


def ids_by_hash(db: sqlite3.Connection, content_hash: str) -> set[int]:
    return {id_ for (id_,) in db.execute("SELECT id FROM memories WHERE content_hash = ?", (content_hash,))}


def ids_by_parent(db: sqlite3.Connection, parent: int) -> set[int]:
    return {id_ for (id_,) in db.execute("SELECT id FROM memories WHERE parent_id = ?", (parent,))}


class Memories(Projection):
    name = "memories"
    ddl = DDL
    indexes = _INDEXES
    digest_queries = (f"SELECT {COLUMNS} FROM memories ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        new = (change.after for change in changes if change.after is not None and change.before is None)
        changed = (change.after for change in changes if change.after is not None and change.before is not None)
        _put(db, "INSERT", new)
        _put(db, "REPLACE", changed)
        gone = [(change.id,) for change in changes if change.after is None]
        put(db, "DELETE FROM memories WHERE id = ?", gone)


def _put(db: sqlite3.Connection, verb: str, memories: Iterable[Memory]) -> None:
    """Only the columns that have a value are named: handing a None to SQLite costs more than any other value."""
    by_shape: dict[tuple[bool, ...], list[Row]] = {}
    for row in map(to_row, memories):
        shape = tuple([value is not None for value in row])
        by_shape.setdefault(shape, []).append(tuple(compress(row, shape)))
    for shape, rows in by_shape.items():
        places = ", ".join("?" * sum(shape))
        db.executemany(f"{verb} INTO memories ({', '.join(compress(FIELDS, shape))}) VALUES ({places})", rows)
