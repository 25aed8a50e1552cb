"""Is it the same again? Bands of similarity, and within them words decide."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from reveried.domain.reconciling.conflicts import contradiction
from reveried.domain.reconciling.guard import distinction, lacks_nothing
from reveried.domain.reconciling.lexicon import related
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.wording import Wording, read
from reveried.domain.understanding.text import normalised, sentences

How = Literal["duplicate", "subset", "merged"]


class Sameness(Struct, frozen=True):
    """`duplicate` and `subset` add nothing; `merged` adds the sentences in `added`."""

    how: How
    added: str = ""


def sameness(new: str, known: str, cosine: float | None, policy: ReconcilingPolicy) -> Sameness | None:
    """None: they are different facts, or nobody can tell. Without a cosine nobody can."""
    if cosine is None or cosine < policy.same_words:
        return None
    mine, parts = read(new), [read(part) for part in statements(known)]
    if cosine >= policy.merge and any(_is_within(mine, part, policy.subset_words) for part in parts):
        return Sameness("duplicate" if cosine >= policy.duplicate else "subset")
    if _differ(mine, read(known), parts) or contradiction(new, known, policy) is not None:
        return None
    if cosine >= policy.duplicate:
        return Sameness("duplicate")
    if cosine >= policy.merge:
        added = unique_sentences(new, known, policy)
        return Sameness("merged", added) if added else Sameness("subset")
    same = any(_covered(mine, part) >= policy.subset_words <= _covered(part, mine) for part in parts)
    return Sameness("subset") if same else None


def statements(text: str) -> list[str]:
    """The sentences of a text; a line ends one, since that is how merged ones are joined."""
    return [sentence for line in text.splitlines() for sentence in sentences(line)] or [text]


def _differ(new: Wording, known: Wording, parts: Sequence[Wording]) -> bool:
    """What tells them apart may stand in any of the other's sentences."""
    return distinction(new, known) is not None or (
        len(parts) > 1 and any(distinction(new, part) in ("role", "word", "opposite") for part in parts)
    )


def _is_within(new: Wording, part: Wording, share: float) -> bool:
    """The text stands in one sentence of the other, as it is or nearly so, and nothing in it differs there."""
    if not lacks_nothing(new, part):
        return False
    words = {word.text for word in new.words}
    return f" {new.text} " in f" {part.text} " or (bool(words) and len(words & part.plain) >= share * len(words))


def _covered(one: Wording, other: Wording) -> float:
    """The share of its content words that the other has too, in whatever form."""
    found = sum(word in other.content or related(word, other.content) for word in one.content)
    return found / len(one.content) if one.content else 0.0


def unique_sentences(new: str, known: str, policy: ReconcilingPolicy) -> str:
    """The sentences of `new` that say something no sentence of `known` says, as one text."""
    there = [read(part) for part in statements(known)]
    fresh = [
        one
        for one in statements(new)
        if not any(
            lacks_nothing(read(one), part) and _covered(read(one), part) >= policy.subset_words for part in there
        )
    ]
    return normalised(" ".join(fresh))
