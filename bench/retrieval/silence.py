"""How often recall keeps silent: about what was never said, as it should, and about what was, as it should not."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from bench.plot import Line, plot
from bench.retrieval.asking import Filled, filled
from bench.retrieval.sets import OURS, ours
from reveried.domain.policies import RecallPolicy

ANSWERABLE = ("agent_notes", "chats", "assistant", "mixed_notes")
FLOORS = [step / 100 for step in range(61)]


def report(runtime: str, picture: Path | None) -> str:
    asked = json.loads((OURS / "unanswerable.json").read_text())["questions"]
    never = [one["question"] for one in asked if one["hardness"] == "far"]
    nearly = [one["question"] for one in asked if one["hardness"] == "near"]
    with filled([one for name in ANSWERABLE for one in ours(name)], runtime) as spaces:
        notes = next(space for space in spaces if space.collection.name == "agent_notes")
        answerable = {space.collection.name: _evidence(space, _questions(space)) for space in spaces}
        unsaid = {space.collection.name: _evidence(space, never) for space in spaces}
        near = _evidence(notes, nearly)
    if picture is not None:
        picture.write_text(_picture(unsaid, answerable, near))
    return _table(unsaid, answerable, near, runtime)


def _questions(space: Filled) -> list[str]:
    return [question.text for question in space.collection.questions]


def _evidence(space: Filled, questions: Sequence[str]) -> list[float]:
    return [space.answer(question, floor=0.0).evidence for question in questions]


def _silent(evidence: Sequence[float], floor: float) -> float:
    return mean(one < floor for one in evidence)


def _table(
    unsaid: dict[str, list[float]], answerable: dict[str, list[float]], near: Sequence[float], runtime: str
) -> str:
    floor = RecallPolicy().floor
    lines = [f"\n### Silence at the default floor of {floor:g} ({runtime})\n"]
    lines += ["| memory | silent about what was never said | silent about what was said |", "|---|---|---|"]
    lines += [
        f"| {name} | {_silent(unsaid[name], floor):.3f} | {_silent(answerable[name], floor):.3f} |" for name in unsaid
    ]
    means = [mean(_silent(group[name], floor) for name in unsaid) for group in (unsaid, answerable)]
    lines.append(f"| mean | {means[0]:.3f} | {means[1]:.3f} |")
    lines.append(
        f"\nQuestions made of the notes' own words and people, about what no note says: {_silent(near, floor):.3f} "
        "silent. Words and vectors cannot tell these apart."
    )
    return "\n".join(lines)


def _picture(unsaid: dict[str, list[float]], answerable: dict[str, list[float]], near: Sequence[float]) -> str:
    def curve(groups: dict[str, list[float]]) -> list[tuple[float, float]]:
        return [(floor, mean(_silent(one, floor) for one in groups.values())) for floor in FLOORS]

    lines = [
        Line("never said", curve(unsaid)),
        Line("never said, in the notes' own words", curve({"near": list(near)})),
        Line("said (should be answered)", curve(answerable)),
    ]
    return plot("Share of questions met with silence, by floor", "floor", lines, mark=RecallPolicy().floor)
