"""What readers ask of the links: those of some memories, how many each has, which are due for a look."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from reveried.domain.forgetting.units import DAY
from reveried.domain.linking.kinds import CO_RECALLED
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.memory import DOCUMENT_HASH
from reveried.log.pool import Pool, Reading
from reveried.state.links import COLUMNS, LinkRow
from reveried.state.reads import as_array

# A query looks at this many memories, however few of them it finds, and ends before its deadline.
WINDOW = 50_000
_LIVING = "EXISTS (SELECT 1 FROM memories WHERE id = {end} AND state IN ('active', 'stale'))"
_MENTIONED = "SELECT memory_id, key FROM mentions WHERE memory_id IN (SELECT value FROM json_each(?))"


class Degree(Struct, frozen=True):
    """How many links a memory has, and how many of them are recent."""

    edges: int = 0
    recent: int = 0


ALONE = Degree()


class Counting(Struct, frozen=True):
    """What counts as an edge: any link that stands; having been recalled together once that was often enough and not
    long ago."""

    now: int
    recent_since: int
    alive_since: int
    firm: int
    affirmed: float


def counting(now: int, recent_days: float, policy: LinksPolicy) -> Counting:
    return Counting(
        now, now - round(recent_days * DAY), now - round(policy.half_life_days * DAY), policy.firm, policy.affirmed
    )


async def degrees(pool: Pool, first: int, last: int, rule: Counting) -> dict[int, Degree]:
    """Of all memories with numbers in this range: the links are walked through once, not the memories."""
    return await _degrees(pool, "{end} BETWEEN ? AND ?", (first, last), rule)


async def degrees_of(pool: Pool, ids: Sequence[int], rule: Counting) -> dict[int, Degree]:
    return await _degrees(pool, "{end} IN (SELECT value FROM json_each(?))", (as_array(ids),), rule)


async def _degrees(pool: Pool, which: str, values: tuple[object, ...], rule: Counting) -> dict[int, Degree]:
    firm = (rule.affirmed, rule.firm, rule.alive_since)
    counted = "how <> 'refused' AND (kind <> 'co_recalled' OR (together + ? * affirmed >= ? AND verified_at >= ?))"
    halves = [
        f"SELECT {end} AS id, count(*) AS edges, sum(created_at >= ?) AS recent FROM links "
        f"WHERE {which.format(end=end)} AND {counted} GROUP BY {end}"
        for end in ("a", "b")
    ]
    query = f"SELECT id, sum(edges), sum(recent) FROM ({' UNION ALL '.join(halves)}) GROUP BY id"
    one = (rule.recent_since, *values, *firm)
    return {id_: Degree(edges, recent) for id_, edges, recent in await pool.fetch(query, (*one, *one))}


async def links_of(pool: Pool, ids: Sequence[int], *, refused: bool = False) -> list[LinkRow]:
    """Every link with one of these at either end."""
    which = "IN (SELECT value FROM json_each(?1))"
    standing = "" if refused else "AND how <> 'refused'"
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM links WHERE a {which} {standing} UNION "
        f"SELECT {COLUMNS} FROM links WHERE b {which} {standing}",
        (as_array(ids),),
    )
    return [LinkRow(*row) for row in rows]


async def link_page(pool: Pool, namespace: str, after: tuple[int, int, str], limit: int) -> list[LinkRow]:
    """In the order of their ends; also what was refused, for that is known too."""
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM links WHERE (a, b, kind) > (?, ?, ?) AND namespace = ? ORDER BY a, b, kind LIMIT ?",
        (*after, namespace, limit),
    )
    return [LinkRow(*row) for row in rows]


async def unverified(pool: Pool, before: int, weak: float, limit: int) -> list[LinkRow]:
    """Weak links that nothing has verified since then, the oldest first. What somebody asked for is not doubted, and
    what an archived memory is linked to waits for its return."""
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM links WHERE verified_at < ? AND kind <> 'co_recalled' AND confidence <= ? "
        "AND how IN ('proposed', 'verified') "
        f"AND {_LIVING.format(end='a')} AND {_LIVING.format(end='b')} ORDER BY verified_at, a, b, kind LIMIT ?",
        (before, weak, limit),
    )
    return [LinkRow(*row) for row in rows]


async def recalled_before(pool: Pool, before: int, limit: int) -> list[LinkRow]:
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM links WHERE verified_at < ? AND kind = ? ORDER BY verified_at, a, b LIMIT ?",
        (before, CO_RECALLED, limit),
    )
    return [LinkRow(*row) for row in rows]


async def to_review(pool: Pool, limit: int) -> list[int]:
    """Memories that may be linked and were not looked at since they changed, the newest first."""
    ((end,),) = await pool.fetch("SELECT coalesce(max(id), 0) FROM memories")
    found: list[int] = []
    while end > 0 and len(found) < limit:
        rows = await pool.fetch(
            "SELECT m.id FROM memories m LEFT JOIN reviewed r ON r.memory_id = m.id WHERE m.id <= ? AND m.id > ? "
            "AND m.state IN ('active', 'stale') AND (r.at IS NULL OR r.at < m.updated_at) "
            "AND (m.session_id IS NULL OR m.speaker IS NULL) AND m.superseded_by IS NULL AND m.compressed_into IS NULL "
            f"AND m.content_hash NOT GLOB '{DOCUMENT_HASH}*' ORDER BY m.id DESC LIMIT ?",
            (end, end - WINDOW, limit - len(found)),
        )
        found += [id_ for (id_,) in rows]
        end -= WINDOW
    return found


def sharing(db: Reading, namespace: str, memory: int, tags: Sequence[str], common: int) -> "Shared":
    """Who carries which of these tags, and names which of the memory's entities; what is common tells nothing."""
    keys = [key for _, key in db.fetch(_MENTIONED, (as_array([memory]),))]
    by_tag = {tag: _holders(db, _BY_TAG, (tag, namespace), common) for tag in tags}
    by_key = {key: _holders(db, _BY_KEY, (namespace, key), common) for key in keys}
    return Shared(_counted(by_tag, memory), _counted(by_key, memory))


class Shared(Struct, frozen=True):
    """For each other memory, how many of the tags and entities it has in common."""

    tags: dict[int, int]
    entities: dict[int, int]


_BY_TAG = (
    "SELECT t.memory_id FROM tags t CROSS JOIN memories m ON m.id = t.memory_id WHERE t.tag = ? AND m.namespace = ? "
    "ORDER BY t.memory_id DESC LIMIT ?"
)
_BY_KEY = "SELECT memory_id FROM mentions WHERE namespace = ? AND key = ? ORDER BY memory_id DESC LIMIT ?"


def _holders(db: Reading, query: str, values: tuple[str, str], common: int) -> list[int]:
    """None where more have it than count: one more than those is looked for, besides the memory itself."""
    ids = [id_ for (id_,) in db.fetch(query, (*values, common + 2))]
    return ids if len(ids) <= common + 1 else []


def _counted(holders: Mapping[str, Sequence[int]], memory: int) -> dict[int, int]:
    counts: dict[int, int] = {}
    for ids in holders.values():
        for id_ in ids:
            if id_ != memory:
                counts[id_] = counts.get(id_, 0) + 1
    return counts


async def names_shared(pool: Pool, memory: int, others: Sequence[int]) -> dict[int, list[str]]:
    """The entities that each of the others names as the memory does."""
    rows = await pool.fetch(
        "SELECT o.memory_id, m.name FROM mentions m JOIN mentions o ON o.key = m.key AND o.memory_id <> m.memory_id "
        "WHERE m.memory_id = ? AND o.memory_id IN (SELECT value FROM json_each(?)) ORDER BY o.memory_id, m.name",
        (memory, as_array(others)),
    )
    found: dict[int, list[str]] = {}
    for id_, name in rows:
        found.setdefault(id_, []).append(name)
    return found


async def firmest(pool: Pool, namespace: str, limit: int) -> list[LinkRow]:
    """The links of a namespace that weigh most; those that were only recalled together come last."""
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM links WHERE namespace = ? AND how <> 'refused' "
        "ORDER BY weight DESC, together DESC, a, b, kind LIMIT ?",
        (namespace, limit),
    )
    return [LinkRow(*row) for row in rows]


async def chunks_of(pool: Pool, documents: Sequence[int], limit: int) -> list[tuple[int, int]]:
    rows = await pool.fetch(
        "SELECT parent_id, id FROM memories WHERE parent_id IN (SELECT value FROM json_each(?)) "
        "AND chunk_index IS NOT NULL AND id > parent_id ORDER BY id LIMIT ?",
        (as_array(documents), limit),
    )
    return [(parent, id_) for parent, id_ in rows]


async def count_links(pool: Pool) -> int:
    return int((await pool.fetch("SELECT count(*) FROM links WHERE how <> 'refused'"))[0][0])


async def link_rows(pool: Pool) -> int:
    """They stay in the live file when a memory leaves it."""
    return int((await pool.fetch("SELECT (SELECT count(*) FROM links) + (SELECT count(*) FROM reviewed)"))[0][0])
