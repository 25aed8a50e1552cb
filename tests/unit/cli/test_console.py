"""Colour and width only where a person looks, and no control character anywhere."""

import os
import pty
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.cli.console import visible, visible_lines
from unit.cli.samples import recalled, recalled_memory
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]


@given(st.text(st.characters(codec="utf-8")))
def test_no_control_character_survives(text: str) -> None:
    assert all(unicodedata.category(letter) != "Cc" for letter in visible(text))
    assert all(unicodedata.category(letter) != "Cc" or letter in "\n\t" for letter in visible_lines(text))
    assert not set(visible(text)) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == visible_lines(text) == text


def seen_in_a_terminal(arguments: list[str], **environ: str) -> str:
    master, terminal = pty.openpty()
    os.set_inheritable(terminal, True)
    subprocess.run(["stty", "cols", "40"], stdin=terminal, check=True)
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    command = [sys.executable, "-m", "reverie.cli", *arguments]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=clean | environ) as process:
        os.close(terminal)
        seen = b""
        while chunk := _read(master):
            seen += chunk
        assert process.wait(30) == 0
    os.close(master)
    return seen.decode().replace("\r\n", "\n")


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65536)
    except OSError:  # Linux ends a terminal whose other side is closed with EIO
        return b""


def test_a_terminal_gets_colour_and_lines_that_fit(peer: Start) -> None:
    daemon = peer(lambda asked: ok(asked, recalled(recalled_memory(content="tea " * 30))))
    seen = seen_in_a_terminal(["recall", "tea", "--socket", daemon.path], TERM="xterm")
    assert "\x1b[1m[id:12]\x1b[0m" in seen
    words = [line for line in seen.split("\n") if line.rstrip().endswith("tea")]
    assert len(words) > 2
    assert all(len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) <= 40 for line in words)


@pytest.mark.parametrize(
    ("flags", "environ"),
    [(["--no-color"], {"TERM": "xterm"}), ([], {"NO_COLOR": "1", "TERM": "xterm"}), ([], {"TERM": "dumb"})],
)
def test_colour_can_be_refused(flags: list[str], environ: dict[str, str], peer: Start) -> None:
    daemon = peer(lambda asked: ok(asked, recalled(recalled_memory())))
    assert "\x1b" not in seen_in_a_terminal(["recall", "tea", "--socket", daemon.path, *flags], **environ)
