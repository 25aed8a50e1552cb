"""The search by words in one place: who holds the query's terms, how rare each is, and who passes the filter.

A term held by more than `cap` memories gives the newest of them, and those that hold it together with another such
term. Where a filter lets too few of them through, the search is done again inside the filter, so that whatever passes
and holds a word is found.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import log

from msgspec import Struct

from reveried.app.places import FEW, Place
from reveried.domain.recalling.words import Sought
from reveried.state.reads import Extent, passing
from reveried.state.searching import Within, holders, holders_of_both, within_filter, within_ids

# So many of the most telling are looked up at once to see whether they pass.
LOOKED_UP = 800


class Held(Struct):
    """What the index gave for each term, as yet unfiltered; `few` is all that passes, if that is known."""

    place: Place
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
    """Memories that pass and hold some of the query, each with its session and the rarity of what it holds."""

    namespace: str
    totals: dict[int, float]
    sessions: dict[int, str | None]
    terms: list[list[int]]


async def held(place: Place, extent: Extent, sought: Sequence[Sought], cap: int) -> Held:
    namespace = None if extent.alone else place.filter.namespace
    ids, few = await asyncio.gather(holders(place.pool, sought, namespace, cap), place.few())
    return Held(place, extent, ids, few, cap)


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


async def telling(found: Held, sought: Sequence[Sought], rare: Sequence[float], count: int) -> Telling:
    """At least the `count` most telling that pass the filter, or all there are."""
    capped = found.capped
    if capped and found.few is not None:
        await _search_again(found, sought, capped, FEW, within_ids(list(found.few)))
        return _weighed(found, found.ids, rare, found.few)
    if len(capped) > 1:
        await _add_common(found, sought, sorted(capped, key=lambda term: -rare[term])[:2])
    known = await _passing(found, rare, count)
    if capped and len(known) < count:
        await _search_again(found, sought, capped, found.cap, within_filter(found.place.filter))
        known = await _passing(found, rare, count)
    return _weighed(found, found.ids, rare, known)


async def _search_again(found: Held, sought: Sequence[Sought], capped: Sequence[int], cap: int, within: Within) -> None:
    """Inside the filter; words below the cap gave all they have the first time."""
    again = await holders(found.place.pool, [sought[term] for term in capped], found.namespace, cap, within)
    for term, ids in zip(capped, again, strict=True):
        found.ids[term] = sorted({*found.ids[term], *ids}, reverse=True)


async def _add_common(found: Held, sought: Sequence[Sought], rarest: Sequence[int]) -> None:
    """What holds two common terms may be older than the newest holders of each."""
    one, other = rarest
    both = await holders_of_both(found.place.pool, sought[one], sought[other], found.namespace, found.cap)
    for term in rarest:
        found.ids[term] = sorted({*found.ids[term], *both}, reverse=True)


async def _passing(found: Held, rare: Sequence[float], count: int) -> Mapping[int, str | None]:
    if found.few is not None:
        return found.few
    waiting = _in_order(_totals(found.ids, rare))
    known: dict[int, str | None] = {}
    step = max(LOOKED_UP, count)
    while len(known) < count and (batch := list(islice(waiting, step))):
        known |= await passing(found.place.pool, batch, found.place.filter)
        step *= 4
    return known


def _weighed(
    found: Held, terms: Sequence[Sequence[int]], rare: Sequence[float], known: Mapping[int, str | None]
) -> Telling:
    kept = [[id_ for id_ in ids if id_ in known] for ids in terms]
    totals = _totals(kept, rare)
    return Telling(found.place.filter.namespace, totals, {id_: known[id_] for id_ in totals}, kept)


def _totals(terms: Sequence[Sequence[int]], rare: Sequence[float]) -> dict[int, float]:
    totals: dict[int, float] = {}
    for ids, worth in zip(terms, rare, strict=True):
        for id_ in ids:
            totals[id_] = totals.get(id_, 0.0) + worth
    return totals


def most_telling(everywhere: Sequence[Telling], count: int) -> list[int]:
    """Those that hold the most of the query's rarity, the newest first among equals."""
    totals = {id_: total for one in everywhere for id_, total in one.totals.items()}
    return list(islice(_in_order(totals), count))


def _in_order(totals: Mapping[int, float]) -> Iterator[int]:
    """Few totals are different, for few terms are asked; so nothing is sorted that nobody asks for."""
    alike: dict[float, list[int]] = {}
    for id_, total in totals.items():
        alike.setdefault(total, []).append(id_)
    for total in sorted(alike, reverse=True):
        yield from sorted(alike[total], reverse=True)


def session_key(namespace: str, session: str | None) -> str | None:
    """Two namespaces may use the same name for a session; they never share one."""
    return None if session is None else f"{namespace}\0{session}"


def sessions(everywhere: Sequence[Telling], rare: Sequence[float]) -> dict[str, float]:
    """How much of the query occurs in each session; a word that keeps coming back counts more than a lone one."""
    whole = sum(rare) or 1.0
    shares: dict[str, float] = {}
    for one in everywhere:
        for ids, worth in zip(one.terms, rare, strict=True):
            for session, count in Counter(map(one.sessions.__getitem__, ids)).items():
                key = session_key(one.namespace, session)
                if key is not None:
                    shares[key] = shares.get(key, 0.0) + worth / whole * count / (count + 1)
    return shares
