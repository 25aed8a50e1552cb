"""The guard before every merge: what makes two texts different facts, however near their vectors are."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from reveried.domain.reconciling.lexicon import TURNING, contrast, opposed, related
from reveried.domain.reconciling.wording import Word, Wording

# Below this share of common words a text is put differently as a whole, and no single word stands for another.
SAME_FRAME = 0.5


def distinction(new: Wording, known: Wording) -> str | None:
    """What the two differ in: number, date, name, negation, or a word that stands where the other has another."""
    if new.denies != known.denies:
        return "negation"
    if new.numbers != known.numbers:
        return "number"
    if new.days != known.days:
        return "date"
    if _other_names(new, known):
        return "name"
    if (
        (new.plain ^ known.plain) & TURNING
        or contrast(new.plain | new.persons, known.plain | known.persons)
        or opposed(new.plain, known.plain)
    ):
        return "opposite"
    if exchanged(new, known):
        return "role"
    if swaps(new, known):
        return "word"
    return None


def lacks_nothing(new: Wording, known: Wording) -> bool:
    """Whether everything that could distinguish `new` also stands in `known`, which may say more."""
    return (
        new.denies == known.denies
        and new.numbers <= known.numbers
        and new.days <= known.days
        and (new.names | new.leads) <= known.plain
        and not (new.plain ^ known.plain) & TURNING
        and not exchanged(new, known)
    )


def _other_names(new: Wording, known: Wording) -> bool:
    if not (new.names <= known.plain and known.names <= new.plain):
        return True
    # At the start of a sentence any word has a capital; two that differ there are taken for names.
    mine, yours = new.leads - known.plain, known.leads - new.plain
    return bool(mine and yours)


def exchanged(new: Wording, known: Wording) -> bool:
    """The same words in the same places, but for two that changed theirs: who owes whom."""
    mine, yours = _canons(new.words), _canons(known.words)
    if len(mine) != len(yours) or mine == yours:
        return False
    places = [place for place, (a, b) in enumerate(zip(mine, yours, strict=True)) if a != b]
    if len(places) != 2:
        return False
    first, second = places
    return mine[first] == yours[second] and mine[second] == yours[first]


def swaps(new: Wording, known: Wording) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Words of one text that stand where the other has different ones, where the rest is put the same way."""
    mine, yours = _framed(new.words), _framed(known.words)
    matcher = SequenceMatcher(None, _canons(mine), _canons(yours), autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if same < SAME_FRAME * max(len(mine), len(yours), 1):
        return []
    found = []
    for what, a, b, c, d in matcher.get_opcodes():
        here, there = _foreign(mine[a:b], known), _foreign(yours[c:d], new)
        if what == "replace" and here and there:
            found.append((here, there))
    return found


def _foreign(words: Sequence[Word], to: Wording) -> frozenset[str]:
    """The telling words that the other text has in no form."""
    return frozenset(
        word.canon
        for word in words
        if word.tells and word.canon not in to.content and not related(word.canon, to.content)
    )


def _framed(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.text not in ("the", "a", "an")]


def _canons(words: Sequence[Word]) -> list[str]:
    return [word.canon for word in words]
