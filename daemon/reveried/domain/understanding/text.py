"""The forms of a text: normalised for comparing, cut into sentences, measured in tokens."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator

from reveried.domain.understanding.words import content_words as content_words

# It begins with a plain set of characters because the engine can then skip everything else.
_SENTENCE_END = re.compile(
    r"[.!?。！？｡\n](?:(?<=[.!?])[\"')\]”»*_`]{0,3}\s+|(?<=[。！？｡])[」』”’）]{0,3}\s*"
    r"|(?<=\n)(?:[ \t]*\n\s*|(?=[ \t]{0,8}(?:[-*•#]|\d{1,3}[.)]) )))"
)
_OPENING = "\"'([{“«‘*_`#- "
_ABBREVIATIONS = frozenset(
    """
    e.g. i.e. cf. vs. mr. mrs. ms. dr. prof. sr. jr. st. no. nr. art. sec. fig. vol. pp. ca. approx. dept. inc. ltd.
    co. corp. gen. col. sgt. rev. hon. jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. z.b. bzw. u.a.
    """.split()
)
_WORD_BEFORE = re.compile(r"[^\s(]{1,12}\Z")
_INITIAL = re.compile(r"(?:[^\W\d_]\.)+\Z")
# A word piece of a common tokenizer: up to eight Latin letters, three digits, one CJK character, three letters
# of any other script, two signs, or a line break with its indentation.
_PIECE = re.compile(
    r"[A-Za-z]{1,8}|[0-9]{1,3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]{1,3}|[^\w\s]{1,2}|\n\s*"
)


def normalised(text: str) -> str:
    """What two texts must share to be the same words: NFC, trimmed, whitespace collapsed, case kept."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def content_hash(text: str) -> str:
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


def sentences(text: str) -> Iterator[str]:
    """Lazily, so that a title costs no more for a long text than for a short one."""
    for start, end in sentence_spans(text, 0, len(text)):
        if sentence := text[start:end].strip():
            yield sentence


def sentence_spans(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where each sentence of a part of the text begins and ends, with the space behind it: no gaps between them."""
    for end in _SENTENCE_END.finditer(text, start, stop):
        if text[end.start()] in ".!?" and not _ends_sentence(text, start, end):
            continue
        yield start, end.end()
        start = end.end()
    if start < stop:
        yield start, stop


def _ends_sentence(text: str, start: int, end: re.Match[str]) -> bool:
    following = text[end.end() : end.end() + 6].lstrip(_OPENING)[:1]
    if not following.isalpha() or following.islower():
        return False
    if text[end.start()] != ".":
        return True
    before = _WORD_BEFORE.search(text, max(start, end.start() - 12), end.start() + 1)
    word = before[0] if before else ""
    return word.lower() not in _ABBREVIATIONS and not _INITIAL.fullmatch(word)


def first_sentences(text: str, count: int) -> list[str]:
    return [sentence for _, sentence in zip(range(count), sentences(text), strict=False)]


def title_of(text: str, limit: int = 120) -> str:
    """The first sentence on one line, cut at a word where it is too long."""
    return title_from("".join(first_sentences(text, 1)), limit)


def title_from(sentence: str, limit: int) -> str:
    line = " ".join((sentence.lstrip("#>*-• \t") or sentence).split())
    return line if len(line) <= limit else _shortened(line, limit)


def _shortened(line: str, limit: int) -> str:
    cut = line[: limit - 1]
    at_word = cut.rfind(" ", limit // 2)
    return (cut if at_word < 0 else cut[:at_word]).rstrip(" ,;:-") + "…"


def summary_of(text: str, count: int = 3) -> str:
    return " ".join(first_sentences(text, count))


def estimate_tokens(text: str) -> int:
    """What a common tokenizer would count, without one: right to about a fifth for prose, code and CJK."""
    return len(_PIECE.findall(text))
