"""A life and its model side by side, in the words of the model."""

from typing import Any

from model import Model
from reveried.domain.memory import Memory
from reveried.state.links import COLUMNS, LinkRow
from unit.jobs.living import Life

State = dict[Any, dict[str, Any]]


async def seen(life: Life) -> State:
    memories: State = {id_: _memory(memory) for id_, memory in (await life.memories()).items()}
    rows = await life.readers.live.fetch(f"SELECT {COLUMNS} FROM links")
    return memories | {(row.a, row.b, row.kind): _link(row) for row in (LinkRow(*row) for row in rows)}


def expected(model: Model) -> State:
    memories: State = {
        id_: {name: value for name, value in vars(thing).items() if name != "id"} for id_, thing in model.things.items()
    }
    return memories | {where: dict(vars(bond)) for where, bond in model.links.all.items()}


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "namespace": memory.namespace, "text": memory.content, "kind": memory.kind, "score": memory.score,
        "reads": memory.access_count, "read": memory.last_accessed_at, "affirmed": memory.reinforced_at,
        "pinned": memory.pinned, "tags": list(memory.tags_manual), "state": memory.state,
        "stale_since": memory.stale_since, "archived": memory.archived_at, "deleted": memory.deleted_at,
        "superseded_by": memory.superseded_by, "expires": memory.expires_at, "born": memory.created_at,
        "stored": memory.stored_at, "updated": memory.updated_at, "tier": memory.tier, "priority": memory.priority,
        "source": memory.source,
    }  # fmt: skip


def _link(row: LinkRow) -> dict[str, Any]:
    return {
        "how": row.how, "born": row.created_at, "seen": row.verified_at, "weight": row.weight,
        "confidence": row.confidence, "shared": row.tags, "together": row.together, "affirmed": row.affirmed,
        "useful": {end for bit, end in ((1, row.a), (2, row.b)) if row.marks & bit},
    }  # fmt: skip


def difference(real: State, should: State) -> str:
    wrong = [key for key in {**real, **should} if real.get(key) != should.get(key)]
    return "; ".join(f"{key} is {_apart(real.get(key), should.get(key))}" for key in wrong[:3])


def _apart(one: dict[str, Any] | None, other: dict[str, Any] | None) -> str:
    if one is None or other is None:
        return f"{one}, should be {other}"
    names = [name for name in one if one[name] != other.get(name)]
    told = ", ".join(f"{name} {one[name]!r}, should be {other.get(name)!r}" for name in names)
    return f"{told} (state {one.get('state')})"
