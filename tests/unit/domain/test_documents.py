import pytest

from reverie.protocol.requests import Ingest
from reveried.domain import decide, documents
from reveried.domain.events import DocumentContinued
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.chunking import Chunk
from reveried.domain.understanding.understand import UnderstandingPolicy
from reveried.domain.understanding.worth import IngestPolicy, Worth
from reveried.errors import InvalidField
from unit.domain.records import after

NOW = 1_700_000_000_000_000


def received(text: str, **about: object) -> documents.Received:
    request = Ingest(id=0, text="", **about)  # type: ignore[arg-type]
    return documents.received(request, text, ContentLimits(), UnderstandingPolicy(), IngestPolicy(), NOW, "mark")


@pytest.mark.parametrize("length", [1, 199_999, 200_000, 200_001, 400_000, 555_555])
def test_the_parts_of_a_text_are_the_text(length: int) -> None:
    text = ("pier " * (length // 5 + 1))[:length].strip().ljust(length, "x")
    first, *rest = received(text)
    assert first.text + "".join(part.text for part in rest if isinstance(part, DocumentContinued)) == text
    assert (first.length, first.parts) == (length, 1 + len(rest))


def test_the_hash_is_of_every_character_and_no_memory_has_such_a_one() -> None:
    hashes = {received(text)[0].text_hash for text in ("if x:\n  y", "if x:\n    y", "if x:\n  Y")}
    assert len(hashes) == 3
    assert all(hash_.startswith("document:") for hash_ in hashes)


def test_a_document_begins_with_its_opening_as_it_stands() -> None:
    first = received("# Tides\n\nHigh at 6. Low at noon. High again.")[0]
    assert (first.title, first.opening) == ("Tides", "# Tides\n\nHigh at 6. Low at noon.")


def test_how_it_is_cut_is_settled_when_it_comes_in() -> None:
    first = received("Some text.", source="chat")[0]
    assert (first.profile, first.most, first.overlap, first.discard_below) == ("chat", 800, 80, 0.3)
    assert documents.profile_of(first).name == "chat"


def test_a_credential_is_replaced_and_said() -> None:
    first = received("The key is AKIA" + "IOSFODNN7EXAMPLE, keep it.")[0]
    assert "AKIA" not in first.text
    assert first.notes == ("redacted:aws-key",)


def test_a_time_in_the_future_is_refused() -> None:
    with pytest.raises(InvalidField):
        received("words", created_at=NOW + 1)


def test_a_chunk_inherits_what_is_said_of_the_whole_and_knows_its_place() -> None:
    first = received("x" * 50, title="T", source="upload", source_ref="t.md", tags=["a"], created_at=5, speaker="Ada")[
        0
    ]
    draft = documents.draft_of(first, 7, Chunk(3, 20, "One. Two. Three."), Worth(0.7, 1.0, 0.25, {}))
    assert (draft.title, draft.source, draft.source_ref, draft.speaker) == ("T", "upload", "t.md", "Ada")
    assert (draft.parent_id, draft.chunk_index, draft.tags, draft.created_at) == (7, 3, ["a"], 5)
    assert draft.metadata == {"position": 20, "original_length": 50}
    assert (draft.summary, draft.importance) == ("One. Two.", 0.7)


def test_a_text_that_is_here_already_changes_nothing() -> None:
    events = received("Some text.")
    assert decide.receive_text(events, None) == decide.Decision(
        outcome="received", events=events, notes=events[0].notes
    )
    assert decide.receive_text(events, after(id_=7)) == decide.Decision(outcome="duplicate", subject=7)


def test_a_text_without_a_visible_character_is_refused() -> None:
    with pytest.raises(InvalidField, match="the text is empty"):
        received(" \n\t")
