"""What the tests of the bridge share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.client import Client
from unit.client.peer import Asked, Peer
from unit.mcp.talking import Talk

Talking = Callable[[Callable[[Asked], Any]], tuple[Talk, Peer]]


@pytest.fixture
def talking(tmp_path: Path) -> Iterator[Talking]:
    """A bridge whose daemon answers as scripted."""
    made: list[tuple[Talk, Peer]] = []

    def begin(answer: Callable[[Asked], Any]) -> tuple[Talk, Peer]:
        peer = Peer(tmp_path, answer)
        talk = Talk(lambda: Client(peer.path, namespace="here", name="mcp", timeout=5))
        made.append((talk, peer))
        return talk, peer

    yield begin
    for talk, peer in made:
        peer.hang_up()
        talk.close()
        peer.close()


@pytest.fixture
def talk(talking: Talking) -> Talk:
    """A bridge that has no need of a daemon."""
    return talking(lambda request: None)[0]
