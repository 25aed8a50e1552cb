"""Do two texts contradict each other? Each rule has a name and a confidence; the surest one that fires speaks.

A contradiction needs one subject: whatever two people like is no conflict.
"""

from collections.abc import Callable

from msgspec import Struct

from reveried.domain.reconciling import lexicon as known_words
from reveried.domain.reconciling.guard import exchanged, swaps
from reveried.domain.reconciling.lexicon import contrast, opposed
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.wording import Wording, read

# So much of the shorter text must recur before a denial, an opposite or a number is about the same thing.
SAME_STATEMENT = 0.6


class Contradiction(Struct, frozen=True):
    rule: str
    confidence: float


class Pair(Struct, frozen=True):
    new: Wording
    known: Wording
    policy: ReconcilingPolicy

    @property
    def overlap(self) -> float:
        """Common content words, of the shorter text's."""
        return _share(self.new.content, self.known.content)


def contradiction(new: str, known: str, policy: ReconcilingPolicy) -> Contradiction | None:
    if "?" in new or "?" in known:  # who asks claims nothing
        return None
    pair = Pair(read(new), read(known), policy)
    if not (pair.new.states and pair.known.states) or not pair.new.content or not pair.known.content:
        return None
    if not same_subject(pair.new, pair.known):
        return None
    return next((Contradiction(name, sure) for name, sure, rule in RULES if rule(pair)), None)


def speaks_of_the_same(new: str, known: str, policy: ReconcilingPolicy, *, by_words: bool) -> bool:
    """Whether they may contradict each other although no vector says that they are near.

    Where a life takes a turn the words change altogether: "I live in Berlin" and "I moved to Lisbon" share none.
    """
    mine, yours = read(new), read(known)
    if any(facet.search(mine.text) and facet.search(yours.text) for facet in known_words.FACETS.values()):
        return True
    if not by_words or not mine.content or not yours.content:
        return False
    return _share(mine.content, yours.content) >= policy.subject_overlap


def same_subject(new: Wording, known: Wording) -> bool:
    """Whether both speak of the same one: the same person, and no other name, number or opposite before the verb."""
    mine, yours = new.subject, known.subject
    if contrast(mine, yours) or opposed(mine, yours):
        return False
    persons = set(known_words.PERSONS.values())
    if mine & persons != yours & persons:
        return False
    mine, yours = mine - persons, yours - persons
    if not mine or not yours:
        return not mine and not yours
    return mine <= _said(known) and yours <= _said(new) and not _numbers_apart(mine, yours)


def _said(wording: Wording) -> frozenset[str]:
    return wording.content | wording.subject


def _numbers_apart(mine: frozenset[str], yours: frozenset[str]) -> bool:
    """Sensor 12 is not sensor 13."""
    return any(word[:1].isdigit() for word in mine ^ yours)


def _negation(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    if new.denies == known.denies or _says_other_facts(new, known):
        return False
    return pair.overlap >= SAME_STATEMENT and not _both_add(pair)


def _transition(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    if not _has_changed(new) or not new.content - known.content:
        return False
    if any(facet.search(new.text) and facet.search(known.text) for facet in known_words.FACETS.values()):
        return True
    return pair.overlap >= pair.policy.subject_overlap and _common_beyond_subject(pair)


def _preference(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    if not (new.plain & known_words.PREFERRING and known.plain & known_words.PREFERRING):
        return False
    if exchanged(new, known) or opposed(new.plain, known.plain):
        return _common_beyond_subject(pair)
    exclusive = new.plain & known_words.EXCLUSIVE and known.plain & known_words.EXCLUSIVE
    if not exclusive or len(swaps(new, known)) != 1:
        return False
    named = known_words.EXCLUSIVE_CANON & new.subject & known.subject  # "my favourite colour": the subject is the topic
    return bool(named) or _share(_topic(new), _topic(known)) >= 0.5


def _temporal(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    if not (
        new.plain & known_words.TEMPORAL or any(f" {one} " in f" {new.text} " for one in known_words.TEMPORAL_PHRASES)
    ):
        return False
    return pair.overlap >= SAME_STATEMENT and bool(new.content - known.content) and bool(known.content - new.content)


def _antonyms(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    return opposed(new.plain, known.plain) and pair.overlap >= 0.5 and not _says_other_facts(new, known)


def _numbers(pair: Pair) -> bool:
    new, known = pair.new, pair.known
    differ = new.numbers != known.numbers and new.numbers and known.numbers
    other_days = new.days != known.days and new.days and known.days
    if not (differ or other_days) or new.names ^ known.names or new.denies != known.denies:
        return False
    if other_days and (differ or _tells_a_happening(new)):
        return False
    return _unnumbered(new) == _unnumbered(known)


RULES: tuple[tuple[str, float, Callable[[Pair], bool]], ...] = (
    ("negation", 0.8, _negation),
    ("transition", 0.75, _transition),
    ("preference", 0.75, _preference),
    ("temporal", 0.7, _temporal),
    ("antonyms", 0.7, _antonyms),
    ("numbers", 0.6, _numbers),
)


def _tells_a_happening(wording: Wording) -> bool:
    """What happened on two days happened twice."""
    return any(word.text.endswith("ed") or word.text in known_words.PAST for word in wording.words)


def _share(mine: frozenset[str], yours: frozenset[str]) -> float:
    return len(mine & yours) / min(len(mine), len(yours))


def _says_other_facts(new: Wording, known: Wording) -> bool:
    """Each has a number, a day or a name of its own: both can be true."""
    return any(
        mine - yours and yours - mine
        for mine, yours in ((new.numbers, known.numbers), (new.days, known.days), (new.names, known.names))
    ) or contrast(new.plain, known.plain)


def _both_add(pair: Pair) -> bool:
    """Each says something the other does not, besides the denial."""
    endings = {known_words.canonical(word) for word in known_words.ENDINGS}
    return bool(pair.new.content - pair.known.content - endings) and bool(
        pair.known.content - pair.new.content - endings
    )


def _has_changed(wording: Wording) -> bool:
    return bool(wording.plain & known_words.TRANSITIONS) or "no longer" in wording.text


def _topic(wording: Wording) -> frozenset[str]:
    """What a preference is about: neither who has it nor that it is one."""
    said = wording.content - wording.subject - known_words.PREFERRING_CANON
    return said or wording.content


def _common_beyond_subject(pair: Pair) -> bool:
    common = (pair.new.content & pair.known.content) - pair.new.subject
    return any(not known_words.is_verb(word) for word in common)


def _unnumbered(wording: Wording) -> list[str]:
    """Its telling words in order, without numbers and days."""
    dated = {part for day in wording.days for part in day.split()}
    return [
        word.canon
        for word in wording.words
        if word.tells
        and not word.text[:1].isdigit()
        and word.text not in known_words.NUMBERS
        and not {word.text, word.text.removesuffix("s")} & dated
    ]
