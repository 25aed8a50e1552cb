"""The order of what was weighed, as far down as an answer can reach: whole records are read for that much alone."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from reveried.app.candidates import Weighed
from reveried.app.places import Opened, records
from reveried.config.schema import Config
from reveried.domain.memory import SYSTEM_OF_KIND
from reveried.domain.recalling.ranking import Ranked, contributions, doubted, score, signals, utmost


class Ordered(Struct, frozen=True):
    """Best first. Nothing that is missing would come before any of the first `certain`; of those that follow all are
    procedural, and no procedural one is missing."""

    ranked: list[Ranked]
    certain: int
    complete: bool = True

    def holds(self, last: int | None) -> bool:
        """Whether an answer that ended with the one in this place, or with none, would be the same if all were here."""
        return self.complete or (last is not None and last < self.certain)


NOTHING = Ordered([], 0)
NO_PULL: Mapping[int, float] = {}


def ordered(
    places: Sequence[Opened],
    weighed: Weighed,
    profile: str,
    config: Config,
    now: int,
    depth: int | None,
    pull: Mapping[int, float] = NO_PULL,
) -> Ordered:
    """The first `depth` beside procedural ones, or everything where that cannot be told from relevance alone. `pull` is
    what links to the best give to each."""
    found = weighed.relevance
    ids = sorted(found, key=lambda id_: (-found[id_].total, -id_))
    most = utmost(profile, config.recall)
    if most is None or depth is None:
        return _complete(_ranked(places, weighed, ids, profile, config, now, pull))
    apart = {id_ for id_ in ids if _is_procedural(weighed.gists[id_].kind)}
    waiting = [id_ for id_ in ids if id_ not in apart]
    best, at = (found[ids[0]].total if ids else 0.0) or 1.0, 2 * depth
    ranked = _ranked(places, weighed, [*apart, *waiting[:at]], profile, config, now, pull)
    while at < len(waiting):
        reachable = most * found[waiting[at]].total / best
        certain = sum(one.score > reachable for one in ranked)
        if sum(not _is_procedural(one.memory.kind) for one in ranked[:certain]) >= depth:
            rest = [one for one in ranked[certain:] if _is_procedural(one.memory.kind)]
            return Ordered([*ranked[:certain], *rest], certain, complete=False)
        ranked = _sorted([*ranked, *_ranked(places, weighed, waiting[at : 2 * at], profile, config, now, pull)])
        at *= 2
    return _complete(ranked)


def _complete(ranked: list[Ranked]) -> Ordered:
    return Ordered(ranked, len(ranked))


def _is_procedural(kind: str) -> bool:
    return SYSTEM_OF_KIND.get(kind) == "procedural"


def _ranked(
    places: Sequence[Opened],
    weighed: Weighed,
    ids: Sequence[int],
    profile: str,
    config: Config,
    now: int,
    pull: Mapping[int, float],
) -> list[Ranked]:
    best = max((one.total for one in weighed.relevance.values()), default=0.0)
    semantic = weighed.meaning.similarities is not None
    ranked = []
    for id_, memory in records(places, ids).items():
        found = weighed.relevance[id_]
        known = signals(memory, found, best, now, config.recall, config.retention, semantic=semantic)
        known["links"] = pull.get(id_, 0.0)
        parts = contributions(profile, known, config.recall)
        if memory.conflicted:
            parts = doubted(profile, parts, config.reconciling.doubt)
        ranked.append(Ranked(memory, score(profile, parts), known, parts))
    return _sorted([one for one in ranked if one.score > 0])


def _sorted(ranked: list[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda one: (-one.score, -one.memory.id))
