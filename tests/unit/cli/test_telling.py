"""Every event has a sentence of its own, made of what it says; one from a newer daemon gets a plain one."""

import json
from pathlib import Path
from typing import Any

import pytest

from reverie.cli.telling import SENTENCES, sentence
from reverie.protocol.results import EventView
from reveried.domain.events import EVENTS
from reveried.log.payload import readable

GOLDEN = Path(__file__).parents[2] / "golden" / "events.jsonl"
EXAMPLES = [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def event(type_: str, payload: dict[str, Any] | None, subject: int | None = 12, actor: str = "ada") -> EventView:
    return EventView(seq=40, at=0, type=type_, namespace="default", subject=subject, actor=actor, payload=payload)


def test_no_event_lacks_a_sentence() -> None:
    assert sorted(EVENTS.keys() - SENTENCES.keys()) == [], "add them to SENTENCES in cli/telling.py"
    assert sorted(SENTENCES.keys() - EVENTS.keys()) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_every_golden_event_is_told_in_one_readable_line(example: dict[str, str]) -> None:
    told = sentence(event(example["type"], readable(example["type"], example["payload"].encode())))
    assert "\n" not in told
    assert not any(sign in told for sign in ("{", "}", "None", "  ", "sha256"))
    assert 10 < len(told) < 160


@pytest.mark.parametrize(
    ("type_", "payload", "told"),
    [
        ("memory.stored", {"content": "Ada prefers tea"}, "ada stored [id:12] “Ada prefers tea”"),
        ("memory.recalled", {"query": "tea?", "ids": [1, 3]}, "ada recalled “tea?” and got [id:1] [id:3]"),
        ("memory.recalled", {"query": None, "ids": [1]}, "ada recalled (question erased) and got [id:1]"),
        ("memory.reinforced", {"amount": 3}, "ada found [id:12] useful (+3)"),
        ("memory.deleted", {"reason": "wrong"}, "ada deleted [id:12] (wrong)"),
        ("memory.tagged", {"tags": ["a", "b"]}, "ada tagged [id:12] a, b"),
        ("memory.deleted", None, "ada deleted [id:12] (its words were erased since)"),
        (
            "memory.transitioned",
            {"ids": [1, 2], "what": "state", "before": "active", "after": "stale", "reason": "retention_below_stale"},
            "[id:1] [id:2] went from active to stale (nobody came back to it)",
        ),
        (
            "memory.transitioned",
            {"ids": [*range(40)], "what": "tier", "before": "hot", "after": "warm", "reason": "x"},
            "ada moved 40 memories from hot to warm",
        ),
        ("job.ran", {"job": "sleep", "changed": {"warm": 4, "cold": 0}}, "sleep ran and changed 4 warm"),
        ("job.ran", {"job": "sleep", "failed": "no disk"}, "sleep failed: no disk"),
        ("memory.dreamt", {"of": [1, 2], "mood": ""}, "ada: memory dreamt [id:12] of 1, 2"),
    ],
)
def test_a_sentence_says_who_did_what(type_: str, payload: dict[str, Any] | None, told: str) -> None:
    assert sentence(event(type_, payload)) == told


def test_long_words_are_cut_and_control_characters_spelt_out() -> None:
    told = sentence(event("memory.stored", {"content": "\x1b[2J" + "tea " * 200}), 30)
    assert "\x1b" not in told
    assert told.endswith("…”")
    assert len(told) < 70
