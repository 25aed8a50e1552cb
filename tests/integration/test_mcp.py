"""The bridge as an agent runs it: a process on pipes, against the real daemon."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from running import RunningDaemon
from unit.mcp import fuzzing

COMMAND = [sys.executable, "-m", "reverie.cli", "mcp"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Agent:
    def __init__(self, environ: dict[str, str], *flags: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*COMMAND, *flags], env=environ, stdin=pipe, stdout=pipe, stderr=pipe)
        self._count = 0

    def ask(self, method: str, **params: Any) -> Any:
        self._count += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}).encode())
        answer = self.hear()
        assert answer["id"] == self._count
        return answer

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def leave(self) -> tuple[bytes, bytes]:
        return self.process.communicate(timeout=30)


@contextmanager
def agent(environ: dict[str, str], *flags: str) -> Iterator[Agent]:
    one = Agent(environ, *flags)
    try:
        yield one
    finally:
        one.process.kill()
        one.leave()


def test_what_one_agent_saves_another_finds(daemon: RunningDaemon) -> None:
    with agent(daemon.environ) as first:
        first.ask("initialize", **HELLO)
        assert first.call("memory_save", content="The gate code is heron 42")["content"][0]["text"] == "[id:1] stored"
    with agent(daemon.environ) as second:
        (found,) = second.call("memory_search", query="what is the gate code?")["structuredContent"]["memories"]
        assert (found["id"], found["content"]) == (1, "The gate code is heron 42")
        assert second.call("memory_forget", id=1)["content"][0]["text"] == "[id:1] deleted"
        assert second.call("memory_search", query="gate code")["structuredContent"]["memories"] == []


def test_namespaces_come_from_the_flag_or_the_environment(daemon: RunningDaemon) -> None:
    with agent(daemon.environ, "--namespace", "work") as one:
        one.call("memory_save", content="the code word is heron")
    with agent(daemon.environ | {"REVERIE_NAMESPACE": "work"}) as same:
        assert len(same.call("memory_search", query="heron")["structuredContent"]["memories"]) == 1
    with agent(daemon.environ) as other:
        assert other.call("memory_search", query="heron")["structuredContent"]["memories"] == []


def test_the_end_of_input_ends_the_bridge_after_its_last_answer(daemon: RunningDaemon) -> None:
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}]
    for number in range(2, 30):
        call = {"name": "memory_save", "arguments": {"content": f"note {number}"}}
        asked.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    ran = subprocess.run(
        COMMAND, env=daemon.environ, input="\n".join(map(json.dumps, asked)).encode(), capture_output=True, check=False
    )
    assert ran.returncode == 0
    assert {json.loads(line)["id"] for line in ran.stdout.splitlines()} == set(range(1, 30))


def test_a_daemon_that_restarts_is_not_noticed(daemon: RunningDaemon) -> None:
    with agent(daemon.environ, "--no-start") as one:
        one.call("memory_save", content="before")
        daemon.kill()
        daemon.start()
        assert one.call("memory_save", content="after")["isError"] is False


def test_a_daemon_that_is_not_there_is_started(daemon: RunningDaemon) -> None:
    daemon.stop()
    log = Path(daemon.socket).parent / "reveried.log"
    with agent(daemon.environ) as one, agent(daemon.environ) as other:
        one.write(json.dumps(_save(7)).encode())
        assert other.call("memory_save", content="and so is this")["isError"] is False
        assert one.hear()["result"]["isError"] is False
        with daemon.client() as client:
            pid = client.status().pid
    try:
        with daemon.client() as client:
            assert client.status().pid == pid, "it outlives the bridges"
        assert b"serving" in log.read_bytes()
    finally:
        os.kill(pid, signal.SIGTERM)


def _save(number: int) -> dict[str, Any]:
    params = {"name": "memory_save", "arguments": {"content": "this is kept"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.parametrize("flags", [["--no-start"], []])
def test_where_none_can_be_started_the_error_says_what_to_do(daemon: RunningDaemon, flags: list[str]) -> None:
    daemon.stop()
    # A data directory that is a file: whoever starts here must fail.
    environ = daemon.environ | {"REVERIE_DATA": __file__}
    with agent(environ, *flags) as one:
        result = one.call("memory_search", query="heron")
        assert result["isError"] is True
        assert result["_meta"]["reverie/error"]["code"] == "daemon_unavailable"
        assert "reveried" in result["content"][0]["text"]
        assert one.ask("ping")["result"] == {}


def test_fuzzed_input_leaves_the_bridge_alive_and_its_output_clean(daemon: RunningDaemon) -> None:
    assert_survives(daemon, 1_000, seed=1)


def assert_survives(daemon: RunningDaemon, count: int, seed: int) -> None:
    last = json.dumps({"jsonrpc": "2.0", "id": "last", "method": "tools/list"}).encode()
    ran = subprocess.run(
        COMMAND, env=daemon.environ, input=b"".join(fuzzing.lines(count, seed)) + last, capture_output=True, check=False
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    flat = [one for answer in answers for one in (answer if isinstance(answer, list) else [answer])]
    assert ran.returncode == 0
    assert all(one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one) for one in flat)
    assert any(one["id"] == "last" for one in flat)
    assert -32603 not in {one["error"]["code"] for one in flat if "error" in one}
    assert b"Traceback" not in ran.stderr


HEAVY = ("asyncio", "mcp", "pydantic", "logging", "numpy", "yaml", "http", "ssl", "subprocess", "shutil", "reveried")
LATER = ("msgspec", "socket", "datetime", "reverie.client", "reverie.protocol.results")


@pytest.mark.parametrize(
    ("asked", "absent"), [(["initialize"], HEAVY + LATER), (["initialize", "tools/list", "tools/call"], HEAVY)]
)
def test_nothing_heavy_is_loaded_and_nothing_else_before_the_handshake(
    daemon: RunningDaemon, asked: list[str], absent: tuple[str, ...]
) -> None:
    program = (
        "import sys; from reverie.cli.main import main; main(['mcp']);"
        f"print([name for name in {absent!r} if name in sys.modules], file=sys.stderr)"
    )
    params = {**HELLO, "name": "memory_search", "arguments": {"query": "tea"}}
    lines = [json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}) for method in asked]
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=daemon.environ,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(ran.stdout.splitlines()) == len(asked)
    assert ran.stderr == "[]\n"


def test_what_else_prints_does_not_reach_the_client(daemon: RunningDaemon) -> None:
    program = (
        "import os, sys; from reverie.mcp import lines; whole = lines.claimed_stdout;"
        "lines.claimed_stdout = lambda: (whole(), print('stray', flush=True), os.system('echo stray too'))[0];"
        "from reverie.cli.main import main; sys.exit(main(['mcp']))"
    )
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    ran = subprocess.run(
        [sys.executable, "-c", program], env=daemon.environ, input=ping, capture_output=True, check=False
    )
    assert json.loads(ran.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ran.stderr.count(b"stray") == 2


def test_hooks_keep_what_was_said_and_give_it_back(daemon: RunningDaemon, tmp_path: Path) -> None:
    said = tmp_path / "transcript.jsonl"
    turns = [("user", "Which port does the shop use?"), ("assistant", "The shop listens on port 4242.")]
    said.write_text("".join(json.dumps({"role": role, "content": words}) + "\n" for role, words in turns))
    payload = {"session_id": "s1", "transcript_path": str(said), "cwd": "/home/ada/shop"}
    with daemon.client() as client:
        client.store("Ada wants short answers", kind="preference")
    for event in ("stop", "pre-compact", "stop"):
        assert hook(daemon, event, payload) == ""
    with daemon.client() as client:
        assert [memory.session_id for memory in client.list().memories] == ["s1", None]
    told = json.loads(hook(daemon, "session-start", payload | {"source": "compact"}))
    context = told["hookSpecificOutput"]["additionalContext"]
    assert "Ada wants short answers" in context
    assert "port 4242" in context


def hook(daemon: RunningDaemon, event: str, payload: dict[str, Any]) -> str:
    # The machine under test may be busy; how long a hook may take is tested elsewhere.
    command = [*COMMAND[:-1], "hook", event, "--deadline", "10000"]
    ran = subprocess.run(
        command, env=daemon.environ, input=json.dumps(payload).encode(), capture_output=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode()
