"""The long proofs: `make prove` runs a bounded form, PROVE=full everything."""

import os
from collections.abc import Callable

import pytest


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
