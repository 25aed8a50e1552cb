"""A markdown book of any size, the same for the same seed: chapters, prose in several scripts, lists, code."""

import random

_SUBJECTS = ("The harbour", "A ferry", "Ada Lovelace", "The night watch", "Our pilot", "Captain Moreau", "The lamp")
_VERBS = ("crosses", "reaches", "leaves", "measures", "remembers", "avoids", "repairs")
_OBJECTS = ("the outer pier", "Lisbon", "the north channel", "an old chart", "the signal tower", "the engine room")
_ENDS = ("before dawn.", "at 6 knots!", "in heavy fog.", "e.g. in winter.", "without a word?", "since 1907.")
_CHINESE = ("渡轮在黎明前离开港口。", "灯塔的灯在雾中闪烁！", "船长记得每一条航道。")


def book(characters: int, seed: int = 7) -> str:
    luck = random.Random(seed)
    parts: list[str] = []
    length = chapter = 0
    while length < characters:
        chapter += 1
        part = f"# Chapter {chapter}\n\n" + "\n\n".join(_block(luck, chapter) for _ in range(luck.randrange(6, 12)))
        parts.append(part)
        length += len(part) + 2
    return "\n\n".join(parts)


def _block(luck: random.Random, chapter: int) -> str:
    chance = luck.random()
    if chance < 0.1:
        return f"## Section {luck.randrange(1_000_000)}"
    if chance < 0.2:
        return _code(luck)
    if chance < 0.25:
        return "".join(luck.choice(_CHINESE) for _ in range(luck.randrange(2, 12))) + f"第{luck.randrange(10**9)}次。"
    if chance < 0.3:
        return "\n".join(f"- {_sentence(luck)}" for _ in range(luck.randrange(2, 6)))
    return " ".join(_sentence(luck) for _ in range(luck.randrange(1, 24)))


def _sentence(luck: random.Random) -> str:
    number = luck.randrange(10**9)
    return f"{luck.choice(_SUBJECTS)} {luck.choice(_VERBS)} {luck.choice(_OBJECTS)} {number} {luck.choice(_ENDS)}"


def _code(luck: random.Random) -> str:
    lines = [f"    depth[{luck.randrange(10**9)}] = {luck.randrange(99)}" for _ in range(luck.randrange(1, 12))]
    return "\n".join(["```python", "def soundings():", *lines, "", "", "", "    # no heading. Not a sentence", "```"])
