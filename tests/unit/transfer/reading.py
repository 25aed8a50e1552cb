"""Reads a file of a foreign format the way the program does."""

from pathlib import Path

from reverie.transfer.catalog import FORMATS, format_of
from reverie.transfer.records import Found, Item, Skipped
from reverie.transfer.sources import opened


def items_of(path: Path, format_: str | None = None) -> list[Item]:
    """Everything in a file or directory; without a name each file is taken for what it looks like."""
    items: list[Item] = []
    for source in opened(str(path)):
        name = format_ or format_of(source)
        if name is not None:
            items += FORMATS[name].read(source)
    return items


def looks_like(path: Path) -> str | None:
    return next(format_of(source) for source in opened(str(path)))


def found_in(path: Path, format_: str | None = None) -> list[Found]:
    return [item for item in items_of(path, format_) if isinstance(item, Found)]


def skipped_in(path: Path, format_: str | None = None) -> list[Skipped]:
    return [item for item in items_of(path, format_) if isinstance(item, Skipped)]


def written(directory: Path, name: str, text: str | bytes) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
