"""The order of what was weighed, as far down as an answer can reach: whole records are read for that much alone, and
who comes how far is told by a few numbers of each."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from reveried.app.candidates import Weighed
from reveried.app.places import Opened, records, vitals_of
from reveried.config.schema import Config
from reveried.domain.memory import SYSTEM_OF_KIND, Memory
from reveried.domain.recalling.ranking import Ranked, contributions, doubted, lifted, score, signals, utmost
from reveried.state.vitals import Vitals


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
    judging = _Judging(weighed, profile, config, now, pull)
    ids = sorted(found, key=lambda id_: (-found[id_].total, -id_))
    most = utmost(profile, config.recall)
    if most is None or depth is None:
        return _complete(judging.ranked(records(places, ids).values()))
    apart = [id_ for id_ in ids if judging.is_procedural(id_)]
    waiting = [id_ for id_ in ids if not judging.is_procedural(id_)]
    best, at = judging.best or 1.0, 2 * depth
    scored = judging.scored(vitals_of(places, [*apart, *waiting[:at]]).values())
    while at < len(waiting):
        reachable = most * found[waiting[at]].total / best
        certain = [id_ for score_, id_ in scored if score_ > reachable]
        first = _first(certain, depth, judging)
        if first is not None:
            rest = [id_ for _, id_ in scored[len(first) :] if judging.is_procedural(id_)]
            ranked = judging.ranked(records(places, [*first, *rest]).values())
            return Ordered(ranked, _place_after(ranked, first), complete=False)
        scored = sorted([*scored, *judging.scored(vitals_of(places, waiting[at : 2 * at]).values())], key=_best_first)
        at *= 2
    return _complete(judging.ranked(records(places, [id_ for _, id_ in scored]).values()))


def _first(certain: Sequence[int], depth: int, judging: "_Judging") -> Sequence[int] | None:
    """As far as it takes to have so many beside procedural ones; None where they are not as many."""
    for place, id_ in enumerate(certain, 1):
        depth -= not judging.is_procedural(id_)
        if not depth:
            return certain[:place]
    return None


def _place_after(ranked: Sequence[Ranked], first: Sequence[int]) -> int:
    known = {*first}
    return sum(one.memory.id in known for one in ranked)


def _best_first(scored: tuple[float, int]) -> tuple[float, int]:
    return -scored[0], -scored[1]


class _Judging:
    """One question's way to make a score of a memory, whether its whole record is at hand or a few numbers of it."""

    def __init__(self, weighed: Weighed, profile: str, config: Config, now: int, pull: Mapping[int, float]) -> None:
        self._weighed = weighed
        self._profile = profile
        self._config = config
        self._now = now
        self._pull = pull
        self._semantic = weighed.meaning.similarities is not None
        self.best = max((one.total for one in weighed.relevance.values()), default=0.0)

    def is_procedural(self, id_: int) -> bool:
        return SYSTEM_OF_KIND.get(self._weighed.gists[id_].kind) == "procedural"

    def ranked(self, memories: Iterable[Memory]) -> list[Ranked]:
        found = []
        for memory in memories:
            known, parts = self._judged(memory)
            found.append(Ranked(memory, score(self._profile, parts), known, parts))
        return sorted([one for one in found if one.score > 0], key=lambda one: _best_first((one.score, one.memory.id)))

    def scored(self, memories: Iterable[Vitals]) -> list[tuple[float, int]]:
        """What `ranked` would make of them; where most are only looked at, their signals need not be told apart."""
        config, relevance, best = self._config, self._weighed.relevance, self.best or 1.0
        found = []
        for one in memories:
            total = lifted(
                self._profile, one, relevance[one.id].total / best, self._now, config.recall, config.retention
            )
            if one.conflicted:
                total += (config.reconciling.doubt - 1.0) * total
            if total > 0:
                found.append((total, one.id))
        return sorted(found, key=_best_first)

    def _judged(self, memory: Memory) -> tuple[dict[str, float], dict[str, float]]:
        config, found = self._config, self._weighed.relevance[memory.id]
        known = signals(memory, found, self.best, self._now, config.recall, config.retention, semantic=self._semantic)
        known["links"] = self._pull.get(memory.id, 0.0)
        parts = contributions(self._profile, known, config.recall)
        return known, doubted(self._profile, parts, config.reconciling.doubt) if memory.conflicted else parts


def _complete(ranked: list[Ranked]) -> Ordered:
    return Ordered(ranked, len(ranked))
