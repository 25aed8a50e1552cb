"""Nonsense by the ten thousand on every way in: no crash, no undocumented exception, and no text that costs more than
its length."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prove.fuzz_seeds import LINES, PIECES, SEEDS
from prove.fuzz_targets import FOREIGN, TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]
ATHERIS = (["atheris>=3"], ["-e", str(ROOT)])
# A text four times as long may take four times as long; three times that is noise, sixteen another power of its length.
SHORT, LONG, MORE = 16_000, 64_000, 12.0
QUICK = 0.25


@pytest.fixture(scope="session")
def atheris_python() -> str:
    home = ROOT / ".run" / "atheris"
    python, stamp = home / "bin" / "python", home / ".ready"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        for packages in ATHERIS:
            done = subprocess.run(
                [python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True
            )
            if done.returncode:
                pytest.skip(f"atheris does not install here: {done.stderr.strip().splitlines()[-1]}")
        stamp.touch()
    return str(python)


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_guided_fuzzer_makes_up_is_answered(
    name: str, full: bool, atheris_python: str, tmp_path: Path, record_proof: Callable[[str, str], None]
) -> None:
    for number, seed in enumerate(SEEDS.get(name, LINES)):
        (tmp_path / str(number)).write_bytes(seed)
    runs, seconds = (1_000_000_000, 600) if full else (20_000, 12)
    program = Path(__file__).with_name("fuzz_targets.py")
    done = subprocess.run(
        [atheris_python, program, name, str(runs), str(seconds), tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
    )
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said[-4_000:]
    tried = [line for line in said.splitlines() if line.startswith("Done ")]
    record_proof(f"fuzz {name}", tried[-1] if tried else f"{runs} runs at most")


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(PIECES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(PIECES), inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize("name", [f"import {name}" for name in FOREIGN])
def test_an_import_reader_takes_any_json(name: str, full: bool) -> None:
    _try(TARGETS[name], _values.map(lambda value: json.dumps(value).encode()), full)
    _try(TARGETS[name], _values.map(lambda value: json.dumps([value]).encode()), full)


@pytest.mark.parametrize("name", ["requests", "replies", "shapes"])
def test_the_codec_takes_any_message(name: str, full: bool) -> None:
    packed = _values.filter(_fits).map(msgspec.msgpack.encode)
    _try(TARGETS[name], packed, full)


@pytest.mark.parametrize(
    "name",
    ["understanding", "chunks", "secrets", "worth", "queries", "blocks", "config", "settings_toml", "settings_yaml"],
)
def test_any_text_is_understood(name: str, full: bool) -> None:
    _try(TARGETS[name], st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")), full)
    _try(TARGETS[name], st.lists(st.sampled_from(PIECES), max_size=30).map(lambda some: "".join(some).encode()), full)


def _fits(value: object) -> bool:
    try:
        msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return False
    return True


def _try(target: Target, examples: st.SearchStrategy[bytes], full: bool) -> None:
    @settings(max_examples=20_000 if full else 400, deadline=None, suppress_health_check=list(HealthCheck))
    @given(examples)
    def tried(data: bytes) -> None:
        target(data)

    tried()


# Frames and replies are no texts. Of a key with a thousand dots the standard library's reader of TOML reads each
# beginning anew; the settings that it is given are the user's own.
UNBOUND = ("frames", "replies", "settings_toml")


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in UNBOUND])
def test_no_text_costs_more_than_its_length(name: str, full: bool, record_proof: Callable[[str, str], None]) -> None:
    tried, slowest = 0, (0.0, "")
    for data in _long_texts(LONG, full):
        taken = _seconds(TARGETS[name], data)
        tried, slowest = tried + 1, max(slowest, (taken, repr(data[:40])))
        if taken > QUICK:
            shorter = data[: SHORT // 2] + data[-SHORT // 2 :] if data[:8] != data[-8:] else data[:SHORT]
            fewer = max(_seconds(TARGETS[name], shorter), 0.002)
            taken = min(taken, _seconds(TARGETS[name], data))
            assert taken / fewer < MORE, f"{taken:.2f} s for {LONG} bytes of {data[:60]!r}, {fewer:.3f} s for {SHORT}"
    record_proof(f"linear {name}", f"{tried} texts of {LONG // 1000} kB, slowest {slowest[0]:.2f} s: {slowest[1]}")


def _long_texts(size: int, full: bool) -> Iterator[bytes]:
    """One piece again and again; and a row of one before or after a row of another, which is what makes a pattern
    look back."""
    for piece in PIECES:
        yield (piece * (size // len(piece.encode()) + 1)).encode()[:size]
        for before in ("- x ", "# x", "[a] "):
            yield f"{before}{piece * (size // len(piece.encode()))}".encode()[: size - 2] + b"\x01y"
    for one, other in product(PIECES, PIECES) if full else ():
        yield (one * 8 + other * (size // len(other.encode()) + 1)).encode()[: size - 1] + b"\x01"
    yield ", ".join(f"A{_letters(number)}" for number in range(size)).encode()[:size]
    yield "; ".join(f"A{_letters(number)} B{_letters(number)}" for number in range(size)).encode()[:size]
    yield "\n\n".join(f"- A{_letters(number)}" for number in range(size)).encode()[:size]


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


def _seconds(target: Target, data: bytes) -> float:
    started = time.process_time()
    target(data)
    return time.process_time() - started
