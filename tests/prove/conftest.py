"""The long proofs: `make prove` runs a bounded form, PROVE=full everything."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from running import RunningDaemon


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., RunningDaemon]]:
    started: list[RunningDaemon] = []

    def begin(**options: object) -> RunningDaemon:
        running = RunningDaemon(tmp_path, **options)  # type: ignore[arg-type]
        started.append(running)
        running.start()
        return running

    yield begin
    for running in started:
        running.end()


@pytest.fixture
def full() -> bool:
    return os.environ.get("PROVE") == "full"


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """One line of summary, shown whether or not the test passes."""

    def print_(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}")

    return print_
