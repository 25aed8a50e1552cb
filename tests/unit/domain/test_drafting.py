"""What a caller says becomes an event: every field checked, cleaned of credentials, and kept as it was meant."""

from typing import Any

import pytest

from reverie.protocol.requests import Draft, Update
from reveried.domain import drafting
from reveried.domain.events import MemoryStored, MemoryUpdated
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.understand import UnderstandingPolicy
from reveried.errors import InvalidField

NOW = 1_700_000_000_000_000
KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA4cD7"
GONE, NOTE = "[redacted:github-token]", "redacted:github-token"
LONG = "One is here. Two is here. Three is here. Four is here. Five is here. Six is here."


def stored(redact: bool = True, **said: Any) -> MemoryStored:
    draft = Draft(**{"content": "The harbor opens at nine.", **said})
    return drafting.stored(draft, ContentLimits(), UnderstandingPolicy(redact=redact), NOW, "mark")


def updated(**said: Any) -> MemoryUpdated:
    return drafting.updated(Update(id=1, memory=7, **said), ContentLimits(), UnderstandingPolicy(), "mark")


@pytest.mark.parametrize(
    ("field", "said", "kept"),
    [
        ("source", f"chat {KEY}", f"chat {GONE}"),
        ("source_ref", "pwd=hunter2", "pwd=[redacted:assignment]"),
        ("speaker", "AKIA" + "ABCDEFGH12345678", "[redacted:aws-key]"),
        ("source_ref", KEY, GONE),
        ("speaker", KEY, GONE),
        ("tags", [KEY], (GONE,)),
        ("entities", [KEY], (GONE,)),
        (
            "relations",
            [(KEY, "uses", KEY), ("Ada", "uses", "Go")],
            ((GONE, "uses", GONE), ("Ada", "uses", "Go")),
        ),
        ("metadata", {"key": KEY}, {"key": GONE}),
    ],
)
def test_a_credential_is_taken_out_of_every_field_unless_that_is_off(field: str, said: Any, kept: Any) -> None:
    named = "tags_manual" if field == "tags" else field
    memory = stored(**{field: said})
    assert getattr(memory, named) == kept
    assert [note for note in memory.notes if note.startswith("redacted:")]
    untouched = stored(redact=False, **{field: said})
    assert "[redacted" not in str(getattr(untouched, named))
    assert not [note for note in untouched.notes if note.startswith("redacted")]


@pytest.mark.parametrize("field", ["session_id", "task_id"])
def test_a_name_that_looks_like_a_credential_is_refused_unless_that_is_off(field: str) -> None:
    with pytest.raises(InvalidField, match=f"{field} looks like a credential"):
        stored(**{field: KEY})
    assert getattr(stored(redact=False, **{field: KEY}), field) == KEY
    assert getattr(stored(**{field: " night "}), field) == "night"


def test_a_note_is_told_once_however_often_it_applies() -> None:
    memory = stored(content=f"The key is {KEY} there.", speaker=KEY, metadata={"key": KEY})
    assert memory.notes.count(NOTE) == 1


def test_what_is_not_said_has_its_default() -> None:
    memory = stored()
    assert (memory.source, memory.confidence, memory.created_at) == ("agent", 0.8, NOW)
    assert (memory.speaker, memory.metadata, memory.tags_manual, memory.notes) == (None, {}, (), ())
    assert (memory.pinned, memory.dedup, memory.request) == (False, True, "mark")


def test_what_is_said_is_kept() -> None:
    memory = stored(source="direct", confidence=0.0, created_at=0, priority=0.0, pinned=True, dedup=False)
    assert (memory.source, memory.confidence, memory.created_at, memory.priority) == ("direct", 0.0, 0, 0.0)
    assert (memory.pinned, memory.dedup) == (True, False)


def test_a_part_of_a_document_is_summarised_as_a_part() -> None:
    policy = UnderstandingPolicy(chunk_sentences=1, summary_sentences=3)
    summaries = [
        drafting.stored(Draft(content=LONG, chunk_index=index), ContentLimits(), policy, NOW, "mark").summary
        for index in (None, 0)
    ]
    assert len(summaries[0] or "") > len(summaries[1] or "") > 0


@pytest.mark.parametrize(
    ("field", "said", "kept"),
    [
        ("title", "Harbor", "Harbor"),
        ("tags", [], ()),
        ("tags", ["Sea"], ("sea",)),
        ("importance", 0.0, 0.0),
        ("metadata", {}, {}),
        ("metadata", {"a": 1}, {"a": 1}),
        ("level", 5, 1.0),
    ],
)
def test_an_update_changes_what_is_given_and_nothing_else(field: str, said: Any, kept: Any) -> None:
    named = {"tags": "tags_manual", "level": "importance"}.get(field, field)
    assert updated(**{field: said}) == MemoryUpdated(request="mark", **{named: kept})


def test_an_update_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidField, match="nothing to change"):
        updated()


def test_new_words_are_read_and_cleaned_like_those_of_a_new_memory() -> None:
    new = stored(content=f"The key is {KEY} there.")
    change = updated(content=f"The key is {KEY} there.", metadata={"key": KEY})
    for field in ("content", "content_hash", "title", "trust", "tags_auto", "notes"):
        assert getattr(change, field) == getattr(new, field), field
    assert updated(title=KEY).notes == (NOTE,)
