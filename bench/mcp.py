"""From the command to the first replies of the MCP bridge, and what it weighs, beside a server built with the SDK."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.serving import serving
from bench.starting import _resident_mb as resident_mb
from bench.table import Result
from sdk import python_with_sdk

ROUNDS = 10
ROOT = Path(__file__).resolve().parents[1]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
SEARCH = {"name": "memory_search", "arguments": {"query": "harbour"}}


class Run(NamedTuple):
    hello: float
    tools: float
    search: float
    memory: float


def measure() -> list[Result]:
    ours = [str(Path(sys.executable).with_name("reverie")), "mcp"]
    # Not with its own directory on the path: there this module would be taken for the SDK.
    theirs = [str(python_with_sdk()), "-P", str(ROOT / "bench" / "mcp_sdk_server.py")]
    with serving() as daemon:
        with daemon.client() as client:
            client.store("the harbour is open", wait="projected")
        environ = daemon.environ | {"PYTHONPATH": str(ROOT / "client")}
        runs: dict[str, list[Run]] = {"ours": [], "theirs": []}
        bare = []
        # In turns, so that whatever else the machine does meets both.
        for _ in range(ROUNDS):
            runs["ours"].append(_run(ours, environ))
            runs["theirs"].append(_run(theirs, environ))
            bare.append(_bare())
    return _results(runs["ours"], runs["theirs"], statistics.median(bare))


def _run(command: list[str], environ: dict[str, str]) -> Run:
    started = time.perf_counter()
    with subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        _ask(process, "initialize", HELLO)
        hello = time.perf_counter() - started
        _write(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        _ask(process, "tools/list", {})
        tools = time.perf_counter() - started
        answer = _ask(process, "tools/call", SEARCH)
        search = time.perf_counter() - started
        assert "harbour" in json.dumps(answer["result"]), answer
        memory = resident_mb(process.pid)
    return Run(hello, tools, search, memory)


def _ask(process: "subprocess.Popen[bytes]", method: str, params: dict[str, Any]) -> Any:
    _write(process, {"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    assert process.stdout is not None
    answer = json.loads(process.stdout.readline())
    assert answer["id"] == method, answer
    return answer


def _write(process: "subprocess.Popen[bytes]", message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _bare() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


def _results(ours: list[Run], theirs: list[Run], bare: float) -> list[Result]:
    def median(runs: list[Run], field: str) -> float:
        return statistics.median(getattr(run, field) for run in runs)

    def ratio(field: str, what: str, aim: float, more: str = "") -> Result:
        mine, other = median(ours, field), median(theirs, field)
        detail = f"{mine * 1000:.0f} ms against {other * 1000:.0f} ms{more}"
        if field == "memory":
            detail = f"{mine:.0f} MB against {other:.0f} MB, after the first search"
        return Result(what, mine / other, aim, True, detail)

    beyond = f"; a bare interpreter takes {bare * 1000:.0f} ms"
    return [
        ratio("hello", "MCP start to handshake / SDK server", 0.1, beyond),
        ratio("tools", "MCP start to list of tools / SDK server", 0.15),
        ratio("search", "MCP start to first search / SDK server", 0.15),
        ratio("memory", "MCP memory / SDK server", 1 / 3),
    ]
