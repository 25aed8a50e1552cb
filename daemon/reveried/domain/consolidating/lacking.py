"""Whether a memory is long enough for a summary."""

from reveried.domain.memory import Memory, own_content
from reveried.domain.understanding.text import first_sentences
from reveried.domain.understanding.understand import UnderstandingPolicy


def lacks_summary(memory: Memory, policy: UnderstandingPolicy) -> bool:
    """It has none, and its own words are more sentences than one would have."""
    return memory.summary is None and opening(memory, policy) is not None


def opening(memory: Memory, policy: UnderstandingPolicy) -> str | None:
    """Its first sentences; None where that is all there is."""
    sentences = policy.sentences_for(chunk=memory.chunk_index is not None)
    found = first_sentences(own_content(memory), sentences + 1)
    return " ".join(found[:sentences]) if len(found) > sentences else None
