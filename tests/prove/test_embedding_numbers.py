"""What the embedder costs, measured with the real model under a real daemon; only the memory is held to a bound."""

import random
import time
from collections.abc import Callable
from pathlib import Path

from reveried.embed.manifest import MINILM
from reveried.embed.process import WorkerEmbedder
from reveried.embed.resolve import Model, carried_models
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
WORDS = "harbour lamp oil winter fog engine letter garden bridge kitchen promise ticket window paper market".split()
BATCH = 8


def remarks(count: int) -> list[str]:
    """Of the lengths that conversations have: mostly short, now and then long."""
    drawn = random.Random(7)
    return [
        " ".join(drawn.choices(WORDS, k=drawn.choice((6, 10, 15, 15, 25, 40, 120)))) + f" {number}"
        for number in range(count)
    ]


def resident(pid: object, what: str = "VmRSS") -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(what)) / 1024


def until(reached: Callable[[], bool]) -> float:
    started = time.monotonic()
    while not reached():
        assert time.monotonic() - started < 600
        time.sleep(0.01)
    return time.monotonic() - started


def test_a_daemon_with_a_model_costs_this_much(start: Start, say: Callable[[str], None], full: bool) -> None:
    count = 5_000 if full else 400
    running = start(config="embedding: {runtime: onnx, idle: 2.0}\n")
    with running.client() as client:
        client.store_many([{"content": text} for text in remarks(count)])
        took = until(lambda: client.status().embedder["to_do"] == 0)
        worker = client.status().embedder["pid"]
        peak = resident(worker, "VmHWM")
        say(f"backlog of {count}: {count / took:.0f} memories/s; worker at most {peak:.0f} MB")
    running.stop()
    running.start()
    with running.client() as client:
        started = time.monotonic()
        until(lambda: client.recall("where is the lamp", floor=0.0).semantic)
        say(f"first semantic answer {time.monotonic() - started:.2f} s after READY")
        until(lambda: client.status().embedder["pid"] is None)
        idle = running.resident_bytes / 1e6
        say(f"idle daemon, worker gone, {count} memories with vectors: {idle:.0f} MB")
        assert idle <= 80 + count * 384 * 4 / 1e6
        assert peak < 450


async def test_batches_of_like_length_save_padding(say: Callable[[str], None]) -> None:
    embedder = WorkerEmbedder(Model(MINILM, "onnx", str(carried_models()[0])), 60.0)
    try:
        await embedder.embed(["warm"], 60.0)
        texts = remarks(64)
        times = {"as they came": 0.0, "by length": 0.0}
        for _ in range(5):
            for name, order in (("as they came", texts), ("by length", sorted(texts, key=len))):
                started = time.monotonic()
                for at in range(0, len(order), BATCH):
                    await embedder.embed(order[at : at + BATCH], 60.0)
                times[name] += time.monotonic() - started
        ratio = times["as they came"] / times["by length"]
        say(f"64 texts of a turn, by length: {64 * 5 / times['by length']:.0f} texts/s, {ratio:.2f} x as they came")
        assert ratio > 1.0
    finally:
        await embedder.close()
