"""Reading the clock off the log: whether it has lived in the present for a while, or time has leapt."""

from reveried.log.pool import Pool

DAY = 86_400_000_000


async def born_at(pool: Pool) -> int | None:
    rows = await pool.fetch("SELECT at FROM events ORDER BY seq LIMIT 1")
    return rows[0][0] if rows else None


async def leap(pool: Pool, now: int, longest_silence: int) -> int | None:
    """How long the log was silent before it came to this time, if that is too long and less than a day ago.

    A machine that slept for months and a clock set wrong look the same. A day of life in the new time tells them apart.
    """
    settled = await _last_before(pool, now - DAY)
    if settled is None:
        return None
    silence = now - settled
    return silence if silence > longest_silence else None


async def _last_before(pool: Pool, moment: int) -> int | None:
    """The time of the last event up to that moment. Time never decreases along the log, so halving finds it."""
    rows = await pool.fetch("SELECT max(seq) FROM events")
    low, high = 0, rows[0][0] or 0
    found: int | None = None
    while low < high:
        middle = (low + high + 1) // 2
        ((at,),) = await pool.fetch("SELECT at FROM events WHERE seq = ?", (middle,))
        if at <= moment:
            low, found = middle, at
        else:
            high = middle - 1
    return found
