"""The writer: one order for all, durable before the answer, all of a command or nothing of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from reveried.app.commands import Command, Outcomes, Step, View
from reveried.app.progress import Progress
from reveried.app.writer import Writer
from reveried.config.schema import Config, StoragePolicy
from reveried.domain import decide
from reveried.domain.decide import Decision
from reveried.errors import KeyConflict, NotFound, ReadOnly, ReverieError, ShuttingDown, StorageFailed, StorageFull
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.state.store import StateStore
from reveried.state.vectors import VectorStore
from unit.domain.histories import BORN, FEEDBACK, stored


class Still:
    """A clock that stands."""

    def now(self) -> int:
        return BORN


ROOMY = Config(storage=StoragePolicy(min_free="1MB"))


class Bench:
    def __init__(self, path: Path) -> None:
        self.config = ROOMY
        self.path = path
        (path / "backups").mkdir()
        self.progress = Progress(0, 0)
        self.log = SqliteLog(path / "log.db")
        self.store = StateStore(path / "state.db", path / "archive.db")
        self.vectors = VectorStore(path / "vectors.db")
        backups = Backups(path / "backups")
        self.writer = Writer(self.log, self.store, Still(), lambda: self.config, self.progress, backups, self.vectors)

    def submit(self, *steps: Step, erases: bool = False, namespace: str = "default") -> "asyncio.Future[Outcomes]":
        return self.writer.submit(Command(namespace=namespace, actor="tests", steps=steps, erases=erases))


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(tmp_path)
    bench.writer.start()
    yield bench
    if not bench.writer.finished.done():
        await bench.writer.stop()
    bench.vectors.close()


def storing(text: str, key: str | None = None, fingerprint: str = "") -> Step:
    def judge(view: View) -> Decision:
        event = stored(text, request=fingerprint)
        return decide.store(event, view.by_hash("default", event.content_hash))

    return Step(decide=judge, key=key, fingerprint=fingerprint)


def about(id_: int, judge: Callable[..., Decision]) -> Step:
    return Step(decide=lambda view: judge(decide.required(view.get(id_), id_, "default")))


REINFORCE = about(1, lambda memory: decide.reinforce(memory, FEEDBACK, ""))


async def test_commands_of_one_batch_see_each_other_in_order(bench: Bench) -> None:
    futures = [bench.submit(step) for step in (storing("one"), storing("one"), REINFORCE, storing("two"))]
    outcomes = [outcome for future in futures for outcome in await future]
    assert [(one.id, one.outcome, one.seq) for one in outcomes] == [
        (1, "stored", 1), (1, "duplicate", 2), (1, "reinforced", 3), (4, "stored", 4),
    ]  # fmt: skip
    assert bench.progress.head == 4


async def test_the_steps_of_a_command_become_durable_together(bench: Bench) -> None:
    await bench.submit(storing("kept", "k/1", "first"))
    with pytest.raises(KeyConflict):
        await bench.submit(storing("a", "k/0", "second"), storing("b", "k/1", "second"))
    assert [recorded.seq for recorded in bench.log.read(0)] == [1]


async def test_a_refusal_stops_only_its_own_command(bench: Bench) -> None:
    refused, stored_ = bench.submit(about(99, decide.read)), bench.submit(storing("one"))
    with pytest.raises(NotFound):
        await refused
    assert (await stored_)[0].seq == 1


async def test_a_retried_key_is_told_the_first_outcome_also_within_one_batch(bench: Bench) -> None:
    futures = [bench.submit(storing("one", "k", "same")) for _ in range(3)]
    told = [(await future)[0] for future in futures]
    assert [(one.id, one.outcome, one.repeated) for one in told] == [
        (1, "stored", False),
        (1, "stored", True),
        (1, "stored", True),
    ]
    assert bench.log.head == 1


async def test_readers_see_what_was_written_once_they_ask_for_it(bench: Bench) -> None:
    (written,) = await bench.submit(storing("one"))
    await bench.writer.projected(written.seq)
    assert bench.store.applied == written.seq
    assert bench.progress.applied == written.seq


async def test_work_on_the_writers_thread_comes_after_what_was_queued(bench: Bench) -> None:
    bench.submit(storing("one"))
    assert await bench.writer.run(lambda: bench.store.applied) == 1

    def fails() -> None:
        raise ReverieError("no")

    with pytest.raises(ReverieError, match="no"):
        await bench.writer.run(fails)


async def test_an_erasure_is_answered_when_the_words_are_gone_from_every_file(bench: Bench, tmp_path: Path) -> None:
    await bench.submit(storing("xylophonist"))
    await bench.writer.run(lambda: bench.writer._backups.make(bench.log, BORN))
    futures = [bench.submit(storing("before")), bench.submit(about(1, lambda m: decide.erase(m, "")), erases=True)]
    await bench.submit(storing("after"))
    assert [(await future)[0].outcome for future in futures] == ["stored", "erased"]
    assert b"xylophon" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert bench.log.verify().problems == []


async def test_too_little_room_refuses_writes_until_there_is_more(bench: Bench) -> None:
    bench.config = Config(storage=StoragePolicy(min_free="1000000GB"))
    with pytest.raises(StorageFull, match="nothing was stored"):
        await bench.submit(storing("one"))
    bench.config = ROOMY
    assert (await bench.submit(storing("one")))[0].outcome == "stored"


async def test_a_disk_that_fills_during_a_commit_takes_the_whole_batch_back(bench: Bench) -> None:
    await bench.submit(storing("one"))

    def shrink() -> None:
        (pages,) = bench.log._db.execute("PRAGMA page_count").fetchone()
        bench.log._db.execute(f"PRAGMA max_page_count={pages}")

    await bench.writer.run(shrink)
    futures = [bench.submit(storing("two")), bench.submit(storing("large " * 5_000))]
    refused = await asyncio.gather(*futures, return_exceptions=True)
    assert any(isinstance(one, StorageFull) for one in refused)
    await bench.writer.run(lambda: bench.log._db.execute("PRAGMA max_page_count=1000000").fetchone())
    (after,) = await bench.submit(storing("large " * 5_000))
    assert after.outcome == "stored"
    assert bench.log.verify().problems == []


async def test_an_error_of_the_disk_ends_the_writer(bench: Bench) -> None:
    await bench.submit(storing("one"))
    broken = "CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'I/O'); END"
    await bench.writer.run(lambda: bench.log._db.execute(broken).fetchone())
    with pytest.raises(StorageFailed):
        await bench.submit(storing("two"))
    with pytest.raises(StorageFailed):
        await bench.writer.finished
    bench.store.close()
    bench.log.close()


async def test_a_read_only_store_and_a_stopping_one_refuse_at_once(bench: Bench) -> None:
    bench.writer.read_only = "event 3: missing"
    with pytest.raises(ReadOnly, match="event 3: missing"):
        bench.submit(storing("one"))
    bench.writer.read_only = None
    accepted = bench.submit(storing("one"))
    await bench.writer.stop()
    assert (await accepted)[0].outcome == "stored"
    with pytest.raises(ShuttingDown):
        bench.submit(storing("two"))


async def test_a_client_that_went_away_does_not_disturb_the_others(bench: Bench) -> None:
    gone, here = bench.submit(storing("one")), bench.submit(storing("two"))
    gone.cancel()
    assert (await here)[0].id == 2
