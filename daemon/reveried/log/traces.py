"""Whether erased text is left in a database file where no row is.

SQLite zeroes what it frees (`secure_delete`), but when it spreads rows over pages anew, what stood in a page stays in
the gap between its table of cells and its cells: a second copy, which nobody zeroes when the row goes. So the gaps are
searched for pieces of the text that stand nowhere else in the file; and if there are any, the file is packed anew.

It is a program of its own: closing a database file in the daemon would drop SQLite's locks on it. It uses nothing but
the standard library, and little of that, so that it starts at once.
"""

import json
import mmap
import sys
from collections.abc import Collection, Iterator

# Long enough to be no chance, and short enough for a word; the longer ones tell common words in a telling order.
WORD, PHRASE = 6, 12
_BTREE_PAGES = {2: 12, 5: 12, 10: 8, 13: 8}  # kind → size of its header


def pieces_of(texts: Collection[str]) -> set[bytes]:
    """Of every length that is looked for, as a row, an index of words and a log write them."""
    pieces: set[bytes] = set()
    for text in texts:
        for form in {text, text.casefold(), json.dumps(text, ensure_ascii=False)[1:-1]}:
            said = form.encode("utf-8", "replace")
            pieces.update(_cut(said, WORD), _cut(said, PHRASE))
    return pieces


def _cut(data: bytes, length: int) -> Iterator[bytes]:
    return (data[at : at + length] for at in range(len(data) - length + 1))


def traces(data: bytes | mmap.mmap, pieces: set[bytes]) -> Iterator[bytes]:
    size = _page_size(data)
    for piece in _in_gaps(data, size, pieces):
        if not _stands_in_a_row(data, size, piece):
            yield piece


def _page_size(data: bytes | mmap.mmap) -> int:
    size = int.from_bytes(data[16:18], "big")
    return 65_536 if size == 1 else size


def _in_gaps(data: bytes | mmap.mmap, size: int, pieces: set[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for start in range(0, len(data), size):
        first, end = _gap(data, start, size)
        gap = data[first:end].strip(b"\0")
        if some := pieces.intersection(_cut(gap, WORD)):  # a phrase begins with one of the short pieces
            found.update(some, pieces.intersection(_cut(gap, PHRASE)))
    return found


def _gap(data: bytes | mmap.mmap, start: int, size: int) -> tuple[int, int]:
    """Where a page holds nothing; no room at all in one that is not of a tree."""
    header = start + (100 if start == 0 else 0)
    own = _BTREE_PAGES.get(data[header], 0)
    if not own:
        return start, start
    cells = int.from_bytes(data[header + 3 : header + 5], "big")
    content = int.from_bytes(data[header + 5 : header + 7], "big") or 65_536
    return header + own + 2 * cells, start + min(content, size)


def _stands_in_a_row(data: bytes | mmap.mmap, size: int, piece: bytes) -> bool:
    at = data.find(piece)
    while at >= 0:
        first, end = _gap(data, at - at % size, size)
        if not first <= at < end:
            return True
        at = data.find(piece, at + 1)
    return False


def left_in(path: str, texts: Collection[str]) -> bool:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(True for _ in traces(data, pieces_of(texts)))


if __name__ == "__main__":
    json.dump([path for path, texts in json.load(sys.stdin).items() if left_in(path, texts)], sys.stdout)
