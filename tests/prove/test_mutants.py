"""A mistake in the rules of forgetting, deciding, ranking, reconciling or the log does not go unnoticed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

# Survivors that change nothing anybody could see, or that only a slower test would tell; docs/guarantees.md says why.
EXPLAINED = Path(__file__).with_name("mutants_explained.txt")


def test_small_mistakes_are_noticed(full: bool, record_proof: Callable[[str, str], None]) -> None:
    count = 400 if full else 60
    program = [sys.executable, str(Path(__file__).with_name("mutants.py")), str(count), "1"]
    said = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[-1] == "done"
    known = {line.partition(" because ")[0] for line in EXPLAINED.read_text().splitlines()}
    unnoticed = [line for line in said[:-1] if _without_line(line) not in known]
    record_proof("mutants", f"{count} tried, {len(said) - 1} survived, {len(unnoticed)} of them unexplained")
    assert unnoticed == []


def _without_line(survivor: str) -> str:
    path, _, what = survivor.split(":", 2)
    return f"{path}:{what}"
