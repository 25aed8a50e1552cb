"""A credential never reaches the log: its value is replaced by `[redacted:rule]`, the words around it stay."""

import re
from typing import Any

from msgspec import Struct

from reveried.domain.understanding.secret_rules import (
    GATED_RULES,
    SHAPED_RULES,
    WORD_GATES,
    WORD_RULES,
    Rule,
    names_a_secret,
)

# A replacement can uncover a neighbour that was glued to it; texts made to need more rounds are not worth them.
_ROUNDS = 4
# A plain word of fewer letters than any credential has need not be looked at: most sources and tags are such words.
SHORTEST_SECRET = 12
# What programs make up for names, such as UUIDs; no rule is about these letters alone.
_MADE_UP = re.compile(r"[0-9a-f-]*+")


class Redaction(Struct, frozen=True):
    text: str
    found: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    found: list[str] = []
    for _ in range(_ROUNDS):
        before = text
        for rule in _suspects(text):
            text = _without(rule, text, found)
        if text == before:
            break
    return Redaction(text, tuple(dict.fromkeys(found)))


def _suspects(text: str) -> list[Rule]:
    """The rules whose tell-tale letters occur: substring search is far cheaper than any pattern."""
    suspects: list[Rule] = []
    for gate, hinted in GATED_RULES:
        if gate in text:
            suspects += [rule for hint, rule in hinted if hint in text]
    for shape, shaped in SHAPED_RULES:
        if shape.search(text):
            suspects += shaped
    lower = text.lower()
    for word, follows in WORD_GATES:
        if word in lower and follows.search(lower):
            return [*suspects, *WORD_RULES]
    return suspects


def _without(rule: Rule, text: str, found: list[str]) -> str:
    pieces: list[str] = []
    end = 0
    for match in rule.pattern.finditer(text):
        length = rule.secret_length(match)
        if not length:
            continue
        start = match.start("value")
        pieces += (text[end:start], f"[redacted:{rule.name}]")
        end = start + length
        found.append(rule.name)
    return "".join((*pieces, text[end:])) if pieces else text


def credential_in(name: str) -> str | None:
    """The rule that a name breaks. What something is known by cannot be replaced: another would pass for it."""
    if len(name) < SHORTEST_SECRET or _MADE_UP.fullmatch(name):
        return None
    return next(iter(redact(name).found), None)


def redact_json(value: Any, found: list[str]) -> Any:
    """The same JSON value with every secret string in it redacted; the names of the rules are added to `found`."""
    if isinstance(value, str):
        redaction = redact(value)
        found += redaction.found
        return redaction.text
    if isinstance(value, list):
        return [redact_json(item, found) for item in value]
    if isinstance(value, dict):
        return {name: _redact_member(name, item, found) for name, item in value.items()}
    return value


def _redact_member(name: Any, item: Any, found: list[str]) -> Any:
    if isinstance(item, str) and isinstance(name, str) and names_a_secret(name, item):
        found.append("assignment")
        return "[redacted:assignment]"
    return redact_json(item, found)
