"""A long text cut into pieces that can be remembered one by one: by meaning, or as a document with an overlap."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from reveried.domain.understanding.spans import (
    Span,
    blocks,
    fitting,
    grouped,
    paragraphs,
    sections,
    sentences,
    trimmed,
)
from reveried.domain.understanding.text import estimate_tokens

ProfileName = Literal["meaning", "document", "chat"]


class ChunkingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_tokens: Annotated[int, Meta(ge=16, le=4_000, description="Largest chunk by meaning")] = 300
    min_tokens: Annotated[int, Meta(ge=0, le=1_000, description="A smaller chunk joins a neighbour")] = 50
    document_size: Annotated[
        int, Meta(ge=100, le=20_000, description="Largest chunk of a document", extra={"unit": "characters"})
    ] = 1200
    document_overlap: Annotated[
        int, Meta(ge=0, le=5_000, description="What two chunks of a document share", extra={"unit": "characters"})
    ] = 120
    chat_size: Annotated[
        int, Meta(ge=100, le=20_000, description="Largest chunk of a chat", extra={"unit": "characters"})
    ] = 800
    chat_overlap: Annotated[
        int, Meta(ge=0, le=5_000, description="What two chunks of a chat share", extra={"unit": "characters"})
    ] = 80


class Profile(Struct, frozen=True, kw_only=True):
    """How one text is cut. `least` and `overlap` belong to one way each: tokens by meaning, characters otherwise."""

    name: ProfileName
    most: int
    least: int = 0
    overlap: int = 0


class Chunk(Struct, frozen=True):
    index: int
    position: int
    text: str


_BY_SOURCE: dict[str, ProfileName] = {"upload": "document", "connector": "document", "chat": "chat"}


def profile_for(source: str, name: ProfileName | None, policy: ChunkingPolicy) -> Profile:
    """The one that was asked for, or the one that texts from such a source get."""
    match name or _BY_SOURCE.get(source, "meaning"):
        case "document":
            return Profile(name="document", most=policy.document_size, overlap=policy.document_overlap)
        case "chat":
            return Profile(name="chat", most=policy.chat_size, overlap=policy.chat_overlap)
        case _:
            return Profile(name="meaning", most=policy.max_tokens, least=policy.min_tokens)


def chunks_of(text: str, profile: Profile) -> list[Chunk]:
    """In order. Every character that is not space is in at least one of them, in more only where they overlap."""
    cut = _by_meaning if profile.name == "meaning" else _as_document
    return [Chunk(index, span.start, text[span.start : span.end]) for index, span in enumerate(cut(text, profile))]


def _by_meaning(text: str, profile: Profile) -> list[Span]:
    pieces: list[Span] = []
    for block in blocks(text):
        for part in (block,) if block.fence else paragraphs(text, block):
            fits = fitting(text, part, profile.most, estimate_tokens)
            pieces += grouped(text, fits, profile.most, estimate_tokens)
    kept = [_weighed(text, span) for piece in pieces if (span := trimmed(text, piece))]
    # A heading belongs to what follows; only one that finds no room there joins what precedes it.
    merged = _merged(text, _merged(text, kept, profile, headings=False), profile, headings=True)
    return [piece.span for piece in merged]


class _Piece(Struct, frozen=True):
    span: Span
    tokens: int


def _weighed(text: str, span: Span) -> _Piece:
    return _Piece(span, estimate_tokens(text[span.start : span.end]))


def _merged(text: str, pieces: list[_Piece], profile: Profile, *, headings: bool) -> list[_Piece]:
    merged: list[_Piece] = []
    for piece in pieces:
        joined = _joined(text, merged[-1], piece, profile) if merged else None
        if joined and (headings or not _is_heading(text, piece.span)):
            merged[-1] = joined
        else:
            merged.append(piece)
    return merged


def _joined(text: str, first: _Piece, second: _Piece, profile: Profile) -> _Piece | None:
    """Both as one, if one of them is too small and there is room. Adding up spares counting the same words again."""
    tokens = first.tokens + second.tokens + estimate_tokens(text[first.span.end : second.span.start])
    if min(first.tokens, second.tokens) >= profile.least or tokens > profile.most:
        return None
    return _Piece(Span(first.span.start, second.span.end), tokens)


def _is_heading(text: str, span: Span) -> bool:
    words = text[span.start : span.end].strip()
    return words.startswith("#") and "\n" not in words


def _as_document(text: str, profile: Profile) -> Iterator[Span]:
    group: list[Span] = []
    bare = True  # nothing but headings so far: one of a lower rank may join them
    for unit in _units(text, profile):
        if group and ((unit.heading and not bare) or unit.end - group[0].start > profile.most):
            yield Span(group[0].start, group[-1].end)
            group = [] if unit.heading else _overlap(group, unit, profile)
            bare = not group
        group.append(unit)
        bare = bare and _is_heading(text, unit)
    if group:
        yield Span(group[0].start, group[-1].end)


def _units(text: str, profile: Profile) -> Iterator[Span]:
    """Sentences and fences, each small enough to be a chunk of its own."""
    for block in blocks(text):
        for section in (block,) if block.fence else sections(text, block):
            for part in (section,) if section.fence else sentences(text, section):
                for unit in fitting(text, part, profile.most, len):
                    if (span := trimmed(text, unit)) is not None:
                        yield span


def _overlap(group: list[Span], following: Span, profile: Profile) -> list[Span]:
    """The last whole sentences of a chunk, as many as the next one may repeat."""
    kept: list[Span] = []
    for span in reversed(group):
        if group[-1].end - span.start > profile.overlap or following.end - span.start > profile.most:
            break
        kept.insert(0, span)
    return kept
