"""The program as a whole: flags anywhere, exit codes that mean something, and little to load."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie import __version__
from reverie.cli.catalog import COMMANDS
from unit.cli.conftest import Reverie
from unit.cli.samples import memory_view, recalled, recalled_memory
from unit.client.peer import Asked, Peer, ok, refused

Start = Callable[[Callable[[Asked], Any]], Peer]
REPO = Path(__file__).parents[3]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str, reverie: Reverie) -> None:
    ran = reverie(name, "--help")
    assert ran.code == 0
    assert f"usage: reverie {name}" in ran.out
    assert name == "service" or f"examples:\n  reverie {name}" in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_overview_and_in_the_documentation(name: str, reverie: Reverie) -> None:
    assert f"\n  {name} " in reverie("--help").out
    documented = (REPO / "docs" / "cli.md").read_text()
    assert f"## {name}\n" in documented or f"### {name}\n" in documented
    assert f"reverie {name}" in documented


@pytest.mark.parametrize("arguments", [["--version"], ["recall", "--version"]])
def test_the_version_is_told(arguments: list[str], reverie: Reverie) -> None:
    assert reverie(*arguments).out == f"reverie {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "-n", "team", "--timeout", "5", "ping"],
        ["ping", "--json", "-n", "team", "--timeout", "5"],
        ["--json", "ping", "--namespace=team"],
    ],
)
def test_shared_flags_stand_before_or_after_the_command(arguments: list[str], peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, {"head": 4}))
    ran = reverie(*arguments)
    assert ran.json["head"] == 4
    assert daemon.greeted[0]["namespace"] == "team"


def test_the_socket_flag_wins_over_the_environment(
    peer: Start, reverie: Reverie, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = peer(lambda asked: ok(asked, {"head": 4}))
    monkeypatch.setenv("REVERIE_SOCKET", "/nowhere.sock")
    assert reverie("ping", "--socket", daemon.path).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["recal", "x"], "did you mean `recall`?"),
        (["xyzzy"], "reverie --help"),
        (["--json"], "which command?"),
        (["get"], "ID"),
        (["get", "twelve"], "not a memory id"),
        (["ping", "--timeout", "soon"], "seconds"),
        (["recall", "x", "--since", "someday"], "not a time"),
        (["store"], "nothing to store"),
        (["store", "x", "--metadata", "[1]"], "not a JSON object"),
        (["store", "x", "--level", "3", "--importance", "0.5"], "not allowed"),
        (["update", "3"], "nothing to change"),
        (["erase", "3"], "--yes"),
        (["config", "path", "file.yaml"], "takes no file"),
        (["service", "dance"], "dance"),
        (["service", "instal"], "did you mean `install`"),
        (["recall", "x", "--explian"], "did you mean `--explain`"),
        (["resolve", "4", "--mode", "use_nw"], "did you mean `use_new`?"),
        (["config", "relod"], "did you mean `reload`?"),
        (["export", "--format", "cobol"], "one of jsonl, events, markdown"),
        (["why"], "e.g. `reverie why"),
    ],
)
def test_a_mistake_in_the_arguments_exits_2_and_says_what_to_do(
    arguments: list[str], said: str, reverie: Reverie
) -> None:
    ran = reverie(*arguments, stdin=b"")
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err


@pytest.mark.parametrize(
    ("code", "exits"), [("not_found", 3), ("wrong_state", 1), ("read_only", 1), ("from_the_future", 1)]
)
def test_what_the_daemon_refuses_decides_the_exit_code(code: str, exits: int, peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: refused(asked, code, "no such thing", field="memory", hint="try another"))
    plain, scripted = reverie("pin", "9"), reverie("pin", "9", "--json")
    assert (plain.code, scripted.code) == (exits, exits)
    assert "no such thing" in plain.err
    assert "try another" in plain.err
    assert scripted.err == (
        f'{{"error":{{"code":"{code}","message":"no such thing","field":"memory","hint":"try another"}}}}\n'
    )


def test_no_daemon_exits_69_and_says_how_to_start_one(reverie: Reverie) -> None:
    ran = reverie("ping")
    assert ran.code == 69
    assert "reverie service start" in ran.err


def test_one_bad_id_does_not_stop_the_others(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        memory = asked["memory"]
        return refused(asked, "not_found", "no memory 2") if memory == 2 else ok(asked, memory_view(memory))

    peer(answer)
    ran = reverie("get", "1", "2", "3")
    assert ran.code == 3
    assert "[id:1]" in ran.out
    assert "[id:3]" in ran.out
    assert "no memory 2" in ran.err


def test_help_is_a_command_too(reverie: Reverie) -> None:
    assert "usage: reverie recall" in reverie("help", "recall").out
    assert reverie("help").out == reverie("--help").out


def test_ctrl_c_exits_130_without_a_traceback(peer: Start, reverie: Reverie) -> None:
    def interrupt(asked: Asked) -> Any:
        import signal

        os.kill(os.getpid(), signal.SIGINT)
        return []

    peer(interrupt)
    ran = reverie("status")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_a_reader_that_stops_early_is_no_error(peer: Start) -> None:
    many = [memory_view(number, "x" * 2_000) for number in range(1, 101)]
    daemon = peer(lambda asked: ok(asked, {"memories": many}))
    command = f"{sys.executable} -m reverie.cli list --limit 100 --socket {daemon.path} | head -1"
    ran = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("[id:1]")


HEAVY = {
    "asyncio", "yaml", "numpy", "sqlite3", "subprocess", "dataclasses", "json", "random", "logging", "difflib",
    "shutil", "tempfile", "inspect", "ast", "typing_extensions", "concurrent", "multiprocessing", "email",
    "http", "pathlib", "urllib", "hashlib", "ssl", "importlib.metadata", "importlib.util",
}  # fmt: skip
# Beside what Python itself begins with, and half of it is msgspec's. Each further one is time before the first word.
MODULES = 98
HOT = {
    "recall": (["recall", "tea"], ""),
    "store": (["store", "Ada prefers tea"], ""),
    "session-start": (["hook", "session-start"], '{"cwd": "/home/ada/app"}'),
    "prompt-submit": (["hook", "prompt-submit"], '{"prompt": "what does Ada drink?"}'),
}


@pytest.mark.parametrize("name", HOT)
def test_what_is_run_most_often_loads_nothing_heavy(name: str, peer: Start) -> None:
    arguments, stdin = HOT[name]
    daemon = peer(_hot_answer)
    program = (
        "import sys; first = set(sys.modules); from reverie.cli.main import main;"
        f"sys.argv[1:] = {[*arguments, '--socket', daemon.path, *_unhurried(arguments)]!r}; code = main();"
        "print(*{name for name, module in sys.modules.items() if module} - first, file=sys.stderr); sys.exit(code)"
    )
    ran = subprocess.run([sys.executable, "-c", program], input=stdin, capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    assert sorted(loaded & HEAVY) == []
    assert len(loaded) <= MODULES, sorted(loaded)
    assert "12" in ran.stdout


def _unhurried(arguments: list[str]) -> list[str]:
    return ["--deadline", "20000"] if arguments[0] == "hook" else []


def _hot_answer(asked: Asked) -> Any:
    match asked["op"]:
        case "recall":
            return ok(asked, recalled(recalled_memory()))
        case "list":
            return ok(asked, {"memories": [memory_view()]})
    return ok(asked, {"id": 12, "outcome": "stored", "seq": 12})
