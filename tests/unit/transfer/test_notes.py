"""Goose and basic-memory: notes with a form of their own."""

from pathlib import Path

from unit.transfer.reading import found_in, looks_like, skipped_in, written

NOTE = """---
title: Coffee Brewing
type: note
permalink: food/coffee-brewing
tags: [coffee, brewing]
created: 2026-01-02T03:04:05+00:00
modified: 2026-02-02
custom: {roast: dark}
---

# Coffee Brewing

A paragraph about coffee with a [[Wiki Link]] inside.

## Observations
- [method] Pour over gives clarity #brewing #clean (tested twice)
- [decision] We use 93 °C
- [ ] buy filters
- [x] clean the grinder
- [a link](https://example.org)

## Relations
- pairs_well_with [[Chocolate]] (in winter)
- "is part of" [[Morning Routine]]
- [[Tea|the other]]
"""


def test_observations_relations_and_paragraphs_of_basic_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "coffee.md", NOTE)
    assert looks_like(path) == "basic-memory"
    found = {one.draft.content: one for one in found_in(path)}
    assert list(found) == [
        "A paragraph about coffee with a [[Wiki Link]] inside.",
        "Pour over gives clarity #brewing #clean",
        "We use 93 °C",
        "[ ] buy filters",
        "[x] clean the grinder",
        "[a link](https://example.org)",
        "Coffee Brewing pairs well with Chocolate",
        "Coffee Brewing is part of Morning Routine",
        "Coffee Brewing links to Tea",
    ]
    observed = found["Pour over gives clarity #brewing #clean"].draft
    assert observed.tags == ["coffee", "brewing", "method", "clean"]
    assert observed.metadata["basic-memory"] == {
        "title": "Coffee Brewing", "type": "note", "permalink": "food/coffee-brewing", "custom": {"roast": "dark"},
        "category": "method", "context": "tested twice",
        "line": "[method] Pour over gives clarity #brewing #clean (tested twice)",
    }  # fmt: skip
    assert observed.created_at == 1_767_323_045_000_000
    life = found["We use 93 °C"].life
    assert life is not None
    assert life.updated_at == 1_769_990_400_000_000
    assert found["We use 93 °C"].draft.kind == "decision"
    relation = found["Coffee Brewing pairs well with Chocolate"].draft
    assert relation.entities == ["Coffee Brewing", "Chocolate"]
    assert relation.metadata["basic-memory"]["relation"] == "pairs_well_with"
    assert relation.metadata["basic-memory"]["context"] == "in winter"


def test_broken_front_matter_costs_itself_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "n.md", "---\npermalink: x\n: : [\n---\n\n- [fact] still here\n")
    assert [one.draft.content for one in found_in(path)] == ["still here"]
    (skipped,) = skipped_in(path)
    assert skipped.place == "n.md:1"
    assert "YAML" in skipped.reason


def test_an_entry_of_goose_has_its_category_and_its_tags(tmp_path: Path) -> None:
    text = "# python style\nUse black for formatting\nand ruff\n\nNo tags here: ñandú\n\n\n#short\nwords\n\n# alone\n"
    path = written(tmp_path, "goose/memory/development.txt", text)
    assert looks_like(path) == "goose"
    assert [(one.draft.content, one.draft.tags) for one in found_in(path)] == [
        ("Use black for formatting\nand ruff", ["development", "python", "style"]),
        ("No tags here: ñandú", ["development"]),
        ("words", ["development", "short"]),
        ("# alone", ["development"]),
    ]
    assert [one.place.partition(":")[2] for one in found_in(path)] == ["1", "5", "8", "11"]
