"""How new a chunk is, against real vectors in a real store; the embedder alone is a fake."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reveried.app.novelty import Novelty
from reveried.app.semantics import Semantics
from reveried.domain.recalling.embedded import text_hash
from reveried.embed.choosing import NoEmbedder
from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.resolve import Missing
from reveried.ports import EmbedderCondition
from reveried.state.vectors import Embedded, VectorStore
from reveried.vectors.shortcut import NEVER


class Compass:
    """Turns a text that begins with a number of degrees into that direction."""

    id = "compass"
    dimension = 2
    scripts = "latin"
    broken = False
    condition = EmbedderCondition(state="ready", reason="", runtime="fake", model="compass", restarts=0)

    def warm(self) -> None:
        pass

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        if self.broken:
            raise EmbedderUnavailable("it has gone")
        return [vector(float(text.split()[0])) for text in texts]

    async def close(self) -> None:
        pass


def vector(degrees: float) -> bytes:
    angle = np.deg2rad(degrees)
    return np.array([np.cos(angle), np.sin(angle)], np.float32).tobytes()


@pytest.fixture
def compass() -> Compass:
    return Compass()


@pytest.fixture
def semantics(tmp_path: Path, compass: Compass) -> Semantics:
    store = VectorStore(tmp_path / "vectors.db")
    known = [(1, "ours", -30.0), (2, "ours", 30.0), (3, "theirs", 90.0), (9, "ours", 180.0)]
    rows = [Embedded(id_, namespace, 0, bytes(16), vector(degrees)) for id_, namespace, degrees in known]
    store.write("compass", 9, [], rows)
    return Semantics(compass, store, 0.5, NEVER)


async def test_what_was_made_to_judge_a_chunk_is_there_for_whoever_embeds_it_once(semantics: Semantics) -> None:
    novelty = await Novelty.before(semantics, "ours", 9)
    await novelty.of(["30 degrees", "90 degrees"])
    wanted = [text_hash("30 degrees"), text_hash("never seen")]
    assert semantics.made.take(wanted) == {wanted[0]: vector(30.0)}
    assert semantics.made.take(wanted) == {}


async def test_what_one_model_made_is_not_there_for_another(semantics: Semantics) -> None:
    await (await Novelty.before(semantics, "ours", 9)).of(["30 degrees"])
    await semantics.use(NoEmbedder(Missing("none")))
    assert semantics.made.take([text_hash("30 degrees")]) == {}


async def test_a_chunk_is_new_as_far_as_it_points_away_from_the_middle_of_what_is_known(semantics: Semantics) -> None:
    novelty = await Novelty.before(semantics, "ours", 5)
    found = await novelty.of(["0 degrees", "60 degrees", "90 degrees", "180 degrees"])
    assert found == pytest.approx([0.0, 0.5, 1.0, 1.0], abs=1e-6)
    assert novelty.notes == {"novelty:measured"}


async def test_what_came_after_the_document_does_not_count(semantics: Semantics) -> None:
    later = await Novelty.before(semantics, "ours", 10)
    assert (await later.of(["180 degrees"])) != [0.0]
    assert (await (await Novelty.before(semantics, "ours", 2)).of(["-30 degrees"])) == pytest.approx([0.0], abs=1e-6)


async def test_a_namespace_with_nothing_in_it_makes_everything_new(semantics: Semantics) -> None:
    novelty = await Novelty.before(semantics, "empty", 5)
    assert await novelty.of(["0 degrees", "1 degree"]) == [1.0, 1.0]
    assert novelty.notes == {"novelty:nothing_to_compare"}


async def test_without_an_embedder_everything_is_new(semantics: Semantics, compass: Compass) -> None:
    compass.id = ""
    novelty = await Novelty.before(semantics, "ours", 5)
    assert await novelty.of(["0 degrees"]) == [1.0]
    assert novelty.notes == {"novelty:no_embedder"}


async def test_right_after_a_start_the_model_is_waited_for(semantics: Semantics, compass: Compass) -> None:
    await semantics.use(NoEmbedder(Missing("the model is being looked for"), "looking"))
    judging = asyncio.ensure_future(Novelty.before(semantics, "ours", 5))
    await asyncio.sleep(0)
    assert not judging.done()
    await semantics.use(compass)
    novelty = await judging
    assert await novelty.of(["0 degrees"]) == pytest.approx([0.0], abs=1e-6)
    assert novelty.notes == {"novelty:measured"}


async def test_an_embedder_that_fails_makes_new_what_it_was_asked(semantics: Semantics, compass: Compass) -> None:
    novelty = await Novelty.before(semantics, "ours", 5)
    compass.broken = True
    assert await novelty.of(["0 degrees"] * 20) == [1.0] * 20
    assert novelty.notes == {"novelty:embedder_unavailable"}


async def test_a_script_that_the_model_does_not_read_is_new(semantics: Semantics) -> None:
    novelty = await Novelty.before(semantics, "ours", 5)
    assert await novelty.of(["渡轮在黎明前离开港口", "0 degrees"]) == pytest.approx([1.0, 0.0], abs=1e-6)
    assert novelty.notes == {"novelty:measured", "novelty:unknown_script"}
