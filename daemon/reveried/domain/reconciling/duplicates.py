"""Is it the same again? Bands of similarity, and within them words decide."""

from typing import Literal

from msgspec import Struct

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
    """None: they are different facts, or nobody can tell. Without a cosine only a text inside the other is the same."""
    mine, yours = read(new), read(known)
    if cosine is None or cosine < policy.same_words:
        return None
    if cosine >= policy.merge and is_subset(mine, yours, policy.subset_words) and lacks_nothing(mine, yours):
        return Sameness("duplicate" if cosine >= policy.duplicate else "subset")
    if distinction(mine, yours) is not None:
        return None
    if cosine >= policy.duplicate:
        return Sameness("duplicate")
    if cosine >= policy.merge:
        added = unique_sentences(new, known, policy)
        return Sameness("merged", added) if added else Sameness("subset")
    if _same_words(mine, yours, policy.subset_words):
        return Sameness("subset")
    return None


def is_subset(new: Wording, known: Wording, share: float) -> bool:
    """The text stands in the other as it is, or nearly all of its words do."""
    if f" {new.text} " in f" {known.text} ":
        return True
    words = {word.text for word in new.words}
    return bool(words) and len(words & known.plain) >= share * len(words)


def _same_words(new: Wording, known: Wording, share: float) -> bool:
    return _covered(new, known) >= share and _covered(known, new) >= share


def _covered(one: Wording, other: Wording) -> float:
    """The share of its content words that the other has too, in whatever form."""
    found = sum(word in other.content or related(word, other.content) for word in one.content)
    return found / len(one.content) if one.content else 0.0


def unique_sentences(new: str, known: str, policy: ReconcilingPolicy) -> str:
    """The sentences of `new` that say something `known` does not, as one text."""
    there = read(known)
    fresh = [one for one in sentences(new) if not is_subset(read(one), there, policy.subset_words)]
    return normalised(" ".join(fresh))
