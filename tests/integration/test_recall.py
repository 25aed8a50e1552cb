"""Recall through a real daemon with the real model: by meaning when it can, by words until then, and on the record."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct

import reverie
from integration.test_erase import traces
from reverie.protocol.results import Recalled
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
ONNX = "embedding: {{runtime: onnx}}\nrecall: {{cold_wait: {wait}}}\n"
COLD, PATIENT = 0.02, 60
CANARY = "zqxvectorkvj"
FACTS = (
    "Ada's favourite beverage is Darjeeling",
    "The office printer jams whenever it rains",
    "Our savings account pays two percent interest",
    "Grandmother keeps bees behind the barn",
    "The train to Lisbon leaves from platform nine",
    "Staging is rebuilt every night",
)

pytestmark = pytest.mark.xdist_group("onnx")


class Known(Struct, frozen=True):
    daemon: RunningDaemon
    ids: list[int]
    cold: Recalled
    cold_seconds: float


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    """One daemon for all of them: a model takes a second to start. The first question is asked before it has."""
    home: Path = tmp_path_factory.mktemp("onnx")
    daemon = RunningDaemon(home, config=ONNX.format(wait=COLD))
    daemon.start()
    try:
        with daemon.client() as client:
            ids = [result.id for result in client.store_many(FACTS).results]
            started = time.monotonic()
            cold = client.recall("favourite beverage")
            seconds = time.monotonic() - started
            daemon.config.write_text(daemon.config.read_text().replace(str(COLD), str(PATIENT)))
            client.reload()
            embedded(client)
        yield Known(daemon, ids, cold, seconds)
    finally:
        daemon.end()


def embedded(client: reverie.Client) -> None:
    """Until every event so far has its vectors; the daemon says how many it still has to look at."""
    deadline = time.monotonic() + 90
    while client.status().embedder["events_behind"]:
        assert time.monotonic() < deadline, client.status().embedder
        time.sleep(0.05)


def vectors(daemon: RunningDaemon, memory: int) -> list[tuple[int, bytes]]:
    db = sqlite3.connect(f"file:{daemon.data / 'vectors.db'}?mode=ro", uri=True)
    try:
        return db.execute("SELECT role, vector FROM vectors WHERE memory = ? ORDER BY part", (memory,)).fetchall()
    finally:
        db.close()


def test_a_cold_model_is_not_waited_for_and_the_answer_says_so(known: Known) -> None:
    assert [memory.id for memory in known.cold.memories] == known.ids[:1]
    assert not known.cold.semantic
    assert known.cold.semantic_reason
    assert known.cold.took_us < 2_000_000
    assert known.cold_seconds < 5


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("what does she like to drink?", 0),
        ("how much do we earn on money in the bank?", 2),
        ("which relative has honey insects?", 3),
    ],
)
def test_a_paraphrase_without_a_word_in_common_is_found(known: Known, question: str, place: int) -> None:
    with known.daemon.client() as client:
        found = client.recall(question, floor=0.0, explain=True)
    assert (found.semantic, found.semantic_reason) == (True, None)
    assert found.memories[0].id == known.ids[place]
    assert found.memories[0].signals["keyword"] == 0.0
    assert found.memories[0].score == pytest.approx(sum(found.memories[0].contributions.values()))


def test_a_context_holds_the_same_memories(known: Known) -> None:
    with known.daemon.client() as client:
        found = client.recall("Darjeeling beverage")
        context = client.context("Darjeeling beverage")
    assert context.ids == [memory.id for memory in found.memories]
    first, *lines, last = context.block.split("\n")
    assert (first, last) == ("<memory>", "</memory>")
    assert [line.partition("] ")[2] for line in lines] == [memory.content for memory in found.memories]


def test_an_erased_memory_leaves_neither_words_nor_vectors(known: Known) -> None:
    with known.daemon.client("erasing") as client:
        id_ = client.store(f"the password of the safe is {CANARY}").id
        kept = client.store("the safe stands in the cellar").id
        embedded(client)
        held = vectors(known.daemon, id_)
        assert held
        assert client.recall("what opens the safe?", floor=0.0).semantic
        assert client.erase(id_).outcome == "erased"
        assert vectors(known.daemon, id_) == []
        assert vectors(known.daemon, kept)
        assert id_ not in [memory.id for memory in client.recall("password of the safe", floor=0.0).memories]
        assert traces(known.daemon.data, (CANARY,)) == []
        files = b"".join(path.read_bytes() for path in known.daemon.data.rglob("*") if path.is_file())
        assert [vector[:32] in files for _, vector in held] == [False] * len(held)
        assert client.verify().ok


def test_every_recall_is_recorded_once_with_its_ids_in_order(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        client.store_many(FACTS)
        head = client.store("Ben's beverage is coffee").seq
        stream = client.subscribe(from_seq=head + 1)
        asked = time.time()
        answers = [
            client.recall(query, floor=0.0) for query in ("beverage", "train to Lisbon", "xylophone", "beverage")
        ]
        events = [next(stream) for _ in answers]
        stream.close()
    assert {event.type for event in events} == {"memory.recalled"}
    told = [event.payload["ids"] for event in events if event.payload]
    assert told == [[memory.id for memory in answer.memories] for answer in answers]
    assert [len(ids) for ids in told[:3]] == [2, 1, 0]
    assert events[-1].at / 1e6 - asked < 5


def test_a_recall_just_before_a_stop_is_recorded(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        client.store_many(FACTS)
        found = client.recall("staging rebuilt")
    assert daemon.stop() == 0
    with start().client() as client:
        (recalled,) = [event for event in client.events().events if event.type == "memory.recalled"]
    assert recalled.payload is not None
    assert recalled.payload["ids"] == [memory.id for memory in found.memories] == [FACTS.index(FACTS[5]) + 1]
    assert recalled.payload["profile"] == "adaptive"
