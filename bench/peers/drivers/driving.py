"""Drives one peer through the work on standard input. Runs in the peer's own environment: nothing of ours is there."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

Found = list[int]  # places of texts, best first


class Peer(Protocol):
    """Names what a peer can do; `batch` is how many texts it takes at once."""

    batch: int

    def store(self, space: dict[str, Any], first: int, texts: list[str]) -> None: ...

    def ask(self, space: dict[str, Any], question: int, limit: int) -> Found: ...

    def resident_mb(self) -> float: ...


def drive(make: Callable[[str], Peer]) -> None:
    work = json.load(sys.stdin)
    started = time.perf_counter()
    peer = make(work["home"])
    ready = time.perf_counter() - started
    singly, batched = _stored(peer, work["spaces"], work["singly"])
    asked: list[float] = []
    rankings = [list(_answers(peer, space, work["limit"], asked)) for space in work["spaces"]]
    found = {"ready": ready, "singly": singly, "batched": batched, "resident": peer.resident_mb()}
    json.dump({**found, "asked": asked, "rankings": rankings}, sys.stdout)


def _stored(peer: Peer, spaces: list[dict[str, Any]], alone: int) -> tuple[float, float]:
    singly = batched = 0.0
    for place, space in enumerate(spaces):
        texts, first = space["texts"], alone if place == 0 else 0
        started = time.perf_counter()
        for at in range(first):
            peer.store(space, at, texts[at : at + 1])
        singly += time.perf_counter() - started
        started = time.perf_counter()
        for at in range(first, len(texts), peer.batch):
            peer.store(space, at, texts[at : at + peer.batch])
        batched += time.perf_counter() - started
    return singly, batched


def _answers(peer: Peer, space: dict[str, Any], limit: int, asked: list[float]) -> Iterator[Found]:
    for question in range(len(space["questions"])):
        started = time.perf_counter()
        found = peer.ask(space, question, limit)
        asked.append((time.perf_counter() - started) * 1000)
        yield found


def resident_mb(pid: int) -> float:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
