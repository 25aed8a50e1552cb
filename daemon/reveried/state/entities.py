"""Who and what each memory names, and what it says of them; read off its words again whenever they change.

The rules are pure, so a replay finds the same; when a rule changes, the schema's version does too.
"""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.domain.understanding.entities import entities_in, key_of
from reveried.domain.understanding.relations import given_or_found, relations_in
from reveried.log.pool import Pool, Row
from reveried.state.projection import Change, Projection, put

_MENTIONS = "memory_id, namespace, key, name, type, salience, mentions, aliases, at"
_RELATED = "memory_id, namespace, subject_key, subject, relation, object_key, object, confidence, at"


class Entities(Projection):
    name = "entities"
    ddl = """
    CREATE TABLE mentions (
      memory_id INTEGER NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      salience REAL NOT NULL, mentions INTEGER NOT NULL, aliases TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (memory_id, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE related (
      memory_id INTEGER NOT NULL, namespace TEXT NOT NULL, subject_key TEXT NOT NULL, subject TEXT NOT NULL,
      relation TEXT NOT NULL, object_key TEXT NOT NULL, object TEXT NOT NULL, confidence REAL NOT NULL,
      at INTEGER NOT NULL, PRIMARY KEY (memory_id, subject_key, relation, object_key)
    ) STRICT, WITHOUT ROWID;
    """
    indexes = (
        "CREATE INDEX mentions_key ON mentions(namespace, key)",
        "CREATE INDEX related_subject ON related(namespace, subject_key)",
        "CREATE INDEX related_object ON related(namespace, object_key)",
    )
    digest_queries = (
        f"SELECT {_MENTIONS} FROM mentions ORDER BY memory_id, key",
        f"SELECT {_RELATED} FROM related ORDER BY memory_id, subject_key, relation, object_key",
    )

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        known: list[Row] = []
        mentions: list[Row] = []
        related: list[Row] = []
        for change in changes:
            before, after = _read(change.before), _read(change.after)
            if before == after:
                continue
            if change.before is not None:
                known.append((change.id,))
            if change.after is not None and after is not None:
                _take(change.after, mentions, related)
        for table in ("mentions", "related"):
            put(db, f"DELETE FROM {table} WHERE memory_id = ?", known)
        put(db, f"INSERT OR REPLACE INTO mentions ({_MENTIONS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", mentions)
        put(db, f"INSERT OR REPLACE INTO related ({_RELATED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", related)


def _read(memory: Memory | None) -> tuple[object, ...] | None:
    """What the rules look at; None for a memory that says nothing, or nothing any more."""
    if memory is None or memory.is_document or not memory.findable:
        return None
    given = memory.entities, memory.relations
    return memory.content, *given, memory.speaker, memory.confidence, memory.created_at


def _take(memory: Memory, mentions: list[Row], related: list[Row]) -> None:
    named = [name for one, _, other in memory.relations for name in (one, other)]
    found = entities_in(memory.content, dict.fromkeys((*memory.entities, *named)))
    for one in found:
        aliases = msgspec.json.encode(one.aliases).decode()
        about = (one.name, one.type, one.salience, one.mentions, aliases, memory.created_at)
        mentions.append((memory.id, memory.namespace, key_of(one.name), *about))
    for said in given_or_found(memory.relations, relations_in(memory.content, found, memory.speaker)):
        ends = (key_of(said.subject), said.subject, said.relation, key_of(said.object), said.object)
        confidence = round(said.confidence * memory.confidence, 4)
        related.append((memory.id, memory.namespace, *ends, confidence, memory.created_at))


class Mention(Struct, frozen=True):
    memory_id: int
    key: str
    name: str
    type: str
    salience: float
    mentions: int
    aliases: str
    at: int


class Said(Struct, frozen=True):
    memory_id: int
    subject_key: str
    subject: str
    relation: str
    object_key: str
    object: str
    confidence: float
    at: int


async def most_mentioned(pool: Pool, namespace: str, type_: str | None, like: str, limit: int) -> list[str]:
    """Keys of entities, the most often mentioned first; `like` is the beginning of one of their words."""
    rows = await pool.fetch(
        "SELECT key FROM mentions WHERE namespace = ? AND (? IS NULL OR type = ?) AND instr(' ' || key, ' ' || ?) > 0 "
        "GROUP BY key ORDER BY sum(mentions) DESC, max(at) DESC, key LIMIT ?",
        (namespace, type_, type_, like, limit),
    )
    return [row[0] for row in rows]


async def mentions_of(pool: Pool, namespace: str, keys: Sequence[str], most: int) -> list[Mention]:
    """The newest mentions of these entities."""
    rows = await pool.fetch(
        "SELECT memory_id, key, name, type, salience, mentions, aliases, at FROM mentions "
        "WHERE namespace = ? AND key IN (SELECT value FROM json_each(?)) ORDER BY at DESC LIMIT ?",
        (namespace, msgspec.json.encode(keys).decode(), most),
    )
    return [Mention(*row) for row in rows]


async def said_of(pool: Pool, namespace: str, key: str, most: int) -> list[Said]:
    """The newest statements with this entity at either end."""
    rows = await pool.fetch(
        "SELECT memory_id, subject_key, subject, relation, object_key, object, confidence, at FROM related "
        "WHERE namespace = ? AND (subject_key = ? OR object_key = ?) ORDER BY at DESC LIMIT ?",
        (namespace, key, key, most),
    )
    return [Said(*row) for row in rows]
