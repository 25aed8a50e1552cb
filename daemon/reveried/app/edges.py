"""The links around some memories: those that are stored, and those that the records themselves imply."""

import asyncio
from collections.abc import Collection, Mapping

from msgspec import Struct

from reveried.app.readers import Readers
from reveried.config.schema import Config
from reveried.domain.linking.kinds import CO_RECALLED, PART_OF, PRECEDES, Ends
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.linking.strength import strength_at
from reveried.domain.memory import Memory
from reveried.state.gist_reads import neighbours
from reveried.state.link_reads import Counting, chunks_of, counting, links_of
from reveried.state.links import LinkRow
from reveried.state.reads import by_ids

# What is next to each other in a session or a document, and nothing else is known to connect.
IMPLIED_STRENGTH = 0.5
MOST_CHUNKS = 200


def edge_rule(now: int, config: Config) -> Counting:
    """What counts as an edge for fading, tiers and priority."""
    return counting(now, config.tiers.recent_edge_days, config.links)


class Edge(Struct, frozen=True):
    """`row` is None for one that is implied."""

    ends: Ends
    strength: float
    row: LinkRow | None = None

    def other(self, memory: int) -> int:
        return self.ends.b if self.ends.a == memory else self.ends.a


def stored_edge(row: LinkRow, now: int, policy: LinksPolicy) -> Edge:
    together = row.kind == CO_RECALLED
    firm = strength_at(row.together, row.affirmed, row.verified_at, now, policy) if together else row.weight
    return Edge(row.ends, firm, row)


async def edges_of(readers: Readers, memories: Mapping[int, Memory], now: int, policy: LinksPolicy) -> list[Edge]:
    """Every link of these memories, the firmest first; what has faded is none any more."""
    rows, implied = await asyncio.gather(links_of(readers.live, list(memories)), _implied(readers, memories))
    stored = [edge for row in rows if (edge := stored_edge(row, now, policy)).strength >= policy.faded]
    known = {edge.ends for edge in stored}
    found = [*stored, *(Edge(ends, IMPLIED_STRENGTH) for ends in implied if ends not in known)]
    return sorted(found, key=lambda edge: (-edge.strength, edge.ends))


async def _implied(readers: Readers, memories: Mapping[int, Memory]) -> set[Ends]:
    """A chunk belongs to its document; what was said in a session has something before and after it."""
    ends = {
        Ends(memory.id, memory.parent_id, PART_OF)
        for memory in memories.values()
        if memory.parent_id is not None and memory.chunk_index is not None
    }
    if documents := [memory.id for memory in memories.values() if memory.is_document]:
        for pool in (readers.live, readers.archive):
            ends |= {Ends(chunk, parent, PART_OF) for parent, chunk in await chunks_of(pool, documents, MOST_CHUNKS)}
    if said := [memory.id for memory in memories.values() if memory.session_id is not None]:
        for id_, (before, after) in (await readers.live.run(lambda db: neighbours(db, said))).items():
            ends |= {Ends(one, id_, PRECEDES) for one in before[:1]} | {Ends(id_, one, PRECEDES) for one in after[:1]}
    return ends


async def standing(readers: Readers, ids: Collection[int], namespace: str) -> dict[int, Memory]:
    """Those that are there and not deleted, archived or not."""
    wanted = sorted(ids)
    archived, live = await asyncio.gather(by_ids(readers.archive, wanted), by_ids(readers.live, wanted))
    return {one.id: one for one in (*archived, *live) if one.namespace == namespace and one.state != "deleted"}
