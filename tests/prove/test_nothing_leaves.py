"""Nothing leaves the machine: no process of ours makes a socket that could, unless a summariser was named."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import reverie
from integration.test_embedding import caught_up
from running import QUIET, RunningDaemon

SOURCE = Path(__file__).with_name("sockets.c")
JOBS = ("decay", "sleep", "consolidate", "prune", "purge", "snapshot", "maintain")
CALLS = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "bell"}},
    },
)
LONG = "The bell hangs in the tower. It was cast in spring. It is rung at noon. Nobody knows who paid for it. "


class Sockets:
    """The families of all sockets but Unix ones that were made by whoever has `environ`."""

    def __init__(self, shim: Path, seen: Path) -> None:
        self._seen = seen
        self.environ = {"LD_PRELOAD": str(shim), "SOCKETS_SEEN": str(seen)}

    @property
    def families(self) -> list[str]:
        return self._seen.read_text().split() if self._seen.exists() else []


@pytest.fixture
def sockets(tmp_path: Path) -> Sockets:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler to build the witness with")
    shim = tmp_path / "sockets.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", shim, SOURCE, "-ldl"], check=True)
    return Sockets(shim, tmp_path / "seen")


@contextmanager
def served(home: Path, config: str, sockets: Sockets) -> Iterator[tuple[RunningDaemon, reverie.Client]]:
    daemon = RunningDaemon(home, config=f"{QUIET['jobs']}{config}", environ=sockets.environ)
    try:
        daemon.start()
        with daemon.client(timeout=60) as client:
            yield daemon, client
    finally:
        daemon.end()


def test_nothing_but_unix_sockets_is_made(tmp_path: Path, sockets: Sockets, say: Callable[[str], None]) -> None:
    """A daemon with its model, every job, the command line and the bridge."""
    with served(tmp_path / "home", "embedding: {runtime: auto}\nlinks: {propose: true}\n", sockets) as (daemon, client):
        client.store("Ada rings the bell at noon", wait="enriched")
        client.ingest(LONG * 20)
        caught_up(client)
        assert client.recall("who makes the noise at midday?", floor=0.0).semantic
        for job in JOBS:
            client.run(job)
        client.rebuild()
        assert client.verify().ok
        programs = [["doctor"], ["recall", "bell"], ["backup"], ["status"]]
        for words in programs:
            subprocess.run(
                [sys.executable, "-m", "reverie.cli", *words], env=daemon.environ, check=True, stdout=subprocess.DEVNULL
            )
        assert b"Ada" in _bridge(daemon)
        assert client.status().embedder["state"] == "ready"
    assert sockets.families == []
    say(f"0 sockets but Unix ones: the daemon, its model, {len(JOBS)} jobs, {len(programs)} commands, the bridge")


def test_a_summariser_that_was_named_is_reached(tmp_path: Path, sockets: Sockets) -> None:
    """So that the witness is known to see what leaves."""
    config = f"summariser: {{url: 'http://127.0.0.1:9/v1', model: nobody}}\n{QUIET['embedding']}"
    with served(tmp_path / "home", config, sockets) as (_, client):
        client.store("the bell rings", session_id="monday")
        client.session_end("monday")
    assert sockets.families != []


def _bridge(daemon: RunningDaemon) -> bytes:
    lines = "".join(json.dumps(call) + "\n" for call in CALLS)
    command = [sys.executable, "-m", "reverie.cli", "mcp"]
    return subprocess.run(command, input=lines.encode(), env=daemon.environ, capture_output=True, check=True).stdout
