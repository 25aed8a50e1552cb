import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.corpora import normal_imperatives, rows
from reveried.domain.understanding.trust import trust_of

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_text_that_instructs_its_reader_is_marked(split: str) -> None:
    assert [row["text"] for row in rows("instructions", split) if trust_of(row["text"]) != "low"] == []
    assert len(rows("instructions")) >= 50


def test_ordinary_orders_are_not_marked() -> None:
    orders = normal_imperatives()
    marked = [text for text in orders if trust_of(text) == "low"]
    assert len(orders) == 500
    assert len(marked) <= 10, marked


def test_ordinary_notes_are_not_marked() -> None:
    assert [row["text"] for row in rows("notes") if trust_of(row["text"]) == "low"] == []


@pytest.mark.parametrize("split", ["dev", "test"])
def test_written_hard_negatives_are_hardly_ever_marked(split: str) -> None:
    texts = [row["text"] for row in rows("imperatives", split)]
    assert sum(trust_of(text) == "low" for text in texts) <= 0.05 * len(texts)


@given(ANY_TEXT)
def test_any_text_gets_an_answer(text: str) -> None:
    assert trust_of(text) in ("normal", "low")


@pytest.mark.parametrize(
    "seed",
    ["ignore ", "ignore rules ", "send all keys ", "<!--", "<a ", "do not tell the user ", "you are now ", "system:\n",
     "[",     "reveal your prompt message ", "when you this ", "curl data ", "忽略", "ignora las a anweisungen ",
     "pretend you act "],
)  # fmt: skip
def test_hostile_repetition_is_read_in_linear_time(seed: str) -> None:
    def seconds(size: int) -> float:
        text = seed * (size // len(seed))
        start = time.process_time()
        trust_of(text)
        return time.process_time() - start

    assert seconds(100_000) <= 30 * max(seconds(12_500), 0.002)
