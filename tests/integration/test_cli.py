"""The program against the real daemon: what a person types, in the order they would."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from running import RunningDaemon

Reverie = Callable[..., "subprocess.CompletedProcess[str]"]
COMMAND = [sys.executable, "-m", "reverie.cli"]


@pytest.fixture
def reverie(daemon: RunningDaemon) -> Reverie:
    def run(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*COMMAND, *arguments], env=daemon.environ, input=stdin, capture_output=True, text=True, check=False
        )

    return run


def answer(reverie: Reverie, *arguments: str, stdin: str = "") -> Any:
    ran = reverie(*arguments, "--json", stdin=stdin)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_memory_is_stored_recalled_changed_and_let_go(reverie: Reverie) -> None:
    stored = answer(reverie, "store", "Ada prefers oolong tea", "--kind", "preference", "--tag", "ada")
    memory = str(stored["id"])
    assert stored["outcome"] == "stored"
    (found,) = answer(reverie, "recall", "oolong")["memories"]
    assert (found["id"], found["kind"]) == (stored["id"], "preference")
    for command, outcome in [
        (["reinforce", memory], "reinforced"),
        (["tag", memory, "tea"], "tagged"),
        (["update", memory, "Ada prefers green tea"], "updated"),
        (["pin", memory], "pinned"),
        (["unpin", memory], "unpinned"),
        (["archive", memory], "archived"),
        (["restore", memory], "restored"),
        (["delete", memory], "deleted"),
    ]:
        assert answer(reverie, *command)["outcome"] == outcome
    assert answer(reverie, "recall", "green tea")["memories"] == []
    types = [json.loads(line)["type"] for line in reverie("history", memory, "--json").stdout.splitlines()]
    assert types[0] == "memory.stored"
    assert types[-1] == "memory.deleted"
    assert answer(reverie, "erase", memory, "--yes")["outcome"] == "erased"
    assert reverie("get", memory).returncode == 3


def test_many_lines_are_many_memories_and_a_second_run_adds_none(reverie: Reverie) -> None:
    lines = "".join(f"city number {number} has a harbour\n" for number in range(1_500))
    first = reverie("store", "-", "--key", "cities", "--json", stdin=lines)
    again = reverie("store", "-", "--key", "cities", "--json", stdin=lines)
    ids = [json.loads(line)["id"] for line in first.stdout.splitlines()]
    assert len(set(ids)) == 1_500
    assert [json.loads(line)["id"] for line in again.stdout.splitlines()] == ids
    assert all(json.loads(line)["repeated"] for line in again.stdout.splitlines())
    assert len(answer(reverie, "list", "--limit", "2000")["memories"]) == 1_500
    assert len(answer(reverie, "list", "--limit", "450")["memories"]) == 450


def test_the_largest_memories_go_through_a_pipe(reverie: Reverie) -> None:
    lines = "\n".join(f"{number} " + "word " * 15_000 for number in range(30))
    ran = reverie("store", "-", "--json", stdin=lines)
    assert (ran.returncode, len(ran.stdout.splitlines())) == (0, 30)


def test_namespaces_do_not_see_each_other(reverie: Reverie) -> None:
    answer(reverie, "-n", "one", "store", "the code word is heron")
    assert answer(reverie, "recall", "heron", "-n", "two")["memories"] == []
    assert len(answer(reverie, "recall", "heron", "-n", "one")["memories"]) == 1


def test_the_daemon_proves_its_health(reverie: Reverie) -> None:
    answer(reverie, "store", "one thing")
    assert answer(reverie, "verify")["ok"] is True
    assert reverie("doctor").returncode == 0
    assert answer(reverie, "rebuild")["events"] > 0
    assert answer(reverie, "backup")["bytes"] > 0
    assert answer(reverie, "ping")["head"] > 0
    assert reverie("config", "show").returncode == 0
    assert reverie("config", "reload").returncode == 0


def test_the_past_is_rebuilt_into_a_file_beside_the_reader(reverie: Reverie, daemon: RunningDaemon) -> None:
    answer(reverie, "store", "first")
    answer(reverie, "store", "second")
    out = daemon.data.parent / "then.db"
    done = answer(reverie, "rebuild", "--to", "1", "--out", str(out))
    assert (done["upto"], out.exists()) == (1, True)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (["get", "999"], 3),
        (["reinforce", "999"], 3),
        (["store", "x", "--kind", "nonsense"], 1),
        (["store", "x", "--importance", "7"], 1),
        (["recall"], 2),
        (["rekall", "x"], 2),
    ],
)
def test_exit_codes_tell_scripts_what_happened(typed: list[str], code: int, reverie: Reverie) -> None:
    ran = reverie(*typed, "--json")
    assert (ran.returncode, ran.stdout) == (code, "")
    assert set(json.loads(ran.stderr)["error"]) == {"code", "message", "field", "hint"}


def test_a_follower_survives_a_restart_of_the_daemon_and_ends_with_ctrl_c(daemon: RunningDaemon) -> None:
    follow = [*COMMAND, "events", "--follow", "--after", "0", "--json"]
    with subprocess.Popen(follow, env=daemon.environ, stdout=subprocess.PIPE, text=True) as follower:
        assert follower.stdout is not None
        with daemon.client() as client:
            client.store("before")
            assert json.loads(follower.stdout.readline())["payload"]["content"] == "before"
            daemon.kill()
            daemon.start()
            client.store("after")
            assert json.loads(follower.stdout.readline())["payload"]["content"] == "after"
        follower.send_signal(signal.SIGINT)
        assert follower.wait(10) == 130


def test_without_a_daemon_the_exit_code_is_69(reverie: Reverie, daemon: RunningDaemon) -> None:
    daemon.stop()
    ran = reverie("status")
    assert ran.returncode == 69
    assert "reveried" in ran.stderr
