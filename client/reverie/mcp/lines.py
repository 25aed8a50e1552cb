"""Lines in, lines out: bounded reading, whole writing, and a standard output that nothing else can reach."""

import os
import threading
from collections.abc import Iterator
from typing import BinaryIO, Final

# More than the largest memory that the daemon takes, escaped in the most wasteful way.
MAX_LINE: Final = 4 * 1024 * 1024


def lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Every line that is not blank; None in place of one that is too long, which is skipped."""
    while data := source.readline(MAX_LINE):
        if len(data) == MAX_LINE and not data.endswith(b"\n"):
            _skip_rest(source)
            yield None
        elif data.strip():
            yield data


def _skip_rest(source: BinaryIO) -> None:
    while (data := source.readline(MAX_LINE)) and not data.endswith(b"\n"):
        pass


def claimed_stdout() -> int:
    """A descriptor for the protocol alone; whatever else prints from now on ends up on standard error."""
    ours = os.dup(1)
    os.dup2(2, 1)
    return ours


class Output:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._turn = threading.Lock()
        self._gone = False

    def write(self, data: bytes) -> None:
        with self._turn:
            while data and not self._gone:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BrokenPipeError:
                    # The client has left. Its end of standard input is closed too, and that ends the bridge.
                    self._gone = True
