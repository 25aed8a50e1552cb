"""A mistake in the rules of forgetting, deciding, ranking, reconciling or the log does not go unnoticed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

# Those that the mirrored tests are known to let through, each with its reason, or `open` where there is none.
KNOWN = Path(__file__).with_name("mutants_known.txt")
MOST = 0.15
# Which mistakes are tried changes with every line of the code: so many of them may be new ones that nobody has judged.
UNJUDGED = 0.08


def test_small_mistakes_are_noticed(full: bool, record_proof: Callable[[str, str], None]) -> None:
    count = 300 if full else 60
    program = [sys.executable, str(Path(__file__).with_name("mutants.py")), str(count), "1"]
    said = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[-1] == "done"
    survived = said[:-1]
    known = {line.partition("  # ")[0] for line in KNOWN.read_text().splitlines()}
    new = [line for line in survived if _without_line(line) not in known]
    record_proof("mutants", f"{count} tried, {len(survived)} survived, {len(new)} of them not known before: {new}")
    assert len(survived) <= MOST * count, new
    assert len(new) <= UNJUDGED * count, new


def _without_line(survivor: str) -> str:
    path, _, what = survivor.split(":", 2)
    return f"{path}:{what}"
