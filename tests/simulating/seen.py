"""A life and its model side by side, in the words of the model."""

import json
from typing import Any

from model import Model
from modelled.documents import Document
from modelled.things import Thing
from reveried.domain.memory import Memory
from reveried.state.links import COLUMNS, LinkRow
from unit.jobs.living import Life

DISPUTED = ("new", "known", "outcome", "open", "winner", "resolution")
NARRATED = ("namespace", "at", "summary", "topic", "memories", "previous", "erased")
SESSIONS = "namespace, session_id, started_at, ended_at, account"
CUT = ("namespace", "done", "stored", "duplicates", "discarded")
State = dict[Any, dict[str, Any]]


async def seen(life: Life) -> State:
    state: State = {id_: _memory(memory) for id_, memory in (await life.memories()).items()}
    for row in await life.readers.live.fetch(f"SELECT {COLUMNS} FROM links"):
        link = LinkRow(*row)
        state[link.a, link.b, link.kind] = _link(link)
    for number, *values in await life.readers.live.fetch(f"SELECT id, {', '.join(DISPUTED)} FROM conflicts"):
        state["conflict", number] = _dispute(dict(zip(DISPUTED, values, strict=True)))
    for number, *values in await life.readers.live.fetch(f"SELECT id, {', '.join(NARRATED)} FROM narratives"):
        told = dict(zip(NARRATED, values, strict=True))
        state["narrative", number] = told | {"memories": json.loads(told["memories"]), "erased": bool(told["erased"])}
    for number, *values in await life.readers.live.fetch(f"SELECT id, {', '.join(CUT)} FROM documents"):
        state["document", number] = dict(zip(CUT, values, strict=True))
    for namespace, name, *times in await life.readers.live.fetch(f"SELECT {SESSIONS} FROM sessions"):
        state["session", namespace, name] = dict(zip(("started", "ended", "account"), times, strict=True))
    return state


def expected(model: Model) -> State:
    state: State = {id_: _thing(thing) for id_, thing in model.things.items()}
    state |= {where: dict(vars(bond)) for where, bond in model.links.all.items()}
    state |= {("narrative", number): dict(vars(one)) for number, one in model.narratives.items()}
    state |= {("session", *name): dict(vars(one)) for name, one in model.sessions.items()}
    state |= {("document", number): _cut(one) for number, one in model.documents.items()}
    return state | {("conflict", number): _dispute(vars(one)) for number, one in model.disputes.items()}


def _dispute(told: dict[str, Any]) -> dict[str, Any]:
    """Of two that go together, who went first is nobody's business."""
    return {name: value for name, value in told.items() if name != "winner" or told["resolution"] != "gone"}


def _cut(text: Document) -> dict[str, Any]:
    became = text.became if text.done else dict.fromkeys(text.became, 0)  # it is told at the end
    return {"namespace": text.namespace, "done": int(text.done), **became}


def _thing(thing: Thing) -> dict[str, Any]:
    told = {name: value for name, value in vars(thing).items() if name not in ("id", "own", "gained", "chosen")}
    told |= {"text": thing.text, "conflicts": sorted(thing.conflicts), "found_tags": thing.found_tags}
    return told | ({"importance": None} if thing.whole else {})  # of a whole text nobody says how important it is


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "namespace": memory.namespace, "text": memory.content, "title": memory.title, "kind": memory.kind,
        "score": memory.score, "reads": memory.access_count, "read": memory.last_accessed_at,
        "affirmed": memory.reinforced_at, "pinned": memory.pinned, "tags": list(memory.tags_manual),
        "state": memory.state,
        "stale_since": memory.stale_since, "archived": memory.archived_at, "deleted": memory.deleted_at,
        "superseded_by": memory.superseded_by, "expires": memory.expires_at, "born": memory.created_at,
        "stored": memory.stored_at, "updated": memory.updated_at, "tier": memory.tier, "priority": memory.priority,
        "source": memory.source, "valid_from": memory.valid_from,
        "importance": None if memory.is_document else memory.importance,
        "compressed_into": memory.compressed_into, "conflicts": sorted(memory.conflicts),
        "parent": memory.parent_id, "place": memory.chunk_index, "replaced_at": memory.replaced_at,
        "session": memory.session_id, "tells": list(memory.drawn_from),
        "off": list(memory.untagged), "found_tags": set(memory.tags_auto),
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
