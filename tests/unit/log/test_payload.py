"""Events come back as they were sealed, digests outlive the words, and what cannot be read says so."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.events import EVENTS, MemoryPinned, MemoryRecalled, MemoryStored
from reveried.errors import LogDamaged
from reveried.log.payload import REDACTABLE, SALT_BYTES, digest_of, readable, redact, redactable_text, seal, unseal
from unit.domain.histories import stored
from unit.log.golden import GOLDEN, GoldenEvent, golden_events

SALT = bytes(range(SALT_BYTES))
RECALLED = MemoryRecalled(query="where is the garden", ids=(1, 2), profile="hebbian")


@pytest.mark.parametrize("line", golden_events(), ids=lambda line: line.name)
def test_a_golden_event_decodes_to_its_pinned_value_for_good(line: GoldenEvent) -> None:
    assert unseal(line.type, line.payload) == GOLDEN[line.name]
    assert digest_of(line.type, line.payload) == line.digest


@pytest.mark.parametrize("line", golden_events(), ids=lambda line: line.name)
def test_sealing_a_golden_event_still_gives_the_same_bytes(line: GoldenEvent) -> None:
    if line.type in REDACTABLE:
        pytest.skip("its redactable field carries fresh random salt")
    sealed = seal(GOLDEN[line.name], SALT)
    assert (sealed.payload, sealed.digest) == (line.payload, line.digest)


def test_every_event_of_the_catalogue_has_a_golden_line() -> None:
    assert {line.type for line in golden_events()} == set(EVENTS)
    assert all(EVENTS[event.type] is type(event) for event in GOLDEN.values())


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | words
json_like = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))


@given(words, st.dictionaries(words, json_like, max_size=3), st.lists(words, max_size=3).map(tuple))
def test_what_was_sealed_comes_back(content: str, metadata: dict[str, object], tags: tuple[str, ...]) -> None:
    event = stored(content, metadata=metadata, tags_manual=tags)
    sealed = seal(event, SALT)
    assert unseal(event.type, sealed.payload) == event
    assert digest_of(event.type, sealed.payload) == sealed.digest


@given(words, st.lists(st.integers(0, 2**62), max_size=4).map(tuple))
def test_a_redacted_query_is_gone_and_the_digest_stays(query: str, ids: tuple[int, ...]) -> None:
    sealed = seal(MemoryRecalled(query=query, ids=ids, profile="p"), SALT)
    assert redactable_text(MemoryRecalled.type, sealed.payload) == query
    redacted = redact(MemoryRecalled.type, sealed.payload)
    assert digest_of(MemoryRecalled.type, redacted) == sealed.digest
    assert redactable_text(MemoryRecalled.type, redacted) is None
    assert redact(MemoryRecalled.type, redacted) == redacted
    assert unseal(MemoryRecalled.type, redacted) == MemoryRecalled(query="", ids=ids, profile="p")


def test_another_query_has_another_digest() -> None:
    sealed = seal(RECALLED, SALT)
    forged = sealed.payload.replace(b"garden", b"harbor")
    assert digest_of(RECALLED.type, forged) != sealed.digest


def test_the_same_event_has_another_digest_under_another_salt() -> None:
    assert seal(MemoryPinned(), SALT).digest != seal(MemoryPinned(), b"x" * SALT_BYTES).digest
    assert seal(RECALLED, SALT).digest != seal(RECALLED, SALT).digest


def test_an_emptied_event_is_none() -> None:
    assert unseal("memory.stored", None) is None
    assert readable("memory.stored", None) is None


def test_a_client_sees_neither_salts_nor_fingerprints() -> None:
    sealed = seal(stored("words", request="print"), SALT)
    shown = readable(MemoryStored.type, sealed.payload)
    assert shown is not None
    assert shown["content"] == "words"
    assert not {"salt", "request"} & shown.keys()
    assert readable(RECALLED.type, seal(RECALLED, SALT).payload) == {
        "query": RECALLED.query, "ids": [1, 2], "profile": "hebbian",
    }  # fmt: skip


def test_an_unknown_type_is_damage_with_advice() -> None:
    with pytest.raises(LogDamaged, match=r"'memory\.dreamt', which this version does not know") as refusal:
        unseal("memory.dreamt", b"{}")
    assert "never skipped" in (refusal.value.hint or "")


@pytest.mark.parametrize("type_", sorted(EVENTS))
@pytest.mark.parametrize("payload", [b"", b"[1]", b"5", b'"query"', b"{", b"\xff"])
def test_a_payload_that_is_no_map_is_damage(type_: str, payload: bytes) -> None:
    with pytest.raises(LogDamaged, match=f"the payload of a {type_} event cannot be read"):
        unseal(type_, payload)


@pytest.mark.parametrize("payload", [b"{}", b'{"query":5}', b'{"query":"x"}', b'{"query":{"text":1}}'])
def test_a_recall_whose_query_has_another_shape_is_damage(payload: bytes) -> None:
    with pytest.raises(LogDamaged, match=r"the payload of a memory\.recalled event cannot be read"):
        unseal(RECALLED.type, payload)


def test_the_golden_file_is_plain_json_lines() -> None:
    path = Path(__file__).parents[2] / "golden" / "events.jsonl"
    for line in path.read_text().splitlines():
        assert json.loads(json.loads(line)["payload"])["salt"]


def test_a_payload_nested_without_end_is_damage_not_a_crash() -> None:
    for type_ in (MemoryStored.type, MemoryRecalled.type):
        with pytest.raises(LogDamaged):
            unseal(type_, b"[" * 100_000)
