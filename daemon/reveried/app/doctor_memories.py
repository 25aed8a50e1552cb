"""What the doctor asks about the memories themselves: what they lack, and whether what tends them does its work."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from reverie.protocol.results import Check
from reveried.app.health import Parts
from reveried.domain.consolidating.lacking import lacks_summary
from reveried.domain.consolidating.retagging import refreshed
from reveried.state.conflicts import count_open
from reveried.state.jobs import last_runs
from reveried.state.link_reads import count_links
from reveried.state.looking import Standing, standing, untagged, without_summary
from reveried.state.reads import count_embeddable

DAY = 86_400_000_000
# Fewer memories may well have nothing to do with each other, and all be of one tier.
MANY = 50
# Memories looked at for a missing summary or tag, and how many of them may wait for the next run.
LOOKED_AT, WAITING = 2_000, 100


async def _embedder(parts: Parts) -> Check:
    embedder = parts.semantics.embedder
    condition = embedder.condition
    if condition.state in ("none", "failed"):
        return Check(name="embedder", status="warn", detail=condition.reason, fix=condition.mend or "reverie model")
    return Check(name="embedder", status="ok", detail=f"{embedder.id} ({condition.runtime}), {condition.state}")


async def _vectors(parts: Parts) -> Check:
    """Whether every memory has one, of the model that is in force."""
    model, store = parts.semantics.embedder.id, parts.semantics.store
    by_model = await asyncio.to_thread(store.count_by_model)
    wanted = await count_embeddable(parts.readers.live) + await count_embeddable(parts.readers.archive)
    lacking = max(0, wanted - by_model.pop(model, 0))
    others = ", ".join(f"{count:,} have one of {name}" for name, count in by_model.items() if count)
    said = [f"{lacking:,} of {wanted:,} memories have none of the model in force", *([others] if others else [])]
    if not model:
        return Check(name="vectors", status="ok", detail="; ".join(["without a model none is needed", *said[1:]]))
    if parts.semantics.backlog.seq < parts.progress.head and lacking:
        return Check(name="vectors", status="ok", detail="; ".join([*said, "they are being embedded"]))
    if lacking or others:
        fix = f"stop the daemon, remove {parts.directory.vectors}, start it again: all are embedded anew"
        return Check(name="vectors", status="warn", detail="; ".join(said), fix=fix)
    return Check(name="vectors", status="ok", detail=f"each of {wanted:,} memories has one")


async def _tags(parts: Parts) -> Check:
    """Of those without any, who could have some: not every text has a word worth a tag."""
    policy = parts.settings.current.understanding.tags
    found = await untagged(parts.readers.live, LOOKED_AT)
    lacking = sum(bool(refreshed(memory, policy)) for memory in found)
    if lacking > WAITING:
        detail = f"{lacking:,} memories could have tags and have none"
        return Check(name="tags", status="warn", detail=detail, fix="reverie run sleep")
    return Check(name="tags", status="ok", detail=f"{lacking} are missing")


async def _tiers(parts: Parts) -> Check:
    """All in one tier is no trouble by itself; nobody having looked for a day is."""
    found = await standing(parts.readers.live)
    if found.memories >= MANY and len(found.tiers) == 1 and await _unattended(parts, found):
        (tier,) = found.tiers
        detail = f"all {found.memories:,} memories are {tier}, and nothing has looked at them for a day"
        return Check(name="tiers", status="warn", detail=detail, fix="reverie run sleep")
    detail = ", ".join(f"{count:,} {tier}" for tier, count in found.tiers.items()) or "no memory yet"
    return Check(name="tiers", status="ok", detail=detail)


async def _unattended(parts: Parts, found: Standing) -> bool:
    yesterday = time.time_ns() // 1000 - DAY
    last = (await last_runs(parts.readers.live)).get("sleep")
    return (last is None or last.finished < yesterday) and found.oldest is not None and found.oldest < yesterday


async def _links(parts: Parts) -> Check:
    """Among many memories some always share something."""
    live, policy = parts.readers.live, parts.settings.current.links
    count, memories = await count_links(live), (await standing(live)).memories
    if count or memories < MANY:
        return Check(name="links", status="ok", detail=f"{count:,} links between {memories:,} memories")
    fix = "reverie run sleep" if policy.propose else f"set links.propose to true in {parts.settings.path}"
    return Check(name="links", status="warn", detail=f"none between {memories:,} memories", fix=fix)


async def _summaries(parts: Parts) -> Check:
    policy = parts.settings.current.understanding
    found = await without_summary(parts.readers.live, 0, LOOKED_AT)
    lacking = sum(lacks_summary(memory, policy) for memory in found)
    if lacking > WAITING:
        detail = f"{lacking} memories are long enough for a summary and have none"
        return Check(name="summaries", status="warn", detail=detail, fix="reverie run sleep")
    return Check(name="summaries", status="ok", detail=f"{lacking} are missing")


async def _conflicts(parts: Parts) -> Check:
    by_namespace = await count_open(parts.readers.live)
    if not by_namespace:
        return Check(name="conflicts", status="ok", detail="none is open")
    detail = ", ".join(f"{count:,} open in {namespace}" for namespace, count in by_namespace.items())
    fix = "; ".join(f"reverie conflicts -n {namespace}" for namespace in by_namespace)
    return Check(name="conflicts", status="warn", detail=detail, fix=fix)


MEMORY_CHECKS: Mapping[str, Callable[[Parts], Awaitable[Check]]] = {
    "embedder": _embedder,
    "vectors": _vectors,
    "tags": _tags,
    "tiers": _tiers,
    "links": _links,
    "summaries": _summaries,
    "conflicts": _conflicts,
}
