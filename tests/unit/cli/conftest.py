"""The program as a person runs it, in this process, against a scripted peer."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from reverie.cli.main import main
from unit.client.peer import Asked, Peer


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)

    @property
    def lines(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


Reverie = Callable[..., Ran]


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Callable[[Callable[[Asked], Any]], Peer]]:
    started: list[Peer] = []

    def start(answer: Callable[[Asked], Any]) -> Peer:
        started.append(Peer(tmp_path, answer))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def reverie(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Reverie:
    monkeypatch.setenv("REVERIE_SOCKET", str(tmp_path / "peer.sock"))

    def run(*arguments: str, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main(list(arguments))
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run
