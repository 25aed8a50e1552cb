"""JSONL of this product: what was written is what is read."""

from pathlib import Path

import msgspec

from reverie.transfer.writing import record_of
from unit.cli.samples import memory_view
from unit.transfer.reading import found_in, looks_like, skipped_in, written


def _line(**changes: object) -> bytes:
    return msgspec.json.encode(record_of(msgspec.structs.replace(memory_view(7), **changes)))


def test_every_field_of_a_record_is_in_the_draft_or_in_the_life(tmp_path: Path) -> None:
    path = written(tmp_path, "m.jsonl", _line(superseded_by=9, parent_id=3, state="archived", score=-4) + b"\n")
    assert looks_like(path) == "jsonl"
    (one,) = found_in(path)
    assert one.life is not None
    known = {*one.draft.__struct_fields__, *one.life.__struct_fields__, *one.links, "id", "namespace", "tags_manual"}
    known.add("content_hash")  # follows from the content
    assert set(msgspec.json.decode(path.read_bytes())) <= known
    assert one.links == {"superseded_by": 9, "parent_id": 3}
    assert (one.ref, one.namespace, one.life.state, one.life.score, one.life.whole) == (
        7,
        "default",
        "archived",
        -4,
        True,
    )
    assert one.draft.parent_id is None


def test_a_record_of_a_long_text_says_of_which_and_others_leave_their_hash_to_the_daemon(tmp_path: Path) -> None:
    lines = _line(content_hash="document:" + "a" * 64) + b"\n" + _line(content_hash="b" * 64)
    first, second = found_in(written(tmp_path, "m.jsonl", lines))
    assert first.life is not None
    assert second.life is not None
    assert (first.life.document, second.life.document) == ("document:" + "a" * 64, None)


def test_iso_times_are_read_as_well(tmp_path: Path) -> None:
    record = msgspec.json.decode(_line())
    record |= {"created_at": "2026-01-02T03:04:05.000006Z", "stored_at": "2026-01-02T03:04:05Z"}
    (one,) = found_in(written(tmp_path, "m.jsonl", msgspec.json.encode(record)))
    assert one.draft.created_at == 1_767_323_045_000_006


def test_broken_lines_cost_only_themselves(tmp_path: Path) -> None:
    lines = [
        _line(),
        b"{",
        b"\xff",
        b'{"content": 5}',
        b'{"content":"x","importance":"high"}',
        b"",
        b"null",
        _line(id=8),
    ]
    path = written(tmp_path, "m.jsonl", b"\n".join(lines))
    assert [one.ref for one in found_in(path)] == [7, 8]
    assert [one.place for one in skipped_in(path)] == [f"m.jsonl:{line}" for line in (2, 3, 4, 5, 7)]


def test_a_line_longer_than_any_record_is_passed_without_being_held(tmp_path: Path) -> None:
    path = written(tmp_path, "m.jsonl", _line() + b"\n" + b"x" * 20_000_000 + b"\n" + _line(id=8))
    assert [one.ref for one in found_in(path)] == [7, 8]
    assert [one.place for one in skipped_in(path)] == ["m.jsonl:2"]


def test_the_key_follows_the_record_and_not_its_life(tmp_path: Path) -> None:
    keys = [
        found_in(written(tmp_path, "m.jsonl", _line(**changes)))[0].key
        for changes in ({}, {"score": 9}, {"content": "n"})
    ]
    assert keys[0] == keys[1] != keys[2]
