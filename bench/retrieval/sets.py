"""Texts with questions whose answers are known: conversations of LoCoMo, and the sets that ship with the tests."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

OURS = Path(__file__).parent.parent.parent / "tests" / "data" / "recall"
ADVERSARIAL = 5


class Text(NamedTuple):
    """`session` is None for a note that stands alone."""

    name: str
    content: str
    at: datetime
    speaker: str | None = None
    session: str | None = None


class Question(NamedTuple):
    text: str
    evidence: frozenset[str]
    category: str


class Collection(NamedTuple):
    """One memory to be searched; `texts` in the order they were said."""

    name: str
    texts: list[Text]
    questions: list[Question]


def locomo(path: Path) -> list[Collection]:
    """The ten conversations, with the corrected key beside the file applied where there is one."""
    corrected = _corrections(path.with_name("locomo_key_corrections.json"))
    conversations = json.loads(path.read_text())
    return [_conversation(number, sample, corrected) for number, sample in enumerate(conversations)]


def _corrections(path: Path) -> dict[str, list[str]]:
    if not path.exists():
        return {}
    return {one["question_id"]: one["correct_evidence"] for one in json.loads(path.read_text())}


def _conversation(number: int, sample: dict[str, Any], corrected: dict[str, list[str]]) -> Collection:
    texts = _turns(sample["conversation"])
    known = {text.name for text in texts}
    questions = []
    for place, asked in enumerate(sample["qa"]):
        named = corrected.get(f"locomo_{number}_qa{place}", asked.get("evidence", []))
        evidence = frozenset(_turn_names(named)) & known
        if evidence:
            questions.append(Question(asked["question"], evidence, str(asked["category"])))
    return Collection(sample["sample_id"], texts, questions)


def _turn_names(evidence: list[str]) -> list[str]:
    """Some entries of the key hold several turns, or zeros before a number."""
    found = [re.findall(r"D(\d+):(\d+)", entry) for entry in evidence]
    return [f"D{int(session)}:{int(turn)}" for pairs in found for session, turn in pairs]


def _turns(conversation: dict[str, Any]) -> list[Text]:
    texts = []
    sessions = [key for key in conversation if re.fullmatch(r"session_\d+", key)]
    for key in sorted(sessions, key=lambda name: int(name.split("_")[1])):
        at = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        texts += [Text(turn["dia_id"], turn["text"], at, turn["speaker"], key) for turn in conversation[key]]
    return [text for text in texts if text.content.strip()]


def ours(name: str) -> list[Collection]:
    """A set that ships with the tests: conversations with sessions, or notes that stand alone."""
    found = json.loads((OURS / f"{name}.json").read_text())
    return [_own(one) for one in found.get("conversations", [found])]


def _own(found: dict[str, Any]) -> Collection:
    spoken = [(session, turn) for session in found.get("sessions", []) for turn in session["turns"]]
    texts = [
        Text(turn["id"], turn["text"], _day(session), turn.get("speaker"), session["id"]) for session, turn in spoken
    ]
    texts += [Text(note["id"], note["text"], _day(note)) for note in found.get("notes", [])]
    questions = [
        Question(one["question"], frozenset(one["evidence"]), one.get("kind", "")) for one in found["questions"]
    ]
    return Collection(found["name"], texts, questions)


def _day(found: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(found.get("date", "2026-01-01")).replace(tzinfo=UTC)
