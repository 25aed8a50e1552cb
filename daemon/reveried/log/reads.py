"""What readers ask of the log: pages of events, as a client of one namespace may see them."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import DocumentContinued, DocumentReceived, Event, MemoryStored, MemoryUpdated
from reveried.log.payload import readable, unseal
from reveried.log.pool import Pool, Row

# Facts about the daemon itself, such as a changed setting, belong to no namespace and are shown to all.
EVERYONE = ""
READS_WINDOW = 20_000
READS_WINDOWS = 50
_READS = """
SELECT at FROM events WHERE seq > ? AND seq <= ? AND type IN ('memory.recalled', 'memory.accessed')
  AND instr(payload, ?) AND EXISTS (SELECT 1 FROM json_each(CAST(payload AS TEXT), '$.ids') WHERE value = ?)
ORDER BY seq DESC
"""
_COLUMNS = "seq, at, type, namespace, subject, actor, payload"


_WITHIN = f"""
SELECT {_COLUMNS} FROM events WHERE seq > ? AND namespace IN (?, ?) AND seq <= (
  SELECT max(seq) FROM (
    SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM (
      SELECT seq, coalesce(length(payload), 0) AS size FROM events WHERE seq > ? AND namespace IN (?, ?)
      ORDER BY seq LIMIT ?
    )
  ) WHERE before < ?
) ORDER BY seq
"""


class Entry(Struct, frozen=True):
    seq: int
    at: int
    type: str
    namespace: str
    subject: int | None
    actor: str
    payload: dict[str, object] | None


def _entry(row: Row) -> Entry:
    seq, at, type_, namespace, subject, actor, payload = row
    return Entry(seq, at, type_, namespace, subject, actor, readable(type_, payload))


async def page(pool: Pool, namespace: str, after: int, limit: int) -> list[Entry]:
    rows = await pool.fetch(
        f"SELECT {_COLUMNS} FROM events WHERE seq > ? AND namespace IN (?, ?) ORDER BY seq LIMIT ?",
        (after, namespace, EVERYONE, limit),
    )
    return [_entry(row) for row in rows]


async def page_within(pool: Pool, namespace: str, after: int, limit: int, size: int) -> list[Entry]:
    """A page of about so many bytes at most, and one event at least: whoever reads slowly keeps it in memory."""
    place = (after, namespace, EVERYONE)
    return [_entry(row) for row in await pool.fetch(_WITHIN, (*place, *place, limit, size))]


class RawRow(Struct, frozen=True):
    seq: int
    at: int
    type: str
    namespace: str
    subject: int | None
    actor: str
    key: str | None
    payload: str | None
    digest: str
    chain: str


async def raw_page(pool: Pool, after: int, limit: int) -> list[RawRow]:
    rows = await pool.fetch(
        "SELECT seq, at, type, namespace, subject, actor, key, payload, digest, chain FROM events WHERE seq > ? "
        "ORDER BY seq LIMIT ?",
        (after, limit),
    )
    return [_raw(*row) for row in rows]


def _raw(
    seq: int, at: int, type_: str, namespace: str, subject: int | None, actor: str, key: str | None,
    payload: bytes | None, digest: bytes, chain: bytes,
) -> RawRow:  # fmt: skip
    text = None if payload is None else payload.decode()
    return RawRow(seq, at, type_, namespace, subject, actor, key, text, digest.hex(), chain.hex())


async def by_numbers(pool: Pool, namespace: str, numbers: Sequence[int]) -> list[Entry]:
    places = ", ".join("?" * len(numbers))
    rows = await pool.fetch(
        f"SELECT {_COLUMNS} FROM events WHERE seq IN ({places}) AND namespace = ? ORDER BY seq", (*numbers, namespace)
    )
    return [_entry(row) for row in rows]


async def changes_of_content(pool: Pool, after: int, limit: int) -> tuple[list[int], int]:
    """The memories whose words the next events make, change or remove, in every namespace, and the last event read."""
    rows = await pool.fetch(
        "SELECT seq, iif(type = 'memory.merged', json_extract(CAST(payload AS TEXT), '$.into'), subject), "
        # What an erased memory was merged into has lost its words.
        "iif(type = 'memory.erased', json_extract(CAST(payload AS TEXT), '$.others'), NULL) "
        "FROM events WHERE seq > ? AND type IN "
        "('memory.stored', 'memory.updated', 'memory.merged', 'memory.erased') ORDER BY seq LIMIT ?",
        (after, limit),
    )
    changed = [seq if subject is None else subject for seq, subject, _ in rows]
    changed += [other for _, _, others in rows if others for other in msgspec.json.decode(others)]
    return changed, rows[-1][0] if rows else after


class News(Struct, frozen=True):
    """Words that came, or changed, and what their caller wished for them."""

    seq: int
    memory: int
    namespace: str
    dedup: bool
    on_conflict: str | None
    # It brought its life along from elsewhere, and its links too.
    lived: bool = False


async def news(pool: Pool, after: int, limit: int) -> tuple[list[News], int | None]:
    """The next events that bring words, in every namespace, and how far that reaches; None if there are no more."""
    rows = await pool.fetch(
        "SELECT seq, subject, namespace, type, payload, EXISTS (SELECT 1 FROM events life "
        "WHERE life.seq = events.seq + 1 AND life.type = 'memory.imported') "
        "FROM events WHERE seq > ? AND type IN ('memory.stored', 'memory.updated') ORDER BY seq LIMIT ?",
        (after, limit),
    )
    found = []
    for seq, subject, namespace, type_, payload, lived in rows:
        match unseal(type_, payload):
            case MemoryStored(dedup=dedup, on_conflict=mode):
                found.append(News(seq, seq, namespace, dedup, mode, bool(lived)))
            case MemoryUpdated(content=str()):
                found.append(News(seq, subject, namespace, True, None))
    return found, rows[-1][0] if len(rows) == limit else None


async def reads_of(pool: Pool, memory: int, most: int) -> list[int]:
    """When a memory was last returned or looked at, newest first. Reads are not indexed, so the log is searched back
    to the memory's beginning, or as far as is worth a picture."""
    ((high,),) = await pool.fetch("SELECT coalesce(max(seq), 0) FROM events")
    found: list[int] = []
    lowest = max(memory, high - READS_WINDOW * READS_WINDOWS)
    while high > lowest and len(found) < most:
        low = max(high - READS_WINDOW, lowest)
        found += [at for (at,) in await pool.fetch(_READS, (low, high, str(memory).encode(), memory))]
        high = low
    return found[:most]


async def affirmations_of(pool: Pool, memory: int) -> list[tuple[str, int]]:
    """What began a memory's time anew besides reading, each with its moment, oldest first."""
    rows = await pool.fetch(
        "SELECT type, at FROM events WHERE subject = ? AND type IN "
        "('memory.repeated', 'memory.updated', 'memory.reinforced', 'memory.restored') ORDER BY seq",
        (memory,),
    )
    return [(type_.removeprefix("memory."), at) for type_, at in rows]


async def document(pool: Pool, id_: int) -> tuple[DocumentReceived, str] | None:
    """A document as it was received, and its whole text; None when it was erased."""
    rows = await pool.fetch(
        "SELECT seq, type FROM events WHERE subject = ? AND type IN ('document.received', 'document.continued') "
        "ORDER BY seq",
        (id_,),
    )
    # One at a time: together they may be too long for one query.
    events = [await _event(pool, seq, type_) for seq, type_ in rows]
    parts = [event.text for event in events if isinstance(event, DocumentReceived | DocumentContinued)]
    first = events[0] if events else None
    return (first, "".join(parts)) if isinstance(first, DocumentReceived) and len(parts) == first.parts else None


async def _event(pool: Pool, seq: int, type_: str) -> Event | None:
    rows = await pool.fetch("SELECT payload FROM events WHERE seq = ?", (seq,))
    return unseal(type_, rows[0][0]) if rows else None


async def is_recorded(pool: Pool, namespace: str, key: str) -> bool:
    return bool(await pool.fetch("SELECT 1 FROM events WHERE namespace = ? AND key = ?", (namespace, key)))


async def count_by_type(pool: Pool, namespace: str, prefix: str) -> dict[str, int]:
    """How many events of each type were recorded under keys with this beginning."""
    rows = await pool.fetch(
        "SELECT type, count(*) FROM events WHERE namespace = ? AND key >= ? AND key < ? GROUP BY type",
        (namespace, prefix, prefix + "\U0010ffff"),
    )
    return {row[0]: row[1] for row in rows}


async def kept_apart(pool: Pool, ids: Sequence[int]) -> set[int]:
    """Those of these memories whose caller said that they are to be kept, whatever else says the same."""
    rows = await pool.fetch(
        "SELECT seq FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND type = 'memory.stored' "
        "AND json_extract(CAST(payload AS TEXT), '$.dedup') = 0",
        (f"[{','.join(map(str, ids))}]",),
    )
    return {row[0] for row in rows}
