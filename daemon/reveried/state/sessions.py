"""Which sessions began and ended, and which memory tells of each. What was said in them is with the memories."""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import MemoryCompressed, MemoryErased, Recorded, SessionEnded, SessionStarted
from reveried.log.pool import Pool
from reveried.state.projection import Change, Projection

_COLUMNS = "namespace, session_id, started_at, ended_at, account, compressed_into"


class SessionRow(Struct, frozen=True):
    """`account` is the memory written at its end; `compressed_into` the last one that stands for what was said."""

    namespace: str
    session_id: str
    started_at: int | None = None
    ended_at: int | None = None
    account: int | None = None
    compressed_into: int | None = None

    @property
    def is_open(self) -> bool:
        return self.started_at is not None and self.ended_at is None


def _after(row: SessionRow, recorded: Recorded) -> SessionRow:
    """A session that goes on keeps the time it first began at."""
    match recorded.event:
        case SessionStarted():
            began = recorded.at if row.started_at is None else row.started_at
            return msgspec.structs.replace(row, started_at=began, ended_at=None)
        case SessionEnded():
            return msgspec.structs.replace(row, ended_at=recorded.at, account=recorded.subject)
        case MemoryCompressed():
            return msgspec.structs.replace(row, compressed_into=recorded.subject)
    return row


class Sessions(Projection):
    name = "sessions"
    ddl = """
    CREATE TABLE sessions (
      namespace TEXT NOT NULL, session_id TEXT NOT NULL, started_at INTEGER, ended_at INTEGER, account INTEGER,
      compressed_into INTEGER, PRIMARY KEY (namespace, session_id)
    ) STRICT, WITHOUT ROWID;
    """
    follows = frozenset((SessionStarted.type, SessionEnded.type, MemoryCompressed.type, MemoryErased.type))
    digest_queries = (f"SELECT {_COLUMNS} FROM sessions ORDER BY namespace, session_id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        for recorded in events:
            match recorded.event:
                case (
                    SessionStarted(session_id=name) | SessionEnded(session_id=name) | MemoryCompressed(session_id=name)
                ):
                    row = _after(_fetch(db, recorded.namespace, name) or SessionRow(recorded.namespace, name), recorded)
                    values = msgspec.structs.astuple(row)
                    db.execute(f"INSERT OR REPLACE INTO sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", values)
                case MemoryErased():
                    for column in ("account", "compressed_into"):
                        db.execute(f"UPDATE sessions SET {column} = NULL WHERE {column} = ?", (recorded.subject,))


def _fetch(db: sqlite3.Connection, namespace: str, session_id: str) -> SessionRow | None:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM sessions WHERE namespace = ? AND session_id = ?", (namespace, session_id)
    ).fetchone()
    return SessionRow(*row) if row else None


def session_now(
    db: sqlite3.Connection, pending: Sequence[Recorded], namespace: str, session_id: str
) -> SessionRow | None:
    """As it stands after events that no table holds yet."""
    row = _fetch(db, namespace, session_id)
    for recorded in pending:
        match recorded.event:
            case SessionStarted(session_id=name) | SessionEnded(session_id=name) | MemoryCompressed(session_id=name):
                if (recorded.namespace, name) == (namespace, session_id):
                    row = _after(row or SessionRow(namespace, session_id), recorded)
    return row


async def sessions_of(pool: Pool, namespace: str) -> dict[str, SessionRow]:
    rows = await pool.fetch(f"SELECT {_COLUMNS} FROM sessions WHERE namespace = ?", (namespace,))
    return {row[1]: SessionRow(*row) for row in rows}
