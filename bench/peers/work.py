"""The work that everybody is given: texts to keep, questions to answer; and what comes back."""

import json
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 10


class Space(NamedTuple):
    """One memory of its own. `vectors` is a file of float32 rows, the texts' first and the questions' behind them."""

    name: str
    texts: list[str]
    questions: list[str]
    vectors: str | None = None


class Work(NamedTuple):
    """`singly` of the first space's texts are stored one by one, the rest in the largest batches the peer takes."""

    home: str
    spaces: list[Space]
    singly: int = 0
    limit: int = LIMIT


class Served(NamedTuple):
    """Seconds, megabytes, milliseconds of each question, and for each space and question the places of the texts."""

    ready: float
    singly: float
    batched: float
    resident: float
    asked: list[float]
    rankings: list[list[list[int]]]


def written(work: Work) -> str:
    return json.dumps({**work._asdict(), "spaces": [space._asdict() for space in work.spaces]})


def read(found: dict[str, Any]) -> Served:
    return Served(**found)


def path_of(driver: str) -> Path:
    return Path(__file__).parent / "drivers" / f"{driver}.py"
