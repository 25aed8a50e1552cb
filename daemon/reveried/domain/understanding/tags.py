"""Tags the system gives by itself: where the text came from, then its most telling words. Never more than a handful."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.understanding.words import STOP_WORDS, Reading, read


class TagPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    most: Annotated[int, Meta(ge=0, le=32, description="Automatic tags of one memory, rules and keywords together")] = 6
    most_by_rule: Annotated[int, Meta(ge=0, le=32, description="Of these, from source, connector and file name")] = 3
    shortest: Annotated[int, Meta(ge=1, le=64, description="Letters a keyword needs at least")] = 4
    longest: Annotated[int, Meta(ge=1, le=64, description="Letters a keyword may have at most")] = 32


DEFAULT = TagPolicy()
# These say nothing that the field `source` does not say of nearly every memory.
_PLAIN_SOURCES = frozenset(("agent", "conversation", "correction", "direct", ""))
_CONNECTOR = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,31}):(?!\\)")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})(?:[?#].{0,200})?\Z")
_NAME_WORD = re.compile(r"[^\W\d_]{4,32}")
_SCHEMES = frozenset(("http", "https", "file", "mailto"))


def normalise_tag(tag: str) -> str:
    """Lower-case, NFC, trimmed, single spaces; a leading # is decoration."""
    return " ".join(unicodedata.normalize("NFC", tag.strip().lstrip("#")).lower().split())


def auto_tags(
    text: str, source: str = "agent", source_ref: str | None = None, policy: TagPolicy = DEFAULT
) -> tuple[str, ...]:
    return auto_tags_of_reading(read(text), source, source_ref, policy)


def auto_tags_of_reading(
    reading: Reading, source: str, source_ref: str | None, policy: TagPolicy = DEFAULT
) -> tuple[str, ...]:
    return with_origin(_keywords(reading.words, policy), source, source_ref, policy)


def with_origin(keywords: Sequence[str], source: str, source_ref: str | None, policy: TagPolicy) -> tuple[str, ...]:
    by_rule = _rule_tags(source, source_ref)[: policy.most_by_rule]
    return tuple(dict.fromkeys((*by_rule, *keywords)))[: policy.most]


def _rule_tags(source: str, source_ref: str | None) -> list[str]:
    tags = [] if source in _PLAIN_SOURCES else [normalise_tag(source)]
    if source_ref:
        tags += _tags_of_reference(source_ref[-512:])
    return [tag for tag in dict.fromkeys(tags) if tag]


def _tags_of_reference(reference: str) -> list[str]:
    """Connector, file extension and the words of the file name: `drive:plans/q3-roadmap.md` → drive, md, roadmap."""
    tags: list[str] = []
    connector = _CONNECTOR.match(reference)
    if connector and connector[1].lower() not in _SCHEMES:
        tags.append(connector[1].lower())
    name = reference.rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    if extension := _EXTENSION.search(name):
        tags.append(extension[1].lower())
        tags += _NAME_WORD.findall(name[: extension.start()].lower())
    return tags


def _keywords(words: list[str], policy: TagPolicy) -> list[str]:
    """The most frequent first; among equals the longer, which in any language is the rarer."""
    shortest, longest = policy.shortest, policy.longest
    telling = [word for word in words if shortest <= len(word) <= longest and word not in STOP_WORDS and word.isalpha()]
    ranked = sorted(dict.fromkeys(telling), key=len, reverse=True)
    if len(ranked) < len(telling):
        ranked.sort(key=Counter(telling).__getitem__, reverse=True)
    return ranked[: policy.most]
