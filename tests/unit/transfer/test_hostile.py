"""A file that was made to break its reader costs what its length costs, and is told by its place and a reason."""

import json
import time
from pathlib import Path

import pytest

from reverie.transfer.markdown_blocks import annotations, blocks
from reverie.transfer.packing import Packed, Unfit, arrival_of
from unit.transfer.reading import found_in, items_of, written

DEEP = "[" * 600 + "]" * 600


@pytest.mark.parametrize(
    ("format_", "name", "text"),
    [
        ("jsonl", "a.jsonl", f'{{"content": "x", "metadata": {{"a": {DEEP}}}}}'),
        ("kore", "a.json", f'{{"memories": [{{"content": "x", "facts_json": {DEEP}}}]}}'),
        ("kore", "a.json", json.dumps({"memories": [{"content": "x", "facts_json": "[" * 9_000}]})),
        ("mem0", "a.json", f'[{{"memory": "x", "metadata": {DEEP}}}]'),
        ("mcp", "a.jsonl", f'{{"type": "entity", "name": "x", "observations": {DEEP}}}'),
        ("chatgpt", "a.json", f'[{{"mapping": {DEEP}}}]'),
        (
            "chatgpt",
            "a.json",
            '[{"mapping": {"a": {"message": {"author": "x", "content": "y"}}}, "current_node": [1]}]',
        ),
        ("chatgpt", "a.json", '[{"mapping": {"a": {"message": {"metadata": "x"}}}, "current_node": "a"}]'),
        ("claude", "a.json", f'[{{"chat_messages": {DEEP}}}]'),
        ("claude", "a.json", '[{"prompt_template": "x", "docs": 5}]'),
        ("basic-memory", "a.md", f"---\npermalink: a\nx: {DEEP}\n---\n- a"),
        ("basic-memory", "a.md", "---\npermalink: a\ncreated: 2026-99-99\n---\n- a"),
    ],
)
def test_what_is_nested_too_deep_or_of_another_type_is_told_not_raised(
    tmp_path: Path, format_: str, name: str, text: str
) -> None:
    assert all(item.place for item in items_of(written(tmp_path, name, text), format_))


def test_a_record_that_is_too_deep_for_a_message_is_refused_for_that(tmp_path: Path) -> None:
    text = f'[{{"memory": "shallow"}}, {{"memory": "deep", "metadata": {DEEP}}}]'
    shallow, deep = found_in(written(tmp_path, "a.json", text), "mem0")
    Packed(shallow, arrival_of(shallow, {}, dedup=True))
    with pytest.raises(Unfit, match="nested deeper"):
        Packed(deep, arrival_of(deep, {}, dedup=True))


@pytest.mark.parametrize(
    "text",
    ["x " + "<!--" * 20_000, "# x" + " " * 20_000 + "y", "- [[a]]" + " " * 20_000 + "b", "- a" + " " * 20_000 + "[["],
)
def test_a_line_that_makes_patterns_look_back_is_read_in_no_time(tmp_path: Path, text: str) -> None:
    started = time.process_time()
    assert found_in(written(tmp_path, "a.md", text), "basic-memory") or text.startswith("#")
    assert time.process_time() - started < 1.0


def test_comments_leave_the_text_and_an_open_one_stays() -> None:
    assert [block.text for block in blocks("- a <!-- b: c --> d <!-- e")] == ["a  d <!-- e"]
    assert annotations("<!-- b: c --> <!-- d: e") == {"b": "c"}


def test_a_heading_loses_the_hashes_that_close_it() -> None:
    assert [block.headings for block in blocks("## a b ##  \nc\n# d\ne")] == [("a b",), ("d",)]
