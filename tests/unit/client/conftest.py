"""Peers that are gone when the test is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from unit.client.peer import Asked, Peer


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Callable[[Callable[[Asked], Any]], Peer]]:
    started: list[Peer] = []

    def start(answer: Callable[[Asked], Any]) -> Peer:
        started.append(Peer(tmp_path, answer))
        return started[-1]

    yield start
    for one in started:
        one.close()
