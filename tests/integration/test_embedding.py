"""The embedder under a real daemon, with the real model: cold, killed, changed, damaged, idle."""

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from reverie.protocol.results import Recalled
from reveried.embed.resolve import carried_models
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
ONNX = "embedding: {runtime: onnx}\n"
HASHING = "embedding: {runtime: hashing}\n"
PATIENT = 60.0
FACTS = (
    "The vet said that our dog is allergic to chicken",
    "We moved the standup to half past nine",
    "Grandmother's apple cake needs two cups of sugar",
    "The invoices are kept in the blue folder",
)


def until(reached: Callable[[], bool], what: str) -> None:
    """The daemon tells nobody when a model is ready or a vector made; so it is asked, up to a deadline."""
    deadline = time.monotonic() + PATIENT
    while not reached():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)


def embedder(client: reverie.Client) -> dict[str, object]:
    return client.status().embedder


def caught_up(client: reverie.Client) -> None:
    until(lambda: embedder(client)["state"] != "looking" and embedder(client)["to_do"] == 0, "all is embedded")


def meant(client: reverie.Client, query: str, **options: bool) -> Recalled:
    """The first answer that knows of meaning."""
    answers: list[Recalled] = []

    def asked() -> bool:
        answers.append(client.recall(query, floor=0.0, **options))
        return answers[-1].semantic

    until(asked, "an answer knows of meaning")
    return answers[-1]


def told(client: reverie.Client) -> list[int]:
    return [client.store(fact).id for fact in FACTS]


def loaded_libraries(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_a_start_waits_for_no_model_and_loads_nothing_heavy(start: Start) -> None:
    with start(config=ONNX).client() as client:
        pid = client.status().pid
        libraries = loaded_libraries(pid)
        assert "sqlite" in libraries, "it can be seen what is loaded"
        assert "numpy" not in libraries
        assert "onnxruntime" not in libraries
        assert embedder(client)["pid"] is None


def test_without_a_model_asking_loads_nothing_heavy_either(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        told(client)
        answer = client.recall("dog")
        assert (answer.semantic, len(answer.memories)) == (False, 1)
        assert "runtime is none" in str(answer.semantic_reason)
        assert "numpy" not in loaded_libraries(client.status().pid)


def test_what_is_meant_is_found_without_a_word_in_common(start: Start) -> None:
    with start(config=ONNX).client() as client:
        ids = told(client)
        caught_up(client)
        assert meant(client, "which food makes the pet ill").memories[0].id == ids[0]
        assert meant(client, "recipe of a dessert").memories[0].id == ids[2]


def test_a_cold_model_is_answered_without_and_says_so(start: Start) -> None:
    with start(config=ONNX + "recall: {cold_wait: 0.0}\n").client() as client:
        told(client)
        answer = client.recall("dog")
        assert answer.semantic is False
        assert "keywords" in str(answer.semantic_reason)
        assert len(answer.memories) == 1


def test_archived_memories_are_found_by_meaning_and_erased_ones_by_nothing(start: Start) -> None:
    with start(config=ONNX).client() as client:
        ids = told(client)
        caught_up(client)
        client.archive(ids[0])
        found = meant(client, "which food makes the pet ill", only_archived=True)
        assert [memory.id for memory in found.memories] == [ids[0]]
        client.erase(ids[0])
        assert client.recall("which food makes the pet ill", floor=0.0, only_archived=True).memories == []
        assert embedder(client)["embedded"] == len(FACTS) - 1


def test_killing_the_worker_again_and_again_costs_no_answer(start: Start) -> None:
    running = start(config=ONNX + "recall: {cold_wait: 0.05}\n")
    with running.client() as client:
        ids = told(client)
        caught_up(client)
        meant(client, "which food makes the pet ill")
        over = threading.Event()
        killed: set[int] = set()

        def kill() -> None:
            with running.client() as watching:
                while not over.wait(0.05):
                    pid = embedder(watching)["pid"]
                    if isinstance(pid, int) and pid not in killed:
                        os.kill(pid, signal.SIGKILL)
                        killed.add(pid)

        killer = threading.Thread(target=kill)
        killer.start()
        answers = [client.recall(f"is the dog ill, question {number}", floor=0.0) for number in range(100)]
        over.set()
        killer.join()
        assert all(ids[0] in [memory.id for memory in answer.memories] for answer in answers)
        assert all(answer.semantic or answer.semantic_reason for answer in answers)
        assert killed
        assert meant(client, "which food makes the pet ill").memories[0].id == ids[0], "it comes back"
        assert {int(pid) for pid in children(client.status().pid)}.isdisjoint(killed), "nobody is left as a zombie"


def test_an_idle_worker_goes_and_the_daemon_stays_small(start: Start) -> None:
    running = start(config="embedding: {runtime: onnx, idle: 1.0}\n")
    with running.client() as client:
        told(client)
        meant(client, "which food makes the pet ill")
        until(lambda: embedder(client)["state"] == "cold", "the worker has gone")
        assert embedder(client)["pid"] is None
        assert running.resident_bytes <= 80_000_000, f"{running.resident_bytes / 1e6:.0f} MB"
        assert meant(client, "recipe of a dessert").memories[0].id


def test_a_rebuild_calls_no_model(start: Start) -> None:
    running = start(config=HASHING)
    with running.client() as client:
        told(client)
        caught_up(client)
        client.rebuild()
    running.stop()
    for name in ("state.db", "archive.db"):
        for path in running.data.glob(f"{name}*"):
            path.unlink()
    with start().client() as client:
        caught_up(client)
        status = embedder(client)
        assert (status["embedded"], status["pid"], status["state"]) == (len(FACTS), None, "cold")


def test_another_model_takes_its_place_without_a_restart(start: Start) -> None:
    running = start(config=HASHING)
    with running.client() as client:
        ids = told(client)
        caught_up(client)
        assert embedder(client)["id"] == "hashing@1"
        running.config.write_text(running.config.read_text().replace("hashing", "onnx"))
        until(lambda: str(embedder(client)["id"]).startswith("all-MiniLM"), "the other model is in force")
        assert len(client.recall("dog").memories) == 1, "keywords answer meanwhile"
        caught_up(client)
        assert meant(client, "which food makes the pet ill").memories[0].id == ids[0]
        assert client.config().needs_restart == []


def test_a_damaged_model_is_refused_by_name_and_taken_again_when_mended(start: Start, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(carried_models()[0], model)
    tokenizer = model / "tokenizer.json"
    sound = tokenizer.read_bytes()
    tokenizer.write_bytes(sound.replace(b"a", b"b", 1))
    with start(config=f"embedding: {{runtime: onnx, model: {json.dumps(str(model))}}}\n").client() as client:
        ids = told(client)
        until(lambda: embedder(client)["state"] == "failed", "the model is refused")
        answer = client.recall("dog")
        assert (answer.semantic, [memory.id for memory in answer.memories]) == (False, [ids[0]])
        assert "tokenizer.json is not the file" in str(answer.semantic_reason)
        assert any("tokenizer.json is not the file" in line for line in client.status().degraded)
        (check,) = [check for check in client.doctor().checks if check.name == "embedder"]
        assert check.status == "warn"
        assert "reverie config reload" in str(check.fix)
        tokenizer.write_bytes(sound)
        client.reload()
        assert meant(client, "which food makes the pet ill").memories[0].id == ids[0]
        assert client.status().degraded == []


def test_a_stop_in_the_middle_of_a_backlog_is_short_and_leaves_no_process(start: Start) -> None:
    running = start(config=ONNX)
    with running.client() as client:
        client.store_many([{"content": f"remark number {number} on the weather " * 20} for number in range(200)])
        until(lambda: embedder(client)["state"] == "ready", "the worker works")
        worker = embedder(client)["pid"]
    started = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - started < 10
    assert not Path(f"/proc/{worker}").exists()


@pytest.mark.parametrize("runtime", ["none", "hashing"])
def test_the_state_of_the_embedder_is_told(start: Start, runtime: str) -> None:
    with start(config=f"embedding: {{runtime: {runtime}}}\n").client() as client:
        until(lambda: embedder(client)["state"] != "looking", "the model was looked for")
        assert {"runtime", "model", "id", "state", "reason", "embedded", "to_do"} <= embedder(client).keys()
        assert client.status().degraded, "neither is what one would want"


def test_a_cross_encoder_that_is_not_there_is_stood_in_for_and_the_answer_says_so(start: Start) -> None:
    with start(config="recall: {rerank: some/cross-encoder}\n").client() as client:
        plain = client.store("the harbour lamp is low on oil", importance=0.1).id
        dear = client.store("the harbour lamp is out of oil", importance=1.0).id
        answer = client.recall("harbour lamp oil", explain=True)
        assert (answer.reranked, [memory.id for memory in answer.memories]) == (False, [dear, plain])
        assert "there is no cross-encoder" in str(answer.rerank_reason)
        for memory in answer.memories:
            assert memory.score == pytest.approx(0.8 * memory.signals["relevance"] + 0.2 * memory.importance)


def test_no_cross_encoder_is_asked_unless_one_is_named(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        told(client)
        answer = client.recall("dog")
        assert (answer.reranked, answer.rerank_reason) == (False, None)
