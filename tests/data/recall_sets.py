"""The hand-written sets that recall is measured on: notes, chats, long dialogues, restated facts, silence."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "recall"

NOTE_SETS = ("agent_notes", "chinese_notes", "mixed_notes")
CONVERSATION_SETS = ("chats", "assistant", "chinese")


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def conversations(name: str) -> list[dict[str, Any]]:
    """The conversations of a file, each with its own sessions and questions."""
    loaded: list[dict[str, Any]] = load(name)["conversations"]
    return loaded


def turns(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Every turn in order, with the date of its session."""
    return [turn | {"date": session["date"]} for session in conversation["sessions"] for turn in session["turns"]]


def questions(of: dict[str, Any], half: str | None = None) -> list[dict[str, Any]]:
    return [question for question in of["questions"] if half is None or question["half"] == half]
