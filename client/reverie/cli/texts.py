"""The texts that a command line names: standard input, files, and what is below a directory."""

import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

from reverie.cli.arguments import UsageError

# Looking at the beginning tells a picture from a text; the rest is proven by decoding it.
_LOOKED_AT = 8_192
_LEFT_OUT = ("__pycache__", "node_modules")


class Unreadable(Exception):
    """Why a file is left out, for people."""


class Source(NamedTuple):
    """`path` is None for standard input."""

    path: str | None

    @property
    def name(self) -> str:
        return self.path or "standard input"


def sources(named: list[str]) -> Iterator[Source]:
    """In the order given; below a directory by name, without what is hidden or generated. Links are not followed."""
    for name in named:
        if name == "-":
            yield Source(None)
        elif os.path.isdir(name):
            yield from map(Source, _below(name))
        elif os.path.exists(name):
            yield Source(name)
        else:
            raise UsageError(f"there is no {name}", "give a file, a directory, or `-` for standard input")


def _below(directory: str) -> Iterator[str]:
    for where, directories, files in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith(".") and name not in _LEFT_OUT)
        for name in sorted(files):
            path = os.path.join(where, name)
            if not name.startswith(".") and not os.path.islink(path):
                yield path


def text_of(source: Source) -> str:
    text = _decoded(_read(source))
    if not text.strip():
        raise Unreadable("it is empty")
    return text


def _read(source: Source) -> bytes:
    if source.path is None:
        return sys.stdin.buffer.read()
    if not os.path.isfile(source.path):
        raise Unreadable("it is not a regular file")
    try:
        with open(source.path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def _decoded(data: bytes) -> str:
    if b"\0" in data[:_LOOKED_AT]:
        raise Unreadable("it is binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8 text") from error
