"""Where foreign records are read from: files, directories, a pipe; always as bytes that can be read twice."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

HEAD = 64 * 1024
MAX_LINE = 8 * 1024 * 1024
_PASSED_BY = {"node_modules", "__pycache__", ".git", ".dreams", "dreaming", ".obsidian", ".trash"}


class Source:
    """One file, open from the moment it is made until it is closed."""

    def __init__(self, name: str, stream: BinaryIO, path: Path | None = None) -> None:
        self.name = name
        self.path = path or Path(name)
        self.stream = stream
        self.size = os.fstat(stream.fileno()).st_size

    def head(self) -> str:
        self.stream.seek(0)
        head = self.stream.read(HEAD).decode("utf-8-sig", "replace")
        self.stream.seek(0)
        return head

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Numbered lines; None for one that is no text, or longer than any record can be."""
        self.stream.seek(0)
        number = 0
        while line := self.stream.readline(MAX_LINE):
            number += 1
            whole = line.endswith(b"\n") or len(line) < MAX_LINE
            while not whole:
                rest = self.stream.readline(MAX_LINE)
                whole, line = not rest or rest.endswith(b"\n"), b"\xff"
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                yield number, None

    def text(self) -> str:
        """All of it, for formats whose files are notes; bytes that are no text become visible."""
        self.stream.seek(0)
        return self.stream.read().decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def close(self) -> None:
        self.stream.close()


def opened(argument: str) -> Iterator[Source]:
    """The file itself, the files of a directory in order of their names, or standard input for `-`."""
    root = Path(argument)
    paths: Iterable[Path | None] = [None] if argument == "-" else _files(root) if root.is_dir() else [root]
    for path in paths:
        source = _source(path, root)
        try:
            yield source
        finally:
            source.close()


def _source(path: Path | None, root: Path) -> Source:
    if path is None:
        return Source("-", _spooled())
    return Source(str(path.relative_to(root)) if path != root else path.name, path.open("rb"), path.absolute())


def _files(root: Path) -> Iterator[Path]:
    for directory, below, files in os.walk(root):
        below[:] = sorted(name for name in below if name not in _PASSED_BY)
        for file in sorted(files):
            path = Path(directory, file)
            if path.is_file():
                yield path


def _spooled() -> BinaryIO:
    """A pipe can be read only once, and what it holds shows only when one has looked."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as its source)
    shutil.copyfileobj(sys.stdin.buffer, spool)
    spool.seek(0)
    return spool
