"""The same work done by our daemon, as a client over its socket sees it."""

import time
from pathlib import Path

from bench.peers.work import Served, Space, Work
from bench.serving import started
from reverie import Client
from running import RunningDaemon

BATCH = 1_000


def served(work: Work, runtime: str) -> Served:
    """Nothing comes from the cache of answers; every question is new to the embedder too, as it is to the peers."""
    daemon = RunningDaemon(Path(work.home), config=f"recall: {{cache: 0}}\nembedding: {{runtime: {runtime}}}\n")
    began = time.perf_counter()
    with started(daemon):
        ready = time.perf_counter() - began
        singly, batched, places = _stored(daemon, work)
        asked: list[float] = []
        rankings = [_answers(daemon, space, work.limit, places, asked) for space in work.spaces]
        return Served(ready, singly, batched, daemon.resident_bytes / 1024**2, asked, rankings)


def _stored(daemon: RunningDaemon, work: Work) -> tuple[float, float, dict[int, int]]:
    places: dict[int, int] = {}
    singly = batched = 0.0
    for number, space in enumerate(work.spaces):
        alone = work.singly if number == 0 else 0
        with daemon.client(namespace=space.name, timeout=600) as client:
            began = time.perf_counter()
            for at, text in enumerate(space.texts[:alone]):
                places[client.store(text, wait="durable", dedup=False).id] = at
            singly += time.perf_counter() - began
            began = time.perf_counter()
            for at in range(alone, len(space.texts), BATCH):
                drafts = [{"content": text, "dedup": False} for text in space.texts[at : at + BATCH]]
                found = client.store_many(drafts).results
                places.update({one.id: at + beside for beside, one in enumerate(found)})
            batched += time.perf_counter() - began
            _settled(client)
    return singly, batched, places


def _settled(client: Client) -> None:
    """Until everything has its vector: a search before that would be a lighter one."""
    while client.status().embedder["events_behind"]:
        time.sleep(0.2)


def _answers(
    daemon: RunningDaemon, space: Space, limit: int, places: dict[int, int], asked: list[float]
) -> list[list[int]]:
    rankings = []
    with daemon.client(namespace=space.name, timeout=600) as client:
        for question in space.questions:
            began = time.perf_counter()
            found = client.recall(question, limit=limit, token_budget=1_000_000, floor=0.0).memories
            asked.append((time.perf_counter() - began) * 1000)
            rankings.append([places[one.id] for one in found[:limit]])
    return rankings
