"""Who and what a text names, by rules alone: capitalised words, and how they stand. Other scripts are left as they are.

What the caller named wins: it is kept as it was written, and rules only say what it is.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from reveried.domain.understanding import entity_lists as lists
from reveried.domain.understanding.cleaning import FENCE
from reveried.domain.understanding.words import STOP_WORDS

EntityType = Literal["person", "organization", "location", "product", "concept", "event", "other"]
TYPES: tuple[EntityType, ...] = ("person", "organization", "location", "product", "concept", "event", "other")
MOST = 32
_BEGINS_A_PERSON = lists.FIRST_NAMES | lists.TITLES
_MADE = lists.PRODUCTS | lists.ORGANIZATIONS

# Possessive where a shorter match could not go on either: most words are read by this, and few are names.
_WORD = r"(?:[A-Z][\w&’'-]*[\w]|[A-Z]|[a-z]++[A-Z]\w*)"
_CAPITAL = re.compile("[A-Z]")
_NAME = re.compile(
    rf"(?<![\w.@/`-])(?:(?:Mr|Mrs|Ms|Dr|Prof)\. )?{_WORD}"
    rf"(?:(?: (?:of|de|van|von|der|da|del|la)){{1,2}} {_WORD}|[ ]{_WORD})*"
)
_POSSESSION = re.compile(r"['’]s?\Z")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:\n][\"')\]*_#>\s-]*|[\"“(])\Z")
_PLACE_BEFORE = re.compile(
    r"(?:lives?|living|lived|based|born|moved|moving|travel\w*|flew|flying|trip|from|near) ?(?:in|to|from|at)? \Z"
)
_FIRM_BEFORE = re.compile(
    r"(?:works?|worked|working|job|joined|hired by|employed|intern\w*|founded|ceo of|clients?|partner\w*) ?"
    r"(?:at|for|by|with|is)? \Z"
)
_PERSON_BEFORE = re.compile(
    r"(?:wife|husband|sister|brother|mother|father|son|daughter|friend|boss|manager|colleague|mentor|cousin|partner|"
    r"named|called|with|met|told|asked|thank\w*|by) \Z"
)
_PERSON_AFTER = re.compile(
    r"(?:'s|’s)? (?:is my|said|says|told|asked|lives|likes|loves|hates|prefers|manages|mentors|reports|works|wants|"
    r"married|and I|thinks|knows|joined|moved|plays|wrote|met|was born|founded|dates|is dating|birthday|sister|"
    r"brother)\b"
)
_PRODUCT_BEFORE = re.compile(
    r"(?:uses?|using|used|runs? on|install\w*|upgrad\w* to|written in|built with|switched to) \Z"
)
_VERSION_AFTER = re.compile(r" (?:v?\d+(?:\.\d+)*)\b")
_EVENT_BEFORE = re.compile(r"(?:attend\w*|during|speak\w* at|registered for) (?:the )?\Z")


class Entity(Struct, frozen=True):
    """One entity of one text; `aliases` are the other ways it is written there."""

    name: str
    type: EntityType
    salience: float
    mentions: int
    aliases: tuple[str, ...] = ()


class _Mention(Struct, frozen=True):
    name: str
    at: int
    starts: bool


def key_of(name: str) -> str:
    """Two names with the same key are the same entity."""
    return " ".join(name.casefold().split())


def entities_in(text: str, given: Iterable[str] = ()) -> tuple[Entity, ...]:
    plain = FENCE.sub(lambda fence: " " * len(fence[0]), text) if "```" in text or "~~~" in text else text
    mentions = [*_given_mentions(plain, given), *_mentions(plain, {key_of(name) for name in given})]
    if not mentions:
        return ()
    groups = _grouped(mentions)
    found = [_entity(plain, names) for names in groups]
    ranked = sorted(found, key=lambda entity: -entity.salience)
    return tuple(ranked[:MOST])


def _given_mentions(text: str, given: Iterable[str]) -> Iterator[_Mention]:
    for name in given:
        at = text.find(name)
        yield _Mention(name, max(at, 0), False)


def _mentions(text: str, given: set[str]) -> Iterator[_Mention]:
    if _CAPITAL.search(text) is None:
        return
    found = [mention for match in _NAME.finditer(text) if (mention := _mention(text, match))]
    inside = {word for mention in found if not mention.starts for word in mention.name.split()}
    for mention in found:
        if key_of(mention.name) not in given and (not mention.starts or _stands_alone(text, mention, inside)):
            yield mention


def _mention(text: str, match: re.Match[str]) -> _Mention | None:
    """The name without the words that are only capitalised because a sentence begins, or that name a day."""
    if len(match[0]) == 1:
        return None
    words, at = match[0].split(" "), match.start()
    starts = not _is_inside(text, at) and _SENTENCE_START.search(text, max(0, at - 12), at) is not None
    first = 0
    while first < len(words) and (
        words[first] in lists.CALENDAR or (starts and _only_begins(*words[first : first + 2]))
    ):
        at += len(words[first]) + 1
        starts = False
        first += 1
    words = words[first:]
    while words and (words[-1] in lists.CALENDAR or words[-1].islower()):
        words.pop()
    name = _POSSESSION.sub("", " ".join(words))
    return _Mention(name, at, starts) if len(name) > 1 else None


def _is_inside(text: str, at: int) -> bool:
    """After a word and a space no sentence begins; most names stand so, and need no closer look."""
    return at > 1 and text[at - 1] == " " and text[at - 2].isalnum()


def _only_begins(first: str, second: str = "") -> bool:
    """The first word of a sentence before a name is no part of it: Later Ada called."""
    return first.lower() in STOP_WORDS or (second in lists.FIRST_NAMES and first.rstrip(".") not in _BEGINS_A_PERSON)


def _stands_alone(text: str, mention: _Mention, inside: set[str]) -> bool:
    """Whether a word at the start of a sentence is a name all the same."""
    first = mention.name.split()[0]
    known = first in lists.FIRST_NAMES or mention.name in lists.PLACES or first in _MADE
    after = text[mention.at + len(mention.name) :][:40]
    odd = not first[1:].islower() and len(first) > 1
    return known or " " in mention.name or first in inside or odd or _PERSON_AFTER.match(after) is not None


def _grouped(mentions: list[_Mention]) -> list[list[_Mention]]:
    """A part of a longer name of the same text stands for it: Ada, for Ada Lovelace."""
    whole = _wholes({mention.name for mention in mentions})
    groups: dict[str, list[_Mention]] = {}
    for mention in mentions:
        groups.setdefault(key_of(whole.get(mention.name, mention.name)), []).append(mention)
    return list(groups.values())


def _wholes(names: Iterable[str]) -> dict[str, str]:
    """The first and the last word of each person's name, and the longest name that it stands for."""
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        words = name.split()
        if len(words) > 1 and _kind_by_list(name) == "person":
            found.setdefault(words[0], name)
            found.setdefault(words[-1], name)
    return found


def _entity(text: str, mentions: list[_Mention]) -> Entity:
    name = max((mention.name for mention in mentions), key=len)
    others = dict.fromkeys(mention.name for mention in mentions if mention.name != name)
    first = min(mention.at for mention in mentions)
    salience = 0.4 + 0.15 * (len(mentions) - 1) + (0.2 if first < 80 else 0.0)
    return Entity(name, _type(text, mentions), min(1.0, round(salience, 2)), len(mentions), tuple(others))


def _type(text: str, mentions: list[_Mention]) -> EntityType:
    name = max((mention.name for mention in mentions), key=len)
    listed = _kind_by_list(name)
    if listed is not None:
        return listed
    for mention in mentions:
        stood = _kind_by_place(text[max(0, mention.at - 40) : mention.at], text[mention.at + len(mention.name) :][:40])
        if stood is not None:
            return stood
    if name.isupper() and len(name) <= 5:
        return "concept"
    return "product" if re.search(r"[a-z][A-Z]|\d", name) else "other"


def _kind_by_list(name: str) -> EntityType | None:
    words = name.split()
    if name in lists.PLACES or words[-1] in lists.PLACE_ENDS:
        return "location"
    if name in lists.ORGANIZATIONS or words[-1] in lists.ORGANIZATION_ENDS or words[0] in ("University", "Bank"):
        return "organization"
    if len(words) > 1 and words[-1] in lists.EVENT_ENDS:
        return "event"
    if name in lists.PRODUCTS:
        return "product"
    return "person" if words[0].rstrip(".") in _BEGINS_A_PERSON else None


def _kind_by_place(before: str, after: str) -> EntityType | None:
    lowered = before.lower()
    for pattern, kind in _BEFORE:
        if pattern.search(lowered):
            return kind
    if _PERSON_AFTER.match(after):
        return "person"
    return "product" if _VERSION_AFTER.match(after) else None


_BEFORE: tuple[tuple[re.Pattern[str], EntityType], ...] = (
    (_FIRM_BEFORE, "organization"),
    (_PLACE_BEFORE, "location"),
    (_PRODUCT_BEFORE, "product"),
    (_EVENT_BEFORE, "event"),
    (_PERSON_BEFORE, "person"),
)
