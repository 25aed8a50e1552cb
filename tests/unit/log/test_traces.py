"""What stands in the gap of a page and in no row is a trace, to the byte."""

from pathlib import Path

import pytest

from reveried.log.traces import PHRASE, WORD, left_in, pieces_of, traces

SIZE = 512
TEXT = "harbor"
HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}


def page(kind: int = 13, *, cells: int = 3, content: int = 400, size: int = SIZE, first: bool = False) -> bytearray:
    """Of a file in SQLite's format: where its gap ends is told by `content`, where it begins by the count of cells."""
    made = bytearray(size)
    header = 100 if first else 0
    if first:
        made[16:18] = (1 if size == 65_536 else size).to_bytes(2, "big")
    made[header] = kind
    made[header + 3 : header + 5] = cells.to_bytes(2, "big")
    made[header + 5 : header + 7] = (content % 65_536).to_bytes(2, "big")
    return made


def put(made: bytearray, at: int, text: str = TEXT) -> bytearray:
    made[at : at + len(text)] = text.encode()
    return made


def found(*pages: bytearray, text: str = TEXT) -> set[bytes]:
    return set(traces(b"".join(bytes(one) for one in pages), pieces_of([text])))


FIRST = page(first=True)


@pytest.mark.parametrize("kind", HEADERS)
@pytest.mark.parametrize("cells", [0, 3])
def test_a_gap_begins_behind_the_cells_of_its_page(kind: int, cells: int) -> None:
    begins = HEADERS[kind] + 2 * cells
    assert found(FIRST, put(page(kind, cells=cells), begins)) == {b"harbor"}
    assert found(FIRST, put(page(kind, cells=cells), begins - 1)) == set()


def test_a_gap_ends_where_the_rows_begin() -> None:
    assert found(FIRST, put(page(content=400), 394)) == {b"harbor"}
    assert found(FIRST, put(page(content=400), 395)) == set()
    assert found(FIRST, put(page(content=400), 400)) == set()


def test_the_first_page_begins_with_the_header_of_the_file() -> None:
    begins = 100 + HEADERS[13] + 6
    assert found(put(page(first=True), begins)) == {b"harbor"}
    assert found(put(page(first=True), begins - 1)) == set()


@pytest.mark.parametrize("kind", [0, 1, 7, 255])
def test_a_page_that_is_not_of_a_tree_has_no_gap(kind: int) -> None:
    assert found(FIRST, put(page(kind), 200)) == set()


def test_the_largest_pages_tell_their_size_by_a_one_and_their_end_by_a_nought() -> None:
    first = page(first=True, size=65_536, content=65_536)
    assert found(first, put(page(size=65_536, content=65_536), 65_530)) == {b"harbor"}
    assert found(FIRST, put(page(content=65_536), 506), put(page(0), 0)) == set(), "it ends with the page at the latest"


def test_what_stands_in_a_row_as_well_is_no_trace() -> None:
    assert found(FIRST, put(put(page(), 200), 450)) == set()
    assert found(FIRST, put(page(), 200), put(page(), 300), put(page(), 450)) == set()
    assert found(FIRST, put(put(page(), 200), 300), put(page(), 200)) == {b"harbor"}
    assert found(put(page(first=True), 0), put(page(), 200)) == set()
    assert found(FIRST, put(put(page(), 200), 400)) == set(), "the first byte of the rows is theirs"


def test_a_row_is_found_also_where_its_word_begins_within_another() -> None:
    text = "aaaaaa"
    assert found(FIRST, put(put(page(content=400), 300, text), 399, text + "a"), text=text) == set()


def test_a_page_may_hold_more_cells_than_a_byte_counts() -> None:
    large = page(cells=300, content=1_500, size=2_048)
    first = page(first=True, size=2_048)
    assert found(first, put(large, 8 + 600)) == {b"harbor"}
    assert found(first, put(page(cells=300, content=1_500, size=2_048), 8 + 599)) == set()


def test_a_phrase_is_a_trace_although_each_of_its_words_stands_somewhere() -> None:
    text = "the old harbor"
    rows = put(put(page(), 420, "the old har"), 450, "old harbor")
    left = found(FIRST, put(page(), 200, text), rows, text=text)
    assert left == {b"the old harb", b"he old harbo", b"e old harbor"}


def test_every_piece_of_a_text_is_looked_for() -> None:
    text = "abcdefghijklm"
    words = {text[at : at + WORD].encode() for at in range(len(text) - WORD + 1)}
    phrases = {text[at : at + PHRASE].encode() for at in range(len(text) - PHRASE + 1)}
    assert pieces_of([text]) == words | phrases
    assert pieces_of(["Harbor"]) == {b"Harbor", b"harbor"}
    assert pieces_of(['harb"s']) == {b'harb"s', b'harb\\"', b'arb\\"s'}
    assert 'é\\"é'.encode() in pieces_of(['été"été'])
    assert pieces_of(["short"]) == set()


def test_a_file_is_searched_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    path.write_bytes(FIRST + put(page(), 200))
    assert left_in(str(path), [TEXT])
    assert not left_in(str(path), ["lighthouse"])
