"""Why a memory was, or was not, among the answers to a query: the first rule that kept it out, and its signals."""

from collections.abc import Sequence

from reverie.protocol.results import WhyReport
from reveried.app.asking import Asked
from reveried.app.candidates import Weighed
from reveried.app.readers import Readers
from reveried.domain.decide import required
from reveried.domain.memory import Memory
from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.silence import evidence
from reveried.state.reads import by_ids


async def reason_for(
    id_: int,
    namespace: str,
    weighed: Weighed,
    ranked: Sequence[Ranked],
    chosen: Sequence[Ranked],
    wanted: Asked,
    readers: Readers,
) -> WhyReport:
    memory = await _record(id_, namespace, readers)
    place = next((rank for rank, one in enumerate(ranked, 1) if one.memory.id == id_), None)
    returned = any(one.memory.id == id_ for one in chosen)
    one = ranked[place - 1] if place else None
    found = weighed.relevance.get(id_)
    return WhyReport(
        memory=id_,
        returned=returned,
        rank=place,
        reason="it is among the answers" if returned else _hindrance(memory, weighed, place, wanted),
        signals=one.signals if one else {},
        contributions=one.contributions if one else {},
        parts=found.parts if found else {},
        evidence=evidence(weighed.query, weighed.relevance),
        floor=wanted.floor,
        semantic=weighed.meaning.similarities is not None,
        semantic_reason=weighed.meaning.reason,
    )


async def _record(id_: int, namespace: str, readers: Readers) -> Memory:
    found = await by_ids(readers.live, [id_]) or await by_ids(readers.archive, [id_])
    return required(found[0] if found else None, id_, namespace)


def _hindrance(memory: Memory, weighed: Weighed, place: int | None, wanted: Asked) -> str:
    if memory.state in ("archived", "deleted"):
        return f"it is {memory.state}; ask with the archive, or restore it"
    if memory.superseded_by is not None:
        return f"[id:{memory.superseded_by}] took its place"
    if memory.compressed_into is not None:
        return f"it was compressed into [id:{memory.compressed_into}]"
    if memory.id not in weighed.relevance:
        nearer = ", and others are nearer in meaning" if weighed.meaning.similarities is not None else ""
        return f"it holds none of the query's telling words{nearer}"
    if evidence(weighed.query, weighed.relevance) < wanted.floor:
        return "nothing here answers the query well enough: the best evidence is below the floor"
    if place is None:
        return "it has too little in common with the query, beside those that have more"
    return f"it came in place {place}, and the answer was full before: {wanted.limit} memories, {wanted.budget} tokens"
