"""Kore and mem0: records with times and counts, which come along."""

import json
from pathlib import Path
from typing import Any

import pytest

from unit.transfer.reading import found_in, looks_like, skipped_in, written

KORE: dict[str, Any] = {
    "id": 7, "content": "We chose SQLite — 決定", "category": "decision", "importance": 4, "decay_score": 0.83,
    "access_count": 5, "last_accessed": "2026-03-04T05:06:07", "created_at": "2026-01-02 03:04:05",
    "updated_at": "2026-02-03T04:05:06+00:00", "title": "SQLite", "facts_json": '["it is small"]',
    "concepts_json": '["Storage", "sqlite"]', "narrative": "long", "metadata_json": '{"by": "ada"}',
}  # fmt: skip


def test_a_kore_memory_keeps_its_level_times_and_accesses(tmp_path: Path) -> None:
    path = written(tmp_path, "export.json", json.dumps({"memories": [KORE], "total": 1}))
    assert looks_like(path) == "kore"
    (one,) = found_in(path)
    draft, life = one.draft, one.life
    assert (draft.content, draft.title, draft.level, draft.kind) == (KORE["content"], "SQLite", 4, "decision")
    assert draft.created_at == 1_767_323_045_000_000
    assert draft.tags == ["decision", "storage", "sqlite"]
    assert life is not None
    assert (life.access_count, life.last_accessed_at, life.updated_at) == (
        5,
        1_772_600_767_000_000,
        1_770_091_506_000_000,
    )
    assert draft.metadata["kore"] == {
        "id": 7, "category": "decision", "decay_score": 0.83, "narrative": "long", "facts": ["it is small"],
        "concepts": ["Storage", "sqlite"], "metadata": {"by": "ada"},
    }  # fmt: skip


def test_a_kore_record_without_words_is_reported_and_odd_fields_do_no_harm(tmp_path: Path) -> None:
    odd = {**KORE, "id": 8, "importance": 9, "created_at": "someday", "facts_json": "{broken", "access_count": -1}
    path = written(tmp_path, "k.json", json.dumps({"total": 3, "memories": [{"id": 1}, odd, "x"]}))
    (one,) = found_in(path, "kore")
    assert (one.draft.level, one.draft.created_at, one.draft.metadata["kore"]["facts"]) == (None, None, "{broken")
    assert [skipped.place for skipped in skipped_in(path, "kore")] == ["k.json memory 1", "k.json memory 3"]


def test_a_document_that_breaks_off_is_read_up_to_there(tmp_path: Path) -> None:
    whole = json.dumps({"memories": [{**KORE, "id": number, "content": f"fact {number}"} for number in range(9)]})
    path = written(tmp_path, "k.json", whole[: len(whole) // 2])
    found = found_in(path)
    assert [one.draft.content for one in found] == [f"fact {number}" for number in range(len(found))]
    assert 3 <= len(found) <= 5
    (skipped,) = skipped_in(path)
    assert skipped.place == f"k.json after memory {len(found)}"


MEM0: dict[str, Any] = {
    "id": "a1", "memory": "Likes hiking", "hash": "0f", "metadata": {"mood": "good"}, "score": None,
    "created_at": "2026-01-02T03:04:05.123456-08:00", "updated_at": None, "user_id": "ada", "run_id": "r-1",
    "categories": ["Hobbies"],
}  # fmt: skip


@pytest.mark.parametrize("shape", [lambda records: {"results": records, "relations": []}, lambda records: records])
def test_mem0_answers_are_read_in_both_shapes(tmp_path: Path, shape: Any) -> None:
    path = written(tmp_path, "mem0.json", json.dumps(shape([MEM0, {"id": "a2"}])))
    assert looks_like(path) == "mem0"
    (one,) = found_in(path)
    assert (one.draft.content, one.draft.session_id, one.draft.tags) == ("Likes hiking", "r-1", ["hobbies"])
    assert one.draft.created_at == 1_767_351_845_123_456
    assert one.draft.metadata["mem0"]["metadata"] == {"mood": "good"}
    assert one.draft.metadata["mem0"]["user_id"] == "ada"
    assert len(skipped_in(path)) == 1


def test_the_markdown_of_mem0s_plugin_is_read_block_by_block(tmp_path: Path) -> None:
    text = (
        "---\nid: m1\ncreated_at: 2026-01-02T03:04:05Z\ntype: decision\nconfidence: 0.9\nbranch: main\n"
        "files: a.py, b.py\ncategories: api, auth\n---\nUse tokens.\n\nTwo paragraphs --- with dashes.\n\n"
        "---\nid: m2\ncreated_at: x\n---\nSecond\n"
    )
    path = written(tmp_path, "mem0-export-app-2026-01-02.md", text)
    assert looks_like(path) == "mem0"
    first, second = found_in(path)
    assert first.draft.content == "Use tokens.\n\nTwo paragraphs --- with dashes."
    assert first.draft.tags == ["api", "auth"]
    assert first.draft.metadata["mem0"]["files"] == "a.py, b.py"
    assert (second.draft.content, second.place) == ("Second", "mem0-export-app-2026-01-02.md:14")
