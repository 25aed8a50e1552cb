"""A look over every memory goes by ranges of ids: each query ends before its deadline, and others get their turn."""

from collections.abc import AsyncIterator

from reveried.log.pool import Pool

# However few of them a query finds, it looks at so many.
WINDOW = 50_000


async def windows(pool: Pool) -> AsyncIterator[tuple[int, int]]:
    """Above which number a range begins, and up to which it goes; all of them together are everything there is."""
    ((first, last),) = await pool.fetch("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM memories")
    for start in range(first - 1, last, WINDOW):
        yield start, min(start + WINDOW, last)
