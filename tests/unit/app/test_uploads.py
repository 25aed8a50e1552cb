import pytest

from reveried.app.uploads import MAX_UPLOADS, Uploads
from reveried.errors import InvalidField, WrongState


@pytest.fixture
def uploads() -> Uploads:
    return Uploads()


def test_parts_come_back_as_one_text(uploads: Uploads) -> None:
    assert uploads.add("ns", "u", 0, "one ", 100) == (1, 4)
    assert uploads.add("ns", "u", 1, "two", 100) == (2, 7)
    assert uploads.whole("ns", "u", 2) == "one two"


def test_a_part_that_is_sent_again_takes_the_place_of_the_first(uploads: Uploads) -> None:
    uploads.add("ns", "u", 0, "one", 100)
    assert uploads.add("ns", "u", 0, "won", 100) == (1, 3)
    assert uploads.whole("ns", "u", 1) == "won"


@pytest.mark.parametrize("count", [0, 2])
def test_an_upload_that_is_not_complete_is_refused(uploads: Uploads, count: int) -> None:
    uploads.add("ns", "u", 0, "one", 100)
    with pytest.raises(WrongState):
        uploads.whole("ns", "u", count)


def test_namespaces_do_not_see_each_other_s_parts(uploads: Uploads) -> None:
    uploads.add("ns", "u", 0, "one", 100)
    with pytest.raises(WrongState):
        uploads.whole("other", "u", 1)


def test_the_limit_counts_all_parts_and_lets_go_of_them(uploads: Uploads) -> None:
    uploads.add("ns", "u", 0, "x" * 60, 100)
    with pytest.raises(InvalidField, match="120 characters"):
        uploads.add("ns", "u", 1, "x" * 60, 100)
    with pytest.raises(WrongState):
        uploads.whole("ns", "u", 1)


def test_the_upload_that_was_idle_longest_gives_way(uploads: Uploads) -> None:
    for number in range(MAX_UPLOADS + 1):
        uploads.add("ns", f"u{number}", 0, "x", 100)
        uploads.add("ns", "u0", 0, "x", 100)
    assert uploads.whole("ns", "u0", 1) == "x"
    with pytest.raises(WrongState):
        uploads.whole("ns", "u1", 1)


def test_a_name_has_its_bounds(uploads: Uploads) -> None:
    for name in ("", "x" * 65):
        with pytest.raises(InvalidField):
            uploads.add("ns", name, 0, "x", 100)
