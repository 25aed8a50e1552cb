"""Two lives of one namespace, alone and beside a busy other one: every answer is the same, to the score."""

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import reverie
from reverie.errors import ReverieError
from running import RunningDaemon

PLACES = "harbour lamp oil fog ferry pier bell tide rope anchor".split()
PEOPLE = ("Ada Lovelace", "Grace Hopper", "Alan Turing")
# Names that have nothing in common, and names that an index of words could take for one another.
NAMES = (("ours", "theirs"), ("team", "team a"), ("a-b", "a b"), ("!", "?"))


class Life:
    """What one namespace does, the same for the same seed. Its memories are known by the order in which they came."""

    def __init__(self, client: reverie.Client, seed: int) -> None:
        self._client, self._luck, self.ids = client, random.Random(seed), list[int]()
        self.said: list[Any] = []

    def step(self) -> None:
        luck, client = self._luck, self._client
        one, other, who = luck.choice(PLACES), luck.choice(PLACES), luck.choice(PEOPLE)
        content = f"{who} keeps the {one} near the {other} since {luck.randrange(1990, 2020)}"
        id_ = luck.choice(self.ids) if self.ids else 1
        choices: list[Callable[[], Any]] = [
            lambda: self._stored(client.store(content, tags=[one], session_id=other, key=f"day-{luck.randrange(8)}")),
            lambda: self._stored(client.store(content)),
            lambda: self._stored(client.store(f"{who} likes the {one}")),
            lambda: self._stored(client.store(f"{who} does not like the {one}")),
            lambda: client.reinforce(id_).outcome,
            lambda: client.tag(id_, [other]).outcome,
            lambda: client.archive(id_).outcome,
            lambda: client.restore(id_).outcome,
            lambda: client.delete(id_).outcome,
            lambda: client.update(id_, content=f"{content}, reworded").outcome,
            lambda: client.ingest(f"{content}. {who} lives in Paris. The {other} is old.", source="upload").outcome,
            lambda: self._found(f"{one} {who}"),
        ]
        try:
            self.said.append(luck.choices(choices, [6, 6, 3, 3, 2, 2, 1, 2, 1, 2, 1, 6])[0]())
        except ReverieError as error:
            self.said.append(error.code)

    def _stored(self, written: Any) -> tuple[str, bool]:
        if written.id not in self.ids:
            self.ids.append(written.id)
        return written.outcome, written.repeated

    def _found(self, query: str) -> list[tuple[str, float]]:
        answer = self._client.recall(query, limit=20, include_archived=True, floor=0.0)
        # Fading goes on between the two lives: a second changes a score by less than this.
        return [(memory.content, round(memory.score, 2)) for memory in answer.memories]

    def everything(self) -> list[Any]:
        client = self._client
        states = [
            client.list(limit=200, states=[state]).memories for state in ("active", "stale", "archived", "deleted")
        ]
        seen: list[Any] = [
            [(memory.content, memory.tags, memory.kind, memory.importance, memory.score) for memory in memories]
            for memories in states
        ]
        seen += [self._found(f"the {place}") for place in PLACES] + [self._found(who) for who in PEOPLE]
        seen.append([(found.name, found.type, found.mentions, found.memories) for found in client.entities().entities])
        seen += [
            [(found.relation, found.other, found.count) for found in client.relations(who).relations] for who in PEOPLE
        ]
        seen.append([(one.rule, one.new_content, one.known_content) for one in client.conflicts(every=True).conflicts])
        stats = client.stats()
        seen += [stats.states, stats.tiers, stats.kinds]
        seen.append([event.type for event in client.events(limit=200).events if event.type != "memory.recalled"])
        return [*seen, self.said]


def _lived(home: Path, seed: int, steps: int, *, beside: bool) -> list[Any]:
    daemon = RunningDaemon(home)
    try:
        daemon.start()
        our_name, their_name = NAMES[seed % len(NAMES)]
        with daemon.client(our_name) as ours, daemon.client(their_name) as theirs:
            life, other = Life(ours, seed), Life(theirs, seed + 1)
            for number in range(steps):
                life.step()
                if beside:
                    other.step()
                    other.step()
                    with suppress(ReverieError):  # and now and then at what is not theirs
                        theirs.erase(life.ids[number % len(life.ids)] if life.ids else 1)
            return life.everything()
    finally:
        daemon.end()


@pytest.mark.parametrize("seed", range(4))
def test_a_busy_neighbour_changes_no_answer(
    tmp_path: Path, seed: int, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    for more in range(20 if full else 1):
        number = seed + 100 * more
        alone = _lived(tmp_path / f"alone{number}", number, 60, beside=False)
        beside = _lived(tmp_path / f"beside{number}", number, 60, beside=True)
        for place, (one, other) in enumerate(zip(alone, beside, strict=True)):
            assert one == other, f"seed {number}, answer {place}"
    record_proof(f"interference, seed {seed}", f"{NAMES[seed]}: 60 steps beside 120, every answer the same")
