import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.understanding.chunking import Chunk, ChunkingPolicy, Profile, chunks_of, profile_for
from reveried.domain.understanding.cleaning import FENCE, clean
from reveried.domain.understanding.text import estimate_tokens, sentences

POLICY = ChunkingPolicy()
MEANING = profile_for("agent", None, POLICY)
DOCUMENT = profile_for("upload", None, POLICY)
CHAT = profile_for("chat", None, POLICY)
PROFILES = [MEANING, DOCUMENT, CHAT]

WORD = st.sampled_from(["harbour", "tide", "Ada", "7", "e.g. the", "naïve", "東京は", "x" * 30])
SENTENCE = st.builds(
    lambda words, stop: f"The {' '.join(words)}{stop}",
    st.lists(WORD, min_size=1, max_size=40),
    st.sampled_from([".", "!", "?", "。"]),
)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=12).map(" ".join)
HEADING = st.builds(lambda level, word: f"{'#' * level} About {word}", st.integers(1, 4), WORD)
CODE = st.lists(st.sampled_from(["x = 1", "", "", "# no heading", "    return. Then"]), max_size=25).map("\n".join)
FENCED = CODE.map(lambda code: f"```py\n{code}\n```")
BOOK = st.lists(PARAGRAPH | HEADING | FENCED, min_size=1, max_size=14).map("\n\n".join).map(clean)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=3000).map(clean)


def size(chunk: Chunk, profile: Profile) -> int:
    return estimate_tokens(chunk.text) if profile.name == "meaning" else len(chunk.text)


def uncovered(text: str, chunks: list[Chunk]) -> str:
    missing = list(text)
    for chunk in chunks:
        assert text[chunk.position : chunk.position + len(chunk.text)] == chunk.text
        missing[chunk.position : chunk.position + len(chunk.text)] = " " * len(chunk.text)
    return "".join(missing).strip()


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@given(text=ANY_TEXT | BOOK)
def test_every_character_is_in_some_chunk_and_no_chunk_is_too_large(profile: Profile, text: str) -> None:
    chunks = chunks_of(text, profile)
    assert uncovered(text, chunks) == ""
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(0 < size(chunk, profile) <= profile.most for chunk in chunks)
    assert all(chunk.text == chunk.text.strip() for chunk in chunks)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
@given(text=BOOK)
def test_no_sentence_is_cut_and_every_fence_is_whole(profile: Profile, text: str) -> None:
    chunks = chunks_of(text, profile)
    for fence in FENCE.finditer(text):
        assert any(fence[0].strip() in chunk.text for chunk in chunks)
    for sentence in sentences(FENCE.sub("\n\n", text)):
        if size(Chunk(0, 0, sentence), profile) <= profile.most:
            assert any(sentence in chunk.text for chunk in chunks), sentence


@given(text=BOOK)
def test_a_small_chunk_stays_alone_only_where_no_neighbour_has_room(text: str) -> None:
    chunks = chunks_of(text, MEANING)
    for first, second in pairwise(chunks):
        if min(size(first, MEANING), size(second, MEANING)) < MEANING.least:
            between = text[first.position + len(first.text) : second.position]
            assert sum(map(estimate_tokens, (first.text, between, second.text))) > MEANING.most


@pytest.mark.parametrize("profile", [DOCUMENT, CHAT], ids=lambda profile: profile.name)
@given(text=BOOK)
def test_document_chunks_repeat_whole_sentences_and_not_too_many(profile: Profile, text: str) -> None:
    chunks = chunks_of(text, profile)
    for first, second in pairwise(chunks):
        shared = first.position + len(first.text) - second.position
        assert first.position < second.position
        assert shared <= profile.overlap
        if shared > 0:
            assert any(second.text.startswith(sentence) for sentence in sentences(second.text))


@pytest.mark.parametrize("profile", [DOCUMENT, CHAT], ids=lambda profile: profile.name)
@given(text=BOOK)
def test_a_heading_starts_a_chunk(profile: Profile, text: str) -> None:
    for chunk in chunks_of(text, profile):
        above, *rest = re.split(r"^#{1,6} \S", FENCE.sub("", chunk.text), flags=re.MULTILINE)
        if rest:
            assert above == ""


def test_a_text_under_the_least_size_is_one_chunk() -> None:
    (chunk,) = chunks_of("One.\n\nTwo.\n\n# Three\n\n```\nfour\n```", MEANING)
    assert chunk.text == "One.\n\nTwo.\n\n# Three\n\n```\nfour\n```"


def test_paragraphs_of_a_fair_size_stay_apart() -> None:
    paragraph = " ".join(f"Word{number}" for number in range(60))
    assert len(chunks_of(f"{paragraph}\n\n{paragraph}", MEANING)) == 2


def test_a_heading_goes_with_what_follows_it() -> None:
    paragraph = " ".join(f"word{number}" for number in range(40))
    chunks = chunks_of(f"{paragraph}\n\n# Tides\n\n{paragraph}", MEANING)
    assert [chunk.text.startswith("# Tides") for chunk in chunks] == [False, True]


def test_unspaced_scripts_are_cut_at_their_own_stops() -> None:
    sentence = "明日は東京で会議がありますのでよろしくお願いします。"
    chunks = chunks_of(sentence * 40, MEANING)
    assert len(chunks) > 1
    assert all(chunk.text.endswith("。") for chunk in chunks)


def test_a_sentence_longer_than_a_chunk_is_cut_between_words_as_the_last_resort() -> None:
    words = [f"word{number}" for number in range(1000)]
    chunks = chunks_of(" ".join(words), DOCUMENT)
    assert [word for chunk in chunks for word in chunk.text.split()] == words


def test_a_fence_larger_than_a_chunk_is_cut_between_lines() -> None:
    lines = ["```py", *(f"value_{number} = compute(value_{number - 1})" for number in range(200)), "```"]
    for profile in PROFILES:
        chunks = chunks_of("\n".join(lines), profile)
        assert len(chunks) > 1
        assert all(line in lines for chunk in chunks for line in chunk.text.splitlines())


def test_a_document_overlaps_by_its_last_short_sentences() -> None:
    text = " ".join(f"This is sentence number {number} of the report." for number in range(60))
    first, second, *_ = chunks_of(text, DOCUMENT)
    shared = first.position + len(first.text) - second.position
    assert 60 < shared <= 120
    assert second.text.startswith("This is")


@pytest.mark.parametrize(
    ("source", "asked", "name"),
    [
        ("upload", None, "document"),
        ("connector", None, "document"),
        ("chat", None, "chat"),
        ("agent", None, "meaning"),
        ("upload", "meaning", "meaning"),
    ],
)
def test_the_source_chooses_the_profile_unless_the_caller_does(source: str, asked: str | None, name: str) -> None:
    assert profile_for(source, asked, POLICY).name == name  # type: ignore[arg-type]
