"""Namespaces share a daemon and nothing else: whatever happens in one, the answers in another stay the same."""

import random
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import msgspec
import pytest

import reverie
from reverie.errors import InvalidField, NotFound, WrongState
from running import RunningDaemon

WORDS = "harbour lamp oil fog ferry pier bell tide rope anchor".split()


def _settled(client: reverie.Client) -> list[int]:
    ids = [client.store(f"{one} and {other} at dawn", tags=[one]).id for one, other in pairwise(WORDS)]
    client.archive(ids[0])
    client.reinforce(ids[1])
    client.delete(ids[2])
    return ids


def _everything(client: reverie.Client, ids: list[int]) -> list[Any]:
    """All a client can see without changing it. How long something took, or how old it is, may differ."""
    seen: list[Any] = [
        [_plain(memory) for memory in client.list(limit=200, states=[state]).memories]
        for state in ("active", "stale", "archived", "deleted")
    ]
    seen += [[event.seq for event in client.history(id_).events] for id_ in ids]
    for word in (*WORDS, "dawn"):
        # Fading goes on meanwhile: a few seconds change a score by less than this.
        found = client.recall(word, limit=50, include_archived=True).memories
        seen.append([(memory.id, round(memory.score, 2)) for memory in found])
    return seen


def _plain(memory: Any) -> dict[str, Any]:
    counted = ("access_count", "last_accessed_at")  # our own recalls count, and they are counted later
    return {name: value for name, value in msgspec.structs.asdict(memory).items() if name not in counted}


def _anything(client: reverie.Client, luck: random.Random, ids: list[int], foreign: list[int]) -> None:
    """One random operation, as often as not on a memory of the other namespace."""
    id_ = luck.choice([*ids, *foreign])
    text = f"{luck.choice(WORDS)} and {luck.choice(WORDS)} at dawn"
    operations: list[Callable[[], Any]] = [
        lambda: ids.append(client.store(text, tags=luck.sample(WORDS, 2)).id),
        lambda: client.store_many([text, f"{text} again"]),
        lambda: client.update(id_, content=f"{text}, reworded"),
        lambda: client.reinforce(id_),
        lambda: client.tag(id_, [luck.choice(WORDS)]),
        lambda: client.archive(id_),
        lambda: client.restore(id_),
        lambda: client.delete(id_),
        lambda: client.erase(id_),
        lambda: client.get(id_),
        lambda: client.supersede(id_, luck.choice([*ids, *foreign])),
        lambda: client.recall(text),
        lambda: client.timeline(),
    ]
    with suppress(NotFound, WrongState, InvalidField):  # what cannot be done is part of the game
        luck.choice(operations)()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_done_in_one_namespace_shows_in_another(daemon: RunningDaemon, seed: int) -> None:
    luck = random.Random(seed)
    with daemon.client("ours") as ours, daemon.client("theirs") as theirs:
        mine = _settled(ours)
        yours = [theirs.store(f"{word} and fog at dawn").id for word in WORDS]
        before = _everything(ours, mine)
        for _ in range(150):
            _anything(theirs, luck, yours, mine)
        assert _everything(ours, mine) == before
        assert {event.namespace for event in ours.events(limit=200).events} == {"ours"}
        assert ours.verify().ok


def test_the_memory_of_another_namespace_is_not_there(daemon: RunningDaemon) -> None:
    with daemon.client("ours") as ours, daemon.client("theirs") as theirs:
        id_, own = ours.store("kept to ourselves").id, theirs.store("their own").id
        operations: list[Callable[[], Any]] = [
            lambda: theirs.get(id_),
            lambda: theirs.history(id_),
            lambda: theirs.update(id_, content="changed"),
            lambda: theirs.reinforce(id_),
            lambda: theirs.demote(id_),
            lambda: theirs.pin(id_),
            lambda: theirs.unpin(id_),
            lambda: theirs.tag(id_, ["x"]),
            lambda: theirs.untag(id_, ["x"]),
            lambda: theirs.archive(id_),
            lambda: theirs.restore(id_),
            lambda: theirs.delete(id_),
            lambda: theirs.erase(id_),
            lambda: theirs.supersede(id_, own),
            lambda: theirs.supersede(own, id_),
        ]
        for operation in operations:
            with pytest.raises(NotFound):
                operation()
        assert ours.history(id_).events[0].seq == id_
        assert len(ours.history(id_).events) == 1


def test_the_same_words_and_the_same_key_mean_nothing_elsewhere(daemon: RunningDaemon) -> None:
    with daemon.client("ours") as ours, daemon.client("theirs") as theirs:
        ours.store("said by both")
        assert theirs.store("said by both").outcome == "stored"
        ours.store("one of ours", key="daily")
        assert theirs.store("one of theirs", key="daily").outcome == "stored"


def test_what_only_another_namespace_archived_makes_no_word_more_common(daemon: RunningDaemon) -> None:
    with daemon.client("ours") as ours, daemon.client("theirs") as theirs:
        ours.store("the bell of the harbour")
        ours.store("the lamp of the pier")
        before = [memory.score for memory in ours.recall("bell harbour", include_archived=True).memories]
        for number in range(5):
            theirs.archive(theirs.store(f"bell number {number}").id)
        after = [memory.score for memory in ours.recall("bell harbour?", include_archived=True).memories]
        assert after == pytest.approx(before, abs=0.01)
