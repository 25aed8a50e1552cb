"""Nonsense on standard input, much of it."""

import pytest

from integration.test_mcp import assert_survives
from running import RunningDaemon


@pytest.mark.parametrize("seed", range(3))
def test_ten_thousand_fuzzed_lines_leave_the_bridge_alive(seed: int, full: bool, daemon: RunningDaemon) -> None:
    assert_survives(daemon, 50_000 if full else 10_000, seed)
