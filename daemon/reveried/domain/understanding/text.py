"""The forms of a text: cleaned for keeping, normalised for comparing, cut into sentences, measured in tokens."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator

from reveried.domain.understanding.words import content_words as content_words

# Always succeeds once a fence has opened, at its close or at the end of the text: no fence is read twice.
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MANY_NEWLINES = re.compile(r"\n{3,}")
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


def clean(text: str) -> str:
    """Trimmed, NFC, one kind of newline, and at most one blank line in a row outside code fences."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip()
    return _without_wide_gaps(text) if "\n\n\n" in text else text


def _without_wide_gaps(text: str) -> str:
    pieces: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        pieces += (_MANY_NEWLINES.sub("\n\n", text[end : fence.start()]), fence[0])
        end = fence.end()
    pieces.append(_MANY_NEWLINES.sub("\n\n", text[end:]))
    return "".join(pieces)


def normalised(text: str) -> str:
    """What two texts must share to be the same words: NFC, trimmed, whitespace collapsed, case kept."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def content_hash(text: str) -> str:
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).hexdigest()


def sentences(text: str) -> Iterator[str]:
    """Lazily, so that a title costs no more for a long text than for a short one."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if text[end.start()] in ".!?" and not _ends_sentence(text, start, end):
            continue
        if sentence := text[start : end.end()].strip():
            yield sentence
        start = end.end()
    if sentence := text[start:].strip():
        yield sentence


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
    return sum(1 for _ in _PIECE.finditer(text))
