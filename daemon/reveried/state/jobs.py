"""The last run of each job, so that a minute is never run twice and a missed one is noticed."""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import JobRan, Recorded
from reveried.log.pool import Pool, Row
from reveried.state.projection import Change, Projection

_COLUMNS = "job, seq, last_scheduled, started, finished, reason, changed, notes, failed"
# A run by hand does not count for the schedule: it leaves `last_scheduled` as it was.
_KEEP = f"""
INSERT INTO jobs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (job) DO UPDATE SET
  seq = excluded.seq, last_scheduled = coalesce(excluded.last_scheduled, last_scheduled), started = excluded.started,
  finished = excluded.finished, reason = excluded.reason, changed = excluded.changed, notes = excluded.notes,
  failed = excluded.failed
WHERE excluded.seq > seq
"""


class LastRun(Struct, frozen=True, kw_only=True):
    job: str
    seq: int
    last_scheduled: int | None
    started: int
    finished: int
    reason: str
    changed: dict[str, int]
    notes: list[str]
    failed: str


class Jobs(Projection):
    name = "jobs"
    ddl = """
    CREATE TABLE jobs (
      job TEXT PRIMARY KEY, seq INTEGER NOT NULL, last_scheduled INTEGER, started INTEGER NOT NULL,
      finished INTEGER NOT NULL, reason TEXT NOT NULL, changed TEXT NOT NULL, notes TEXT NOT NULL, failed TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
    follows = frozenset((JobRan.type,))
    digest_queries = (f"SELECT {_COLUMNS} FROM jobs ORDER BY job",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        db.executemany(_KEEP, [_row(event, event.event) for event in events if isinstance(event.event, JobRan)])


def _row(recorded: Recorded, ran: JobRan) -> Row:
    changed, notes = (msgspec.json.encode(value).decode() for value in (ran.changed, ran.notes))
    times = (ran.scheduled, ran.started, ran.finished)
    return (ran.job, recorded.seq, *times, ran.reason, changed, notes, ran.failed)


async def last_runs(pool: Pool) -> dict[str, LastRun]:
    return {row[0]: _run(row) for row in await pool.fetch(f"SELECT {_COLUMNS} FROM jobs")}


def _run(row: Row) -> LastRun:
    fields = dict(zip(LastRun.__struct_fields__, row, strict=True))
    return LastRun(**{**fields, **{name: msgspec.json.decode(fields[name]) for name in ("changed", "notes")}})
