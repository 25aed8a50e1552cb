"""The search by words in one place: who holds the query's terms, how rare each is, and who passes the filter.

A term held by more than `cap` memories gives the newest of them, and those that hold it together with another such
term. Where a filter lets too few of them through, the search is done again inside the filter, so that whatever passes
and holds a word is found.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from math import log

from msgspec import Struct

from reveried.app.places import FEW, Opened
from reveried.domain.recalling.words import Sought
from reveried.state.gists import passing
from reveried.state.reads import Extent
from reveried.state.searching import Within, holders, holders_of_both, within_filter, within_ids

# So many of the most telling are looked up at once to see whether they pass. With 800 LoCoMo was answered no better.
LOOKED_UP = 300


class Held(Struct):
    """What the index gave for each term, as yet unfiltered; `few` is all that passes, if that is known."""

    place: Opened
    extent: Extent
    ids: list[list[int]]
    few: Mapping[int, str | None] | None
    cap: int

    @property
    def capped(self) -> list[int]:
        return [term for term, ids in enumerate(self.ids) if len(ids) >= self.cap]

    @property
    def namespace(self) -> str | None:
        return None if self.extent.alone else self.place.filter.namespace

    def frequency(self, term: int) -> float:
        """How many memories hold a term. Of a common one only the newest are known: as far back as they reach, so
        dense it is taken to be everywhere."""
        ids, extent = self.ids[term], self.extent
        if len(ids) < self.cap:
            return len(ids)
        newest = max(extent.highest, ids[0])
        reach = (newest - ids[-1] + 1) / max(1, newest - extent.lowest + 1)
        return max(len(ids), min(extent.count, len(ids) / reach))


class Telling(Struct, frozen=True):
    """Memories that pass and hold some of the query, the most telling first, with the rarity that each holds; the
    session of each, and who holds which term, whether it passes or not."""

    namespace: str
    totals: dict[int, float]
    sessions: Mapping[int, str | None]
    holders: list[list[int]]


def held(place: Opened, extent: Extent, sought: Sequence[Sought], cap: int) -> Held:
    namespace = None if extent.alone else place.filter.namespace
    return Held(place, extent, holders(place.db, sought, namespace, cap), place.few(), cap)


def rarity(sought: Sequence[Sought], everywhere: Sequence[Held]) -> dict[str, float]:
    size = sum(one.extent.count for one in everywhere)
    rare = {}
    for term, one in enumerate(sought):
        frequency = sum(found.frequency(term) for found in everywhere)
        rare[one.term] = one.share * log(1 + max(0.5, size - frequency + 0.5) / (frequency + 0.5))
    return rare


def known_share(worth: Sequence[float], everywhere: Sequence[Held]) -> float:
    """How much of the query's rarity occurs in the memory at all."""
    found = sum(rare for term, rare in enumerate(worth) if any(one.ids[term] for one in everywhere))
    return found / (sum(worth) or 1.0)


def telling(found: Held, sought: Sequence[Sought], rare: Sequence[float], count: int) -> Telling:
    """At least the `count` most telling that pass the filter, or all there are."""
    capped = found.capped
    if capped and found.few is not None:
        _search_again(found, sought, capped, FEW, within_ids(list(found.few)))
    elif len(capped) > 1:
        _add_common(found, sought, sorted(capped, key=lambda term: -rare[term])[:2])
    known = _passing(found, rare, count)
    if capped and found.few is None and len(known.totals) < count:
        _search_again(found, sought, capped, found.cap, within_filter(found.place.filter))
        known = _passing(found, rare, count)
    return known


def _search_again(found: Held, sought: Sequence[Sought], capped: Sequence[int], cap: int, within: Within) -> None:
    """Inside the filter; words below the cap gave all they have the first time."""
    again = holders(found.place.db, [sought[term] for term in capped], found.namespace, cap, within)
    for term, ids in zip(capped, again, strict=True):
        found.ids[term] = sorted({*found.ids[term], *ids}, reverse=True)


def _add_common(found: Held, sought: Sequence[Sought], rarest: Sequence[int]) -> None:
    """What holds two common terms may be older than the newest holders of each."""
    one, other = rarest
    both = holders_of_both(found.place.db, sought[one], sought[other], found.namespace, found.cap)
    for term in rarest:
        found.ids[term] = sorted({*found.ids[term], *both}, reverse=True)


def _passing(found: Held, rare: Sequence[float], count: int) -> Telling:
    totals, namespace = _totals(found.ids, rare), found.place.filter.namespace
    if found.few is not None:
        some = {id_: totals[id_] for id_ in totals.keys() & found.few.keys()}
        return Telling(namespace, {id_: some[id_] for id_ in _in_order(some, len(some))}, found.few, found.ids)
    known: dict[int, str | None] = {}
    order: list[int] = []
    start, end = 0, max(LOOKED_UP, count)
    while len(order) < count and (batch := _in_order(totals, end)[start:end]):
        known |= passing(found.place.db, batch, found.place.filter)
        order += [id_ for id_ in batch if id_ in known]
        start, end = end, end * 4
    return Telling(namespace, {id_: totals[id_] for id_ in order}, known, found.ids)


def _totals(terms: Sequence[Sequence[int]], rare: Sequence[float]) -> dict[int, float]:
    totals: dict[int, float] = {}
    known = totals.get
    for ids, worth in zip(terms, rare, strict=True):
        for id_ in ids:
            totals[id_] = known(id_, 0.0) + worth
    return totals


def most_telling(everywhere: Sequence[Telling], count: int) -> list[int]:
    """Those that hold the most of the query's rarity, the newest first among equals."""
    if len(everywhere) == 1:
        return list(islice(everywhere[0].totals, count))
    return _in_order({id_: total for one in everywhere for id_, total in one.totals.items()}, count)[:count]


def _in_order(totals: Mapping[int, float], count: int) -> list[int]:
    """The highest, at least so many. Few totals are different, for few terms are asked; so nothing is sorted that
    nobody asks for."""
    alike: dict[float, list[int]] = {}
    for id_, total in totals.items():
        if total in alike:
            alike[total].append(id_)
        else:
            alike[total] = [id_]
    order: list[int] = []
    for total in sorted(alike, reverse=True):
        if len(order) >= count:
            break
        order += sorted(alike[total], reverse=True)
    return order


def session_key(namespace: str, session: str | None) -> str | None:
    """Two namespaces may use the same name for a session; they never share one."""
    return None if session is None else f"{namespace}\0{session}"


def sessions(everywhere: Sequence[Telling], rare: Sequence[float]) -> dict[str, float]:
    """How much of the query occurs in each session; a word that keeps coming back counts more than a lone one."""
    whole = sum(rare) or 1.0
    shares: dict[str, float] = {}
    for one in everywhere:
        session_of = one.sessions.get
        for ids, worth in zip(one.holders, rare, strict=True):
            for session, count in Counter(map(session_of, ids)).items():
                key = session_key(one.namespace, session)
                if key is not None:
                    shares[key] = shares.get(key, 0.0) + worth / whole * count / (count + 1)
    return shares
