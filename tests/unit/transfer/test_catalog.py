"""One list of formats; each has a module that detects and reads, and a row in the documentation."""

from pathlib import Path

import pytest

from reverie.transfer.catalog import FORMATS
from reverie.transfer.sources import opened
from reverie.transfer.writing import WRITERS

PAGE = (Path(__file__).parents[3] / "docs" / "transfer.md").read_text()


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_documented(name: str) -> None:
    assert f"\n| `{name}` |" in PAGE


@pytest.mark.parametrize("name", WRITERS)
def test_every_way_out_is_documented(name: str) -> None:
    assert f"\n**`{name}`**" in PAGE


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "body", [b"", b"\n", b"\xff\xfe\x00", b"{", b"[[[[", b"null", b"---\n---\n", b'{"a":1}\n[]\n"x"\n7']
)
def test_no_format_stumbles_over_what_is_none(tmp_path: Path, name: str, body: bytes) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(body)
    for source in opened(str(path)):
        FORMATS[name].detect(source, source.head())
        list(FORMATS[name].read(source))
