"""The labelled sets of recall hold together: a wrong label would be measured as a wrong answer."""

from collections import Counter
from typing import Any

import pytest

from data.recall_sets import CONVERSATION_SETS, NOTE_SETS, conversations, load, questions, turns

COUNTS = {"agent_notes": (160, 100), "chinese_notes": (60, 40), "mixed_notes": (60, 40)}
TURNS = {"chats": (300, 100), "assistant": (70, 60), "chinese": (70, 25)}


def assert_labelled(texts: list[dict[str, Any]], of: dict[str, Any]) -> None:
    ids = [text["id"] for text in texts]
    assert len(set(ids)) == len(ids)
    assert all(text["text"].strip() and text["date"] for text in texts)
    for question in questions(of):
        assert question["evidence"], question
        assert set(question["evidence"]) <= set(ids), question
        assert question["kind"] in {"single", "multi", "temporal", "inference"}, question
    assert_asked_once([question["question"] for question in questions(of)])


def assert_asked_once(asked: list[str]) -> None:
    assert [text for text, times in Counter(asked).items() if times > 1] == []


def assert_halved(of: list[dict[str, Any]]) -> None:
    halves = Counter(row["half"] for row in of)
    assert set(halves) == {"dev", "test"}
    assert abs(halves["dev"] - halves["test"]) <= 1


@pytest.mark.parametrize("name", NOTE_SETS)
def test_every_question_about_notes_names_notes_that_exist(name: str) -> None:
    loaded = load(name)
    notes, asked = COUNTS[name]
    assert_labelled(loaded["notes"], loaded)
    assert_halved(loaded["questions"])
    assert len(loaded["notes"]) >= notes
    assert len(loaded["questions"]) >= asked
    assert len({note["text"] for note in loaded["notes"]}) == len(loaded["notes"])


@pytest.mark.parametrize("name", CONVERSATION_SETS)
def test_every_question_about_a_conversation_names_turns_of_it(name: str) -> None:
    loaded = conversations(name)
    said, asked = TURNS[name]
    for conversation in loaded:
        assert_labelled(turns(conversation), conversation)
        assert_halved(conversation["questions"])
    assert sum(len(turns(conversation)) for conversation in loaded) >= said
    assert sum(len(conversation["questions"]) for conversation in loaded) >= asked


def test_two_hundred_questions_are_foreign_to_the_notes_and_a_hundred_are_built_from_them() -> None:
    asked = load("unanswerable")["questions"]
    ids = {note["id"] for note in load("agent_notes")["notes"]}
    assert Counter(row["hardness"] for row in asked) == {"far": 200, "near": 100}
    assert all((row.get("about") in ids) == (row["hardness"] == "near") for row in asked)
    assert_halved(asked)
    assert_asked_once([row["question"] for row in asked + load("agent_notes")["questions"]])


def test_a_restated_fact_has_a_newer_statement_in_other_words() -> None:
    loaded = load("restated")
    every = loaded["pairs"] + loaded["controls"]
    assert (len(loaded["pairs"]), len(loaded["controls"]), len(loaded["distractors"])) == (100, 30, 60)
    assert all(row["older"]["date"] < row["newer"]["date"] for row in every)
    texts = [row[age]["text"] for row in every for age in ("older", "newer")]
    texts += [row["text"] for row in loaded["distractors"]]
    assert_asked_once(texts)
    assert_asked_once([row["question"] for row in every])
    assert Counter(row["why"] for row in loaded["controls"]) == {"past": 15, "different": 15}
    assert_halved(loaded["pairs"])
    assert_halved(loaded["controls"])
