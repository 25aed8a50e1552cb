"""A log of its own for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reveried.log.sqlite import SqliteLog


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "log.db")
    yield log
    log.close()
