"""Agents' notes become discrete memories, with the headings above them and the annotations beside them."""

from datetime import datetime
from pathlib import Path

import pytest

from reverie.transfer.markdown_blocks import blocks
from unit.transfer.reading import found_in, looks_like, skipped_in, written

MEMORY = """---
updated: 2026-08-01
---
# Memory

Some words that stand alone.
They go on.

## Ports

The services listen here:

- staging: 8080
- production: 443
  - behind the proxy
  and nowhere else

1. first do this
2) then *that*

## Building

Build it with:

```sh
# not a heading
- not an item
make all
```

| a | b |
|---|---|
| 1 | 2 |

Setext
------
* 明日は東京で会議があります <!-- trigger: Tokyo, meeting --> <!-- importance: 8 -->
"""


def test_items_paragraphs_code_and_tables_are_a_memory_each(tmp_path: Path) -> None:
    found = found_in(written(tmp_path, "MEMORY.md", MEMORY))
    assert [one.draft.content for one in found] == [
        "Some words that stand alone.\nThey go on.",
        "staging: 8080",
        "production: 443\n- behind the proxy\nand nowhere else",
        "first do this",
        "then *that*",
        "Build it with:\n\n```sh\n# not a heading\n- not an item\nmake all\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "明日は東京で会議があります",
    ]
    assert [one.draft.title for one in found][:3] == ["Memory", *["Memory › Ports › The services listen here"] * 2]
    assert all(one.draft.source == "migration" for one in found)
    assert [one.place for one in found][:2] == ["MEMORY.md:6", "MEMORY.md:13"]


def test_annotations_give_tags_and_importance_and_leave_the_words(tmp_path: Path) -> None:
    last = found_in(written(tmp_path, "MEMORY.md", MEMORY))[-1].draft
    assert (last.tags, last.importance) == (["tokyo", "meeting"], 0.8)
    assert last.metadata == {"file": "MEMORY.md", "headings": ["Memory", "Setext"]}


def test_what_openclaw_observed_and_superseded_keeps_its_time_and_stays_superseded(tmp_path: Path) -> None:
    user = (
        "# User\n\n<!-- observed: 2026-07-27 | status: superseded -->\n\n- Drinks coffee\n\n"
        "<!-- observed: 2026-07-28 | status: active -->\n\n- Drinks tea\n\nSource: memory/2026-07-28.md#L3-L9\n"
    )
    old, new = found_in(written(tmp_path, "USER.md", user))[:2]
    assert old.life is not None
    assert old.life.superseded_by == 0
    assert new.life is None
    assert old.draft.created_at == round(datetime(2026, 7, 27, 12).timestamp() * 1_000_000)


def test_a_trailing_source_line_is_provenance(tmp_path: Path) -> None:
    note = written(tmp_path, "MEMORY.md", "- Uses Postgres 16\n  Source: memory/2026-07-28.md#L3-L9\n")
    (one,) = found_in(note)
    assert (one.draft.content, one.draft.source_ref) == ("Uses Postgres 16", "memory/2026-07-28.md#L3-L9")


@pytest.mark.parametrize("name", ["memory/2026-01-31.md", "memory/2026-01-31-standup.md"])
def test_a_daily_note_happened_on_its_day(tmp_path: Path, name: str) -> None:
    written(tmp_path, name, "- met Ada\n\n## 2026-02-01\n\n- met Bob\n")
    ada, bob = found_in(tmp_path)
    assert ada.draft.created_at == round(datetime(2026, 1, 31, 12).timestamp() * 1_000_000)
    assert bob.draft.created_at == round(datetime(2026, 2, 1, 12).timestamp() * 1_000_000)


def test_a_directory_gives_its_notes_and_passes_reports_and_machinery_by(tmp_path: Path) -> None:
    for name in ("MEMORY.md", "AGENTS.md", "memory/topic.md"):
        written(tmp_path, name, f"- from {name}\n")
    for name in ("DREAMS.md", "memory/.dreams/x.md", "memory/dreaming/report.md", "node_modules/x/README.md"):
        written(tmp_path, name, "- not a memory\n")
    written(tmp_path, "picture.png", b"\x89PNG\xff")
    assert [one.draft.content for one in found_in(tmp_path)] == [
        "from AGENTS.md", "from MEMORY.md", "from memory/topic.md",
    ]  # fmt: skip


def test_a_reference_to_another_file_is_named_and_passed_by(tmp_path: Path) -> None:
    note = written(tmp_path, "CLAUDE.md", "@docs/style.md\n\n- write to @ada\n")
    assert [one.draft.content for one in found_in(note)] == ["write to @ada"]
    (skipped,) = skipped_in(note)
    assert (skipped.place, skipped.bad) == ("CLAUDE.md:1", False)
    assert "docs/style.md" in skipped.reason


def test_the_same_words_have_the_same_key_wherever_they_stand(tmp_path: Path) -> None:
    one, *_ = found_in(written(tmp_path, "a/MEMORY.md", "- tea\n"))
    *_, other = found_in(written(tmp_path, "b/MEMORY.md", "# Other\n\n- milk\n- tea\n"))
    assert one.key == other.key


@pytest.mark.parametrize(
    "text", ["", "\n\n", "```\nnever closed", "<!-- never closed\n\n- x", "---\nno end", "- \n-\n", "#\n", "\x00"]
)
def test_any_text_can_be_split(text: str) -> None:
    assert all(block.text.strip() for block in blocks(text))


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    note = written(tmp_path, "MEMORY.md", "\ufeff# A\r\n\r\n- one\r\n- two\r\n".encode())
    assert [one.draft.content for one in found_in(note)] == ["one", "two"]


def test_notes_are_told_by_their_name(tmp_path: Path) -> None:
    assert looks_like(written(tmp_path, "AGENTS.md", "- x")) == "markdown"
    assert looks_like(written(tmp_path, ".codex/memories/MEMORY.md", "- x")) == "codex"
    assert looks_like(written(tmp_path, "notes.docx", b"PK\x03\x04")) is None


def test_codex_keywords_become_tags_and_its_index_is_passed_by(tmp_path: Path) -> None:
    text = (
        "# Task Group: the API\nscope: the API\n\n## Task 1: tests\n\n### rollout_summary_files\n\n- a.md (cwd=/x)\n\n"
        "### keywords\n\n- pytest, `asyncio`\n\n## Reusable knowledge\n\n- Run make test [Task 1]\n"
    )
    path = written(tmp_path, ".codex/memories/MEMORY.md", text)
    assert [one.draft.content for one in found_in(path)] == ["scope: the API", "Run make test [Task 1]"]
    assert found_in(path)[-1].draft.tags == ["pytest", "asyncio"]
    assert [one.reason for one in skipped_in(path)] == ["an entry of its index"]


def test_the_older_codex_header_is_no_memory(tmp_path: Path) -> None:
    text = (
        "---\nrollout_summary_files:\n  - a.md (success, cwd=/x)\ndescription: tests\nkeywords: pytest, flaky\n---\n\n"
        "- Retry twice\n\n---\nrollout_summary_files:\n  - b.md\nkeywords: deploy\n---\n\n- Deploy on Friday\n"
    )
    found = found_in(written(tmp_path, ".codex/memories/MEMORY.md", text))
    assert [(one.draft.content, one.draft.tags) for one in found] == [
        ("Retry twice", ["pytest", "flaky"]), ("Deploy on Friday", ["deploy"]),
    ]  # fmt: skip
