"""As many memories as wanted: turns of real conversations from a file, said again and again with other words in them;
without a file, made-up talk whose words are as unevenly common as those of a language."""

import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

WORDS, TURNS, SESSION = 20_000, 6_000, 25


class Turn(NamedTuple):
    session: str
    speaker: str
    text: str


class Corpus:
    """The same seed gives the same memories and questions."""

    def __init__(self, turns: list[Turn], questions: list[str], name: str) -> None:
        self._turns = turns
        self._vocabulary = [word for turn in turns for word in turn.text.split()]
        self.questions = questions
        self.name = name

    def turns(self, count: int) -> Iterator[Turn]:
        dice = random.Random(1)
        for n in range(count):
            turn, repeat = self._turns[n % len(self._turns)], n // len(self._turns)
            words = turn.text.split()
            for _ in range(max(1, len(words) // 5) if repeat else 0):
                words[dice.randrange(len(words))] = dice.choice(self._vocabulary)
            yield Turn(
                f"{turn.session}-{repeat}", turn.speaker, f"{' '.join(words)} ({repeat})" if repeat else turn.text
            )


def corpus(path: Path | None) -> Corpus:
    return _conversations(path) if path else _made_up()


def _conversations(path: Path) -> Corpus:
    """A file in the form of LoCoMo: conversations of sessions, and questions about them."""
    turns, questions = [], []
    for sample in json.loads(path.read_text()):
        for name, session in sample["conversation"].items():
            if name.startswith("session_") and isinstance(session, list):
                about = f"{sample['sample_id']}-{name}"
                turns += [Turn(about, turn["speaker"], turn["text"]) for turn in session if turn["text"].strip()]
        questions += [asked["question"] for asked in sample["qa"]]
    random.Random(2).shuffle(questions)
    return Corpus(turns, questions, path.stem)


def _made_up() -> Corpus:
    dice = random.Random(3)
    words = ["".join(dice.choices("bdfgklmnprstvz", k=1) + dice.choices("aeiou", k=1)) for _ in range(WORDS * 3)]
    vocabulary = list(dict.fromkeys("".join(words[n : n + 3]) for n in range(WORDS)))
    weights = list(accumulate(1 / (rank + 2) for rank in range(len(vocabulary))))

    def said(count: int) -> str:
        return " ".join(dice.choices(vocabulary, cum_weights=weights, k=count))

    turns = [Turn(f"talk-{n // SESSION}", ("Ada", "Ben")[n % 2], said(dice.randint(6, 30))) for n in range(TURNS)]
    return Corpus(turns, [said(6) for _ in range(400)], "made-up talk")
