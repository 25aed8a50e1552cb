"""What a text says of two entities to each other: twenty relations, by the words between the two names."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from reveried.domain.understanding.entities import Entity, key_of
from reveried.domain.understanding.text import sentences

Relation = Literal[
    "works_at", "manages", "reports_to", "friend_of", "lives_in", "parent_of", "child_of", "dating", "married_to",
    "member_of", "founded", "uses", "created", "collaborates_with", "mentors", "competitor_of", "partner_of",
    "client_of", "sibling_of", "knows",
]  # fmt: skip
INVERSES: dict[Relation, Relation] = {
    "manages": "reports_to", "reports_to": "manages", "parent_of": "child_of", "child_of": "parent_of",
}  # fmt: skip
SYMMETRIC: frozenset[Relation] = frozenset(
    ("friend_of", "dating", "married_to", "sibling_of", "knows", "collaborates_with", "competitor_of", "partner_of")
)
# The whole of what stands between the two names must say it: "Ada did not join Acme" says nothing of the kind.
_BETWEEN: tuple[tuple[Relation, str], ...] = (
    ("works_at", r"(?:works?|is working) (?:at|for)|(?:has )?joined|is (?:an? |the )?[\w -]{3,30} at"),
    ("manages", r"manages?|leads?|is the (?:manager|boss) of"),
    ("reports_to", r"reports? to"),
    ("friend_of", r"is (?:a |an old |the best )?friends? (?:of|with)|and (?:I )?are friends with"),
    ("lives_in", r"lives? in|(?:has )?moved to|is based in|resides in"),
    ("parent_of", r"is the (?:mother|father|parent) of"),
    ("child_of", r"is the (?:son|daughter|child) of"),
    ("dating", r"is dating|dates"),
    ("married_to", r"is married to|(?:got )?married(?: to)?|is the (?:wife|husband) of"),
    ("member_of", r"is (?:an? )?(?:\w+ )?member of|belongs to"),
    ("founded", r"(?:co-?)?founded|started the company|is the (?:co-?)?founder of"),
    ("uses", r"uses?|is using|(?:has )?switched to"),
    ("created", r"(?:has )?(?:created|built|wrote|invented|designed|developed)"),
    ("collaborates_with", r"collaborates? with|works? (?:closely |together )?with"),
    ("mentors", r"mentors?|is the mentor of"),
    ("competitor_of", r"competes? with|is a competitor of"),
    ("partner_of", r"partners? with|(?:has )?partnered with|is (?:a |the )?(?:business )?partner of"),
    ("client_of", r"is (?:a |an? \w+ )?(?:client|customer) of"),
    ("sibling_of", r"is the (?:sister|brother|sibling|twin) of"),
    ("knows", r"knows?|(?:has )?met"),
)  # fmt: skip
_ADVERB = r"(?:,? ?(?:now|also|currently|still|recently|just|usually))?"
_PATTERNS = [(name, re.compile(rf",?{_ADVERB} (?:{words}){_ADVERB} (?:the )?\Z")) for name, words in _BETWEEN]
RELATIONS: tuple[Relation, ...] = tuple(name for name, _ in _BETWEEN)
CONFIDENCE = 0.8
_FIRST_PERSON = re.compile(r"(?<![\w'])I(?![\w'])")


class Related(Struct, frozen=True):
    subject: str
    relation: Relation
    object: str
    confidence: float = CONFIDENCE


def given_or_found(given: Sequence[tuple[str, str, str]], found: Sequence[Related]) -> tuple[Related, ...]:
    """What the caller says of two entities wins: rules then say nothing more of the same two."""
    told = {frozenset((key_of(one), key_of(other))) for one, _, other in given}
    said = [Related(one, relation, other, 1.0) for one, relation, other in given]  # type: ignore[arg-type]
    rest = [one for one in found if frozenset((key_of(one.subject), key_of(one.object))) not in told]
    return (*said, *rest)


def relations_in(text: str, entities: Sequence[Entity], speaker: str | None = None) -> tuple[Related, ...]:
    """`speaker` is who says "I"; without one, what is said in the first person is of nobody."""
    found: dict[Related, None] = {}
    if len(entities) + bool(speaker) < 2:
        return ()
    for sentence in sentences(text):
        for (first, start), (second, end) in pairwise(_places(sentence, entities, speaker)):
            between = sentence[start[1] : end[0]]
            relation = next((name for name, pattern in _PATTERNS if pattern.match(between)), None)
            if relation is not None and first != second:
                found[Related(first, relation, second)] = None
    return tuple(found)


_Place = tuple[str, tuple[int, int]]


def _places(sentence: str, entities: Sequence[Entity], speaker: str | None) -> list[tuple[str, tuple[int, int]]]:
    """Each name in the order of the sentence, under the entity's own name; of two that overlap the longer."""
    places: list[_Place] = []
    for entity in entities:
        for written in (entity.name, *entity.aliases):
            places += [(entity.name, span) for span in _whole(written, sentence)]
    if speaker:
        places += [(speaker, match.span()) for match in _FIRST_PERSON.finditer(sentence)]
    kept: list[_Place] = []
    for place in sorted(places, key=lambda place: (place[1][0], -place[1][1])):
        if not kept or place[1][0] >= kept[-1][1][1]:
            kept.append(place)
    return kept


def _whole(name: str, sentence: str) -> Iterator[tuple[int, int]]:
    """Where the name stands as a word of its own. Looked for by hand: a pattern for each name would cost far more."""
    at = sentence.find(name)
    while at >= 0:
        end = at + len(name)
        alone = not (_is_letter(sentence[at - 1 : at]) or _is_letter(sentence[end : end + 1]))
        if alone:
            yield at, end
        at = sentence.find(name, end if alone else at + 1)


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def strength(count: int, days: float, confidence: float) -> float:
    """How firm a relation is: how often it was said, how lately, and how surely."""
    recency = 1.0 / (1.0 + math.log(1.0 + max(0.0, days)))
    return 0.4 * (1.0 - 1.0 / (1.0 + count)) + 0.3 * recency + 0.3 * confidence


class Seen(Struct, frozen=True):
    """A relation as one of its two ends sees it; `inverse` when it has no name of its own in that direction."""

    relation: str
    other: str
    inverse: bool = False


def seen_from(name: str, related: Related) -> Seen:
    if related.subject == name:
        return Seen(related.relation, related.object)
    if related.relation in SYMMETRIC:
        return Seen(related.relation, related.subject)
    named = INVERSES.get(related.relation)
    return Seen(named, related.subject) if named else Seen(related.relation, related.subject, inverse=True)
