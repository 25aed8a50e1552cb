"""The MCP reference server's graph: every entity, observation and relation comes along, and nothing is lost of it."""

import json
from pathlib import Path

from unit.transfer.reading import found_in, looks_like, skipped_in, written

LINES = [
    {"type": "entity", "name": "Ada_Lovelace", "entityType": "person",
     "observations": ["Likes tea", "Ada_Lovelace writes ñ 東京"]},
    {"type": "entity", "name": "Acme", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "Ada_Lovelace", "to": "Acme", "relationType": "works_at"},
    {"type": "entity", "entityName": "Old", "entityType": "thing", "observations": ["from an old file"]},
    {"type": "relation", "from_id": "Old", "to_id": "Acme", "relation_type": "part_of"},
]  # fmt: skip


def test_observations_and_relations_are_a_memory_each_in_old_and_new_spelling(tmp_path: Path) -> None:
    path = written(tmp_path, "memory.jsonl", "\n".join(map(json.dumps, LINES)))
    assert looks_like(path) == "mcp"
    assert [one.draft.content for one in found_in(path)] == [
        "Ada_Lovelace: Likes tea",
        "Ada_Lovelace writes ñ 東京",
        "Acme (organization)",
        "Ada_Lovelace works at Acme",
        "Old: from an old file",
        "Old part of Acme",
    ]


def test_the_graph_can_be_made_again_from_the_metadata(tmp_path: Path) -> None:
    found = found_in(written(tmp_path, "memory.jsonl", "\n".join(map(json.dumps, LINES))))
    about = [one.draft.metadata["mcp"] for one in found]
    observations: dict[tuple[str, str], list[str]] = {}
    for one in about:
        if "entity" in one:
            known = observations.setdefault((one["entity"], one["entityType"]), [])
            known += [one["observation"]] if "observation" in one else []
    assert observations == {
        ("Ada_Lovelace", "person"): ["Likes tea", "Ada_Lovelace writes ñ 東京"],
        ("Acme", "organization"): [],
        ("Old", "thing"): ["from an old file"],
    }
    assert {(one["from"], one["relationType"], one["to"]) for one in about if "from" in one} == {
        ("Ada_Lovelace", "works_at", "Acme"), ("Old", "part_of", "Acme"),
    }  # fmt: skip
    assert found[0].draft.entities == ["Ada_Lovelace"]
    assert found[0].draft.tags == ["person"]


def test_broken_lines_are_told_with_number_and_reason_and_cost_only_themselves(tmp_path: Path) -> None:
    good = [json.dumps(LINES[0]).encode(), json.dumps(LINES[2]).encode()]
    bad = [b'{"type": "entity", "name": ', b"\xff\xfe", b'{"type":"wish"}', b"[1]", b'{"type":"relation","from":"x"}']
    path = written(tmp_path, "memory.jsonl", b"\n".join([good[0], *bad, b"", good[1]]))
    assert len(found_in(path)) == 3
    assert [one.place for one in skipped_in(path)] == [f"memory.jsonl:{line}" for line in range(2, 7)]
    assert all(one.bad and one.reason for one in skipped_in(path))


def test_a_graph_as_one_object_is_read_too(tmp_path: Path) -> None:
    graph = {"entities": [LINES[0], LINES[1]], "relations": [LINES[2]]}
    path = written(tmp_path, "graph.json", json.dumps(graph, indent=2))
    assert looks_like(path) == "mcp"
    assert len(found_in(path)) == 4
