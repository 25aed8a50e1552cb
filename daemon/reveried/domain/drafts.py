"""What a caller says of a memory, checked against the limits. Every refusal names the field, the limit and the size."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from reveried.domain.memory import KINDS
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.relations import RELATIONS
from reveried.errors import InvalidField

CONFIDENCE_BY_SOURCE = {"correction": 1.0, "direct": 0.95, "conversation": 0.85, "agent": 0.8, "extraction": 0.6}
DEFAULT_CONFIDENCE = 0.8
LEVELS = 5
MAX_NAME = 256
MAX_TITLE = 500
MAX_SUMMARY = 10_000
MAX_ENTITIES = 64


def checked_content(content: str, limits: ContentLimits, field: str = "content") -> str:
    text = content.strip()
    if not text:
        raise InvalidField(f"{field} is empty", field=field, hint="give it at least one visible character")
    return checked_length(field, text, limits.max_content, hint="split it into several memories")


def checked_length(field: str, text: str, limit: int, hint: str | None = None) -> str:
    if len(text) > limit:
        raise InvalidField(f"{field} has {len(text)} characters; the limit is {limit}", field=field, hint=hint)
    return text


def checked_name(field: str, text: str | None) -> str | None:
    if text is not None and not text.strip():
        raise InvalidField(f"{field} is empty", field=field, hint="leave it out instead")
    return None if text is None else checked_length(field, text.strip(), MAX_NAME)


def checked_unit(field: str, value: float | None) -> float | None:
    if value is not None and not 0.0 <= value <= 1.0:
        raise InvalidField(f"{field} is {value}; it must lie between 0 and 1", field=field)
    return value


def checked_importance(importance: float | None, level: int | None) -> float | None:
    if importance is not None and level is not None:
        raise InvalidField("importance and level are both given", field="level", hint="give one of them")
    if level is None:
        return checked_unit("importance", importance)
    if not 1 <= level <= LEVELS:
        raise InvalidField(f"level is {level}; it must be 1 to {LEVELS}", field="level", hint="or give importance")
    return level / LEVELS


def checked_kind(kind: str | None) -> str | None:
    if kind is None or kind in KINDS:
        return kind
    near = get_close_matches(kind, KINDS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(KINDS)}"
    raise InvalidField(f"kind {kind[:64]!r} is not known", field="kind", hint=hint)


def checked_tags(tags: Sequence[str], limits: ContentLimits) -> tuple[str, ...]:
    cleaned = [tag.strip().lower() for tag in tags]
    for tag in cleaned:
        if not tag:
            raise InvalidField("a tag is empty", field="tags", hint="leave it out")
        checked_length("tags", tag, limits.max_tag, hint="a tag is a word or two")
    unique = tuple(dict.fromkeys(cleaned))
    if len(unique) > limits.max_tags:
        raise InvalidField(f"{len(unique)} tags; the limit is {limits.max_tags}", field="tags")
    return unique


def checked_metadata(metadata: dict[str, Any], limits: ContentLimits) -> dict[str, Any]:
    try:
        encoded = msgspec.json.encode(metadata)
    except (TypeError, RecursionError) as error:
        raise InvalidField(f"metadata is not JSON: {error}", field="metadata", hint="keys are texts") from None
    if msgspec.json.decode(encoded) != metadata:
        raise InvalidField("metadata holds a number that is none", field="metadata", hint="leave out NaN and infinity")
    size = len(encoded)
    if size > limits.max_metadata:
        raise InvalidField(f"metadata is {size} bytes of JSON; the limit is {limits.max_metadata}", field="metadata")
    return metadata


def checked_times(now: int, created_at: int | None, valid_from: int | None, valid_to: int | None) -> None:
    if created_at is not None and created_at > now:
        raise InvalidField(
            "created_at lies in the future", field="created_at", hint="use valid_from for what will hold later"
        )
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        raise InvalidField("valid_to lies before valid_from", field="valid_to")


def default_confidence(source: str) -> float:
    return CONFIDENCE_BY_SOURCE.get(source, DEFAULT_CONFIDENCE)


def checked_entities(entities: Sequence[str]) -> tuple[str, ...]:
    if len(entities) > MAX_ENTITIES:
        raise InvalidField(f"{len(entities)} entities; the limit is {MAX_ENTITIES}", field="entities")
    return tuple(name for entity in entities if (name := checked_name("entities", entity)))


def checked_relations(relations: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    if len(relations) > MAX_ENTITIES:
        raise InvalidField(f"{len(relations)} relations; the limit is {MAX_ENTITIES}", field="relations")
    return tuple(_checked_relation(*relation) for relation in relations)


def _checked_relation(one: str, relation: str, other: str) -> tuple[str, str, str]:
    if relation not in RELATIONS:
        near = get_close_matches(relation, RELATIONS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(RELATIONS)}"
        raise InvalidField(f"relation {relation[:64]!r} is not known", field="relations", hint=hint)
    return checked_name("relations", one) or "", relation, checked_name("relations", other) or ""


def checked_title(title: str | None) -> str | None:
    return checked_length("title", title.strip(), MAX_TITLE) or None if title is not None else None


def checked_summary(summary: str | None) -> str | None:
    return checked_length("summary", summary.strip(), MAX_SUMMARY) or None if summary is not None else None
