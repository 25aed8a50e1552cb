"""An exported log comes back whole, or not at all; whatever is wrong with it is said with its line."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from reveried.domain.events import MemoryErased
from reveried.errors import LogDamaged
from reveried.log.pool import Pool
from reveried.log.reads import raw_page
from reveried.log.restore import FORMAT, VERSION, restore
from reveried.log.sqlite import SqliteLog
from unit.domain.histories import stored
from unit.log.test_sqlite import append, new

Lines = list[bytes]


@pytest.fixture
async def lines(log: SqliteLog) -> Lines:
    append(log, new(stored("one")), new(stored("two"), key="k"), new(stored("three"), namespace="other"))
    log.erase(1, new(MemoryErased(), 1), 2_000)
    pool = Pool(log.path, 1)
    await pool.open()
    rows = await raw_page(pool, 0, 100)
    await pool.close()
    heading = {"format": FORMAT, "version": VERSION, "events": len(rows), "chain": rows[-1].chain}
    return [msgspec.json.encode(line) for line in (heading, *rows)]


def test_what_was_exported_comes_back_event_by_event(log: SqliteLog, lines: Lines, tmp_path: Path) -> None:
    path = tmp_path / "again.db"
    report = restore(lines, path)
    again = SqliteLog(path)
    assert (report.events, report.problems, report.erased) == (4, [], 1)
    assert (again.head, again.chain) == (log.head, log.chain)
    assert list(again.read(0)) == list(log.read(0))
    again.close()


def _changed(line: bytes, **fields: object) -> bytes:
    return msgspec.json.encode({**msgspec.json.decode(line), **fields})


HARMS: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "nothing at all": (lambda lines: [], "line 1 is not the heading"),
    "no heading": (lambda lines: lines[1:], "line 1 is not the heading"),
    "another version": (lambda lines: [_changed(lines[0], version=9), *lines[1:]], "line 1 names reverie.events 9"),
    "cut off": (lambda lines: lines[:-1], "should end with event 4, but ends with 3"),
    "half a line": (lambda lines: [*lines[:-1], lines[-1][:-9]], "line 5 is not an event"),
    "no digits": (lambda lines: [*lines[:2], _changed(lines[2], chain="zz"), *lines[3:]], "line 3 is not an event"),
    "a line twice": (lambda lines: [*lines, lines[1]], "two lines cannot both be true"),
    "a huge number": (lambda lines: [*lines[:-1], _changed(lines[-1], at=1 << 70)], "a number that no log has"),
    "another word": (lambda lines: [lines[0], lines[1], _changed(lines[2], actor="x"), *lines[3:]], "event 2"),
    "another end": (lambda lines: [_changed(lines[0], chain="00"), *lines[1:]], "the chain ends otherwise"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_what_does_not_fit_leaves_nothing_behind(lines: Lines, tmp_path: Path, harm: str) -> None:
    change, complaint = HARMS[harm]
    place = tmp_path / "empty"
    place.mkdir()
    with pytest.raises(LogDamaged, match=complaint):
        restore(change(lines), place / "again.db")
    assert list(place.iterdir()) == []
