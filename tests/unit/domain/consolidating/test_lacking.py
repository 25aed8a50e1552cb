"""A summary is missed only where a memory says more sentences than the summary would have."""

import pytest
from msgspec.structs import replace

from reveried.domain.consolidating.lacking import lacks_summary, opening
from reveried.domain.understanding.understand import UnderstandingPolicy
from unit.domain.records import after

POLICY = UnderstandingPolicy(summary_sentences=2, chunk_sentences=1)
ONE, TWO, THREE = "One is here.", "One is here. Two is here.", "One is here. Two is here. Three is here."


@pytest.mark.parametrize(
    ("content", "chunk", "said"),
    [(ONE, None, None), (TWO, None, None), (THREE, None, TWO), (ONE, 0, None), (TWO, 0, ONE)],
)
def test_a_text_opens_with_its_first_sentences_if_there_are_more(
    content: str, chunk: int | None, said: str | None
) -> None:
    memory = replace(after(content=content), chunk_index=chunk, summary=None)
    assert opening(memory, POLICY) == said
    assert lacks_summary(memory, POLICY) is (said is not None)
    assert not lacks_summary(replace(memory, summary="Two are here."), POLICY)
