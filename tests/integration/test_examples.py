"""What the documentation shows is run: the examples as programs, those in docstrings word for word."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import reverie.aio
import reverie.client
from running import RunningDaemon

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("module", [reverie.client, reverie.aio], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings_hold(
    module: object, daemon: RunningDaemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REVERIE_SOCKET", daemon.socket)
    failed, tried = doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)  # type: ignore[arg-type]
    assert failed == 0, capsys.readouterr().out
    assert tried > 2


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs_and_says_what_it_found(example: Path, daemon: RunningDaemon) -> None:
    def run() -> "subprocess.CompletedProcess[str]":
        program = [sys.executable, "-W", "error", str(example)]
        return subprocess.run(program, env=daemon.environ, capture_output=True, text=True, check=False)

    first = run()
    assert (first.returncode, first.stderr) == (0, "")
    assert "[id:" in first.stdout
    daemon.stop()
    without = run()
    assert without.returncode == 69
    assert "reveried" in without.stdout
