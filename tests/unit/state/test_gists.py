"""What a gist says is what its memory says, after whatever happened to it; and no word of it outlives an erasure."""

from collections.abc import Iterator

import pytest

from reveried.domain.recalling.terms import terms_of
from reveried.log.pool import Pool
from reveried.state.gist_reads import Gist, KeptGists, gists
from reveried.state.reads import Filter
from unit.domain.histories import stored
from unit.state.workspace import Workspace, workspace

DEFAULT = Filter(namespace="default")


@pytest.fixture
def space() -> Iterator[Workspace]:
    with workspace() as space:
        yield space


async def read(space: Workspace, ids: range, filter_: Filter = DEFAULT) -> dict[int, Gist]:
    pool = Pool(space.store.live_path, 1)
    await pool.open()
    found = await pool.run(lambda db: gists(db, KeptGists(0), ids, filter_))
    await pool.close()
    return found


async def test_a_gist_holds_the_terms_of_its_memory(space: Workspace) -> None:
    space.world.record(stored("When did Ada leave on Friday?", speaker="Ben", session_id="s", tags_manual=("trip",)))
    space.flush()
    (gist,) = (await read(space, range(1, 3))).values()
    told = terms_of(space.world.memories[1])
    assert (gist.terms, gist.length, gist.tells_time, gist.asks) == (told.text, told.length, True, True)
    assert (gist.speaker, gist.session_id, gist.kind) == ("Ben", "s", space.world.memories[1].kind)
