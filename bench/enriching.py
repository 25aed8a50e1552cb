"""What enrichment costs: whoever stores, the embedder it goes through, and the more there is to compare with."""

import asyncio
import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path

from bench.corpus import corpus
from bench.floors import vector_pass
from bench.remembered import give_vectors, remember
from bench.retrieval.baselines import embedder
from bench.serving import started
from bench.table import Result
from reverie import AsyncClient, Client
from reveried.reactors.enrich import READER
from reveried.state.vectors import VectorStore
from running import RunningDaemon

STORED, EMBEDDED, COMPARED, KNOWN = 3_200, 1_000, 60, 100_000
BATCH = 64
WITH, WITHOUT = "embedding: {runtime: auto, idle: 3600}\n", "embedding: {runtime: none}\n"
PATIENT = "reconciling: {deadline: 60}\n"
TURN = 64
# The aim is told in passes over all vectors; and while a graph is being built, that is what would be measured.
NO_GRAPH = "recall: {graph_from: 1000000000}\n"


def measure(known: int = KNOWN) -> list[Result]:
    return [_acknowledged(), _throughput(), _compared(known)]


def _texts(count: int, after: int = 0) -> list[str]:
    return [turn.text for turn in islice(corpus(None).turns(after + count), after, None)]


def _acknowledged() -> Result:
    beside, alone = (asyncio.run(_rate(config)) for config in (WITH, WITHOUT))
    detail = f"{beside:,.0f}/s while a model embeds what was stored, {alone:,.0f}/s without one; batches of {BATCH}"
    return Result("store_many acknowledged, enrichment on / off", beside / alone, 0.8, False, detail)


async def _rate(config: str) -> float:
    texts = _texts(STORED)
    with tempfile.TemporaryDirectory() as home, started(RunningDaemon(Path(home), config=config)) as daemon:
        client = daemon.async_client(timeout=120)
        await client.store("a first one, so that the model is loaded", wait="enriched")
        began = time.perf_counter()
        await _store(client, texts)
        elapsed = time.perf_counter() - began
        await client.close()
    return len(texts) / elapsed


async def _store(client: AsyncClient, texts: list[str]) -> None:
    for start in range(0, len(texts), BATCH):
        await client.store_many(texts[start : start + BATCH])


def _throughput() -> Result:
    """The bare embedder gets the texts in the order in which a turn of the reactor hands them out."""
    texts, embed = _texts(EMBEDDED), embedder()
    embed(texts[:8])
    began = time.perf_counter()
    for start in range(0, len(texts), TURN):
        embed(sorted(texts[start : start + TURN], key=len))
    bare = len(texts) / (time.perf_counter() - began)
    with (
        tempfile.TemporaryDirectory() as home,
        started(RunningDaemon(Path(home), config=WITH + PATIENT)) as daemon,
        daemon.client(timeout=600) as client,
    ):
        client.store("a first one, so that the model is loaded", wait="enriched")
        began = time.perf_counter()
        for start in range(0, len(texts), 500):
            client.store_many(texts[start : start + 500])
        _caught_up(client)
        ours = len(texts) / (time.perf_counter() - began)
    detail = f"{ours:,.0f} memories/s stored, embedded and compared, against {bare:,.0f} texts/s embedded alone"
    return Result("enrichment / bare embedder", ours / bare, 0.8, False, detail)


def _caught_up(client: Client) -> None:
    """The finding of a last one comes after all others. While these are many nobody is made to wait for it, and to ask
    again and again would be work of its own: so first until everything has its vector."""
    while client.status().embedder["events_behind"]:
        time.sleep(0.1)
    attempt = 0
    while client.store(f"a last one, number {attempt}", wait="enriched", dedup=False).enrichment != "enriched":
        attempt += 1
        time.sleep(0.1)


def _compared(known: int) -> Result:
    few, many = _latency(COMPARED), _latency(known)
    floor = vector_pass(known, 384)
    detail = f"{many:.1f} ms a store among {known:,}, {few:.1f} ms among {COMPARED}; one pass takes {floor:.1f} ms"
    return Result(f"comparing with {known:,} / one pass over their vectors", (many - few) / floor, 3.0, True, detail)


def _latency(known: int) -> float:
    """Milliseconds until a store has its finding, its embedding included."""
    with tempfile.TemporaryDirectory() as home:
        data = Path(home, "data")
        data.mkdir(mode=0o700)
        remember(data, corpus(None), known)
        give_vectors(data, known)
        vectors = VectorStore(data / "vectors.db")
        vectors.note_read(READER, known)
        vectors.close()
        config = WITH + PATIENT + NO_GRAPH
        with started(RunningDaemon(Path(home), config=config)) as daemon, daemon.client(timeout=600) as client:
            client.store("a first one, so that everything is loaded", wait="enriched")
            samples = []
            for text in _texts(COMPARED, after=known):
                began = time.perf_counter()
                assert client.store(text, wait="enriched").enrichment == "enriched"
                samples.append((time.perf_counter() - began) * 1000)
    return statistics.median(samples)
