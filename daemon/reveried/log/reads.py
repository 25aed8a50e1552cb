"""What readers ask of the log: pages of events, as a client of one namespace may see them."""

from collections.abc import Sequence

from msgspec import Struct

from reveried.domain.events import MemoryStored, MemoryUpdated
from reveried.log.payload import readable, unseal
from reveried.log.pool import Pool, Row

# Facts about the daemon itself, such as a changed setting, belong to no namespace and are shown to all.
EVERYONE = ""
_COLUMNS = "seq, at, type, namespace, subject, actor, payload"


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


async def by_numbers(pool: Pool, namespace: str, numbers: Sequence[int]) -> list[Entry]:
    places = ", ".join("?" * len(numbers))
    rows = await pool.fetch(
        f"SELECT {_COLUMNS} FROM events WHERE seq IN ({places}) AND namespace = ? ORDER BY seq", (*numbers, namespace)
    )
    return [_entry(row) for row in rows]


async def changes_of_content(pool: Pool, after: int, limit: int) -> tuple[list[int], int]:
    """The memories whose words the next events make, change or remove, in every namespace, and the last event read."""
    rows = await pool.fetch(
        "SELECT seq, iif(type = 'memory.merged', json_extract(CAST(payload AS TEXT), '$.into'), subject) "
        "FROM events WHERE seq > ? AND type IN "
        "('memory.stored', 'memory.updated', 'memory.merged', 'memory.erased') ORDER BY seq LIMIT ?",
        (after, limit),
    )
    return [seq if subject is None else subject for seq, subject in rows], rows[-1][0] if rows else after


class News(Struct, frozen=True):
    """Words that came, or changed, and what their caller wished for them."""

    seq: int
    memory: int
    namespace: str
    dedup: bool
    on_conflict: str | None


async def news(pool: Pool, after: int, limit: int) -> tuple[list[News], int | None]:
    """The next events that bring words, in every namespace, and how far that reaches; None if there are no more."""
    rows = await pool.fetch(
        "SELECT seq, subject, namespace, type, payload FROM events WHERE seq > ? AND type IN "
        "('memory.stored', 'memory.updated') ORDER BY seq LIMIT ?",
        (after, limit),
    )
    found = []
    for seq, subject, namespace, type_, payload in rows:
        match unseal(type_, payload):
            case MemoryStored(dedup=dedup, on_conflict=mode):
                found.append(News(seq, seq, namespace, dedup, mode))
            case MemoryUpdated(content=str()):
                found.append(News(seq, subject, namespace, True, None))
    return found, rows[-1][0] if len(rows) == limit else None
