"""The worker process: real ones, killed, stopped and made to fail."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from reveried.embed import process
from reveried.embed.errors import EmbedderUnavailable, TextsRefused
from reveried.embed.process import WorkerEmbedder
from reveried.embed.resolve import HASHING

FAULTY = str(Path(__file__).parent / "faulty")
PATIENT = 30.0


@pytest_asyncio.fixture
async def embedder(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WorkerEmbedder]:
    monkeypatch.setenv("PYTHONPATH", FAULTY)
    made = WorkerEmbedder(HASHING, idle=60.0)
    yield made
    await made.close()


def worker_of(embedder: WorkerEmbedder) -> int:
    pid = embedder.condition.pid
    assert pid is not None
    return pid


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENT):
        while not reached():  # noqa: ASYNC110  the states of another process send no event
            await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    """Neither running nor a zombie that nobody has asked for."""
    return not Path(f"/proc/{pid}").exists()


async def test_texts_become_vectors_of_length_one(embedder: WorkerEmbedder) -> None:
    (vector,) = await embedder.embed(["a quiet day"], PATIENT)
    numbers = memoryview(vector).cast("f").tolist()
    assert len(numbers) == embedder.dimension
    assert sum(number * number for number in numbers) == pytest.approx(1.0, abs=1e-6)
    assert embedder.condition.state == "ready"


async def test_nothing_runs_before_it_is_needed_nor_after_it_was_idle(embedder: WorkerEmbedder) -> None:
    assert embedder.condition.pid is None
    embedder.idle = 0.05
    await embedder.embed(["once"], PATIENT)
    await until(lambda: embedder.condition.state == "cold" and embedder.condition.pid is None)
    assert len(await embedder.embed(["and again"], PATIENT)) == 1


async def test_a_killed_worker_is_replaced_and_the_batch_it_held_is_answered(embedder: WorkerEmbedder) -> None:
    await embedder.embed(["before"], PATIENT)
    first = worker_of(embedder)
    os.kill(first, signal.SIGSTOP)  # so that the batch is surely with this one
    asked = asyncio.create_task(embedder.embed(["held by the first"], PATIENT))
    await until(lambda: embedder._silence is not None)
    os.kill(first, signal.SIGKILL)
    assert len(await asked) == 1
    assert worker_of(embedder) != first
    assert is_gone(first)
    assert embedder.condition.restarts == 1
    assert embedder.condition.reason.startswith("the hashing embedder"), "all is well again"


async def test_a_hung_worker_costs_a_question_no_more_than_its_deadline_and_is_replaced_soon(
    embedder: WorkerEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SUSPECT", 0.3)
    monkeypatch.setattr(process, "SUSPECT_TIMES", 1.0)
    await embedder.embed(["before"], PATIENT)
    hung = worker_of(embedder)
    os.kill(hung, signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["a question"], 0.1, urgent=True)
    assert time.monotonic() - started < 1.0
    await until(lambda: embedder.condition.restarts == 1 and embedder.condition.state == "ready")
    assert is_gone(hung)
    assert time.monotonic() - started < process.HUNG / 2
    assert len(await embedder.embed(["a question"], PATIENT, urgent=True)) == 1


async def test_a_question_in_time_leaves_a_slow_batch_alone(embedder: WorkerEmbedder) -> None:
    await embedder.embed(["before"], PATIENT)
    first = worker_of(embedder)
    os.kill(first, signal.SIGSTOP)
    slow = asyncio.create_task(embedder.embed(["a memory"], PATIENT))
    await until(lambda: embedder._silence is not None)
    os.kill(first, signal.SIGCONT)
    assert len(await slow) == 1
    assert worker_of(embedder) == first


@pytest.mark.parametrize("text", ["poison", "abort"])
async def test_a_text_that_ends_the_worker_twice_is_given_up_and_the_others_are_not(
    embedder: WorkerEmbedder, text: str
) -> None:
    with pytest.raises(TextsRefused, match="2 times"):
        await embedder.embed([text], PATIENT)
    with pytest.raises(TextsRefused):
        await embedder.embed([text], PATIENT)
    assert len(await embedder.embed(["a sound text"], PATIENT)) == 1
    assert embedder.condition.restarts == 2, "the third time it was not even tried"


async def test_the_last_words_of_a_worker_are_told(embedder: WorkerEmbedder) -> None:
    asked = asyncio.create_task(embedder.embed(["poison"], PATIENT))
    await until(lambda: "ArithmeticError: this text cannot be embedded" in embedder.condition.reason)
    with pytest.raises(TextsRefused):
        await asked


async def test_questions_go_before_memories(embedder: WorkerEmbedder) -> None:
    order: list[str] = []

    async def ask(name: str, urgent: bool) -> None:
        await embedder.embed([name], PATIENT, urgent=urgent)
        order.append(name)

    memories = [asyncio.create_task(ask(f"memory {number}", False)) for number in range(20)]
    await asyncio.sleep(0)
    await asyncio.gather(asyncio.create_task(ask("question", True)), *memories)
    assert order[0] == "question"


async def test_closing_tells_everyone_who_waits_and_leaves_no_process(embedder: WorkerEmbedder) -> None:
    await embedder.embed(["before"], PATIENT)
    pid = worker_of(embedder)
    os.kill(pid, signal.SIGSTOP)
    waiting = [asyncio.create_task(embedder.embed([f"text {number}"], PATIENT)) for number in range(3)]
    await until(lambda: embedder._silence is not None)
    await embedder.close()
    for asked in waiting:
        with pytest.raises(EmbedderUnavailable, match="replaced"):
            await asked
    assert is_gone(pid)
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["too late"], PATIENT)


async def test_a_model_that_cannot_be_loaded_is_refused_once_and_not_started_again(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("no tokenizer")
    broken = WorkerEmbedder(msgspec.structs.replace(HASHING, runtime="onnx", directory=str(tmp_path)), 60.0)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="the model was refused"):
            await broken.embed(["a text"], PATIENT)
    assert (broken.condition.state, broken.condition.restarts) == ("failed", 0)
    await until(lambda: broken.condition.pid is None)
    await broken.close()


async def test_vectors_of_another_length_than_the_manifest_says_are_refused() -> None:
    manifest = msgspec.structs.replace(HASHING.manifest, dimension=12)
    wrong = WorkerEmbedder(msgspec.structs.replace(HASHING, manifest=manifest), 60.0)
    with pytest.raises(EmbedderUnavailable, match="its manifest says 12 numbers"):
        await wrong.embed(["a text"], PATIENT)
    await wrong.close()


async def test_templates_tell_questions_from_memories() -> None:
    manifest = msgspec.structs.replace(HASHING.manifest, query_template="query: {}", text_template="passage: {}")
    templated = WorkerEmbedder(msgspec.structs.replace(HASHING, manifest=manifest), 60.0)
    plain = WorkerEmbedder(HASHING, 60.0)
    try:
        assert await templated.embed(["a {} b"], PATIENT) == await plain.embed(["passage: a {} b"], PATIENT)
        assert await templated.embed(["a"], PATIENT, urgent=True) == await plain.embed(["query: a"], PATIENT)
    finally:
        await templated.close()
        await plain.close()
