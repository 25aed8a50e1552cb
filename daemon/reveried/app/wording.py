"""The search by words in one place: who holds the query's terms, how rare each is, and who passes the filter.

A term held by more than `cap` memories gives the newest of them, and those that hold it together with another such
term. Where a filter lets too few of them through, the search is done again inside the filter, so that whatever passes
and holds a word is found.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import log

from msgspec import Struct

from reveried.app.places import FEW, Opened
from reveried.domain.recalling.words import Sought
from reveried.state.gist_reads import passing
from reveried.state.reads import Extent
from reveried.state.searching import Within, holders, holders_of_both, within_filter, within_ids

# So many of the most telling are looked up at once to see whether they pass. With 800 LoCoMo was answered no better.
LOOKED_UP = 300
# A sum may come out too small by a little, and nobody may be left out for that.
_ROUNDED_UP = 1 + 1e-9


class Held(Struct):
    """What the index gave for each term, as yet unfiltered; `few` is all that passes, if that is known."""

    place: Opened
    extent: Extent
    ids: list[Sequence[int]]
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
    session of each, and which terms each holds, whether it passes or not."""

    namespace: str
    totals: dict[int, float]
    sessions: Mapping[int, str | None]
    holding: dict[int, int]


def held(place: Opened, extent: Extent, sought: Sequence[Sought], cap: int) -> Held:
    namespace = None if extent.alone else place.filter.namespace
    ids = holders(place.db, sought, namespace, cap, kept=place.kept.holders)
    return Held(place, extent, ids, place.few(), cap)


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
    both = holders_of_both(
        found.place.db, sought[one], sought[other], found.namespace, found.cap, found.place.kept.holders
    )
    for term in rarest:
        found.ids[term] = sorted({*found.ids[term], *both}, reverse=True)


def _passing(found: Held, rare: Sequence[float], count: int) -> Telling:
    namespace = found.place.filter.namespace
    if found.few is not None:
        holding = _holding(found.ids)
        worth = _worth(holding.values(), rare)
        some = {id_: worth[holding[id_]] for id_ in holding.keys() & found.few.keys()}
        return Telling(namespace, {id_: some[id_] for id_ in _in_order(some, len(some))}, found.few, holding)
    known: dict[int, str | None] = {}
    start, end = 0, max(LOOKED_UP, count)
    while True:
        holding = _most(found.ids, rare, end)
        worth = _worth(holding.values(), rare)
        batch = _first(holding, worth, end)[start:end]
        known |= passing(found.place.db, found.place.kept.gists, batch, found.place.filter)
        if len(known) >= count or not batch:
            return Telling(namespace, {id_: worth[holding[id_]] for id_ in known}, known, holding)
        start, end = end, end * 4


def _holding(terms: Sequence[Sequence[int]]) -> dict[int, int]:
    """Who holds which terms, one bit for each: few combinations occur, and each needs to be judged only once."""
    return _most(terms, [1.0] * len(terms), 1 << 62)


def _most(terms: Sequence[Sequence[int]], rare: Sequence[float], count: int) -> dict[int, int]:
    """The same, as far as it takes to tell the first `count`: once so many hold more than all that is left is worth,
    whoever holds nothing but common words is not among them."""
    holding: dict[int, int] = {}
    surpassing: list[tuple[float, int]] = []
    left = sum(rare) * _ROUNDED_UP
    for place in sorted(range(len(terms)), key=lambda place: -rare[place]):
        if any(worth > left and size >= count for worth, size in surpassing):
            _add(holding, holding.keys() & terms[place], 1 << place)
        else:
            _add(holding, terms[place], 1 << place)
        surpassing.append((rare[place], len(holding)))
        left -= rare[place]
    return holding


def _add(holding: dict[int, int], ids: Iterable[int], bit: int) -> None:
    if not holding:
        holding |= dict.fromkeys(ids, bit)
        return
    known = holding.get
    for id_ in ids:
        holding[id_] = known(id_, 0) | bit


def _worth(combinations: Iterable[int], rare: Sequence[float]) -> dict[int, float]:
    return {held: sum(one for place, one in enumerate(rare) if held >> place & 1) for held in {*combinations}}


def _first(holding: Mapping[int, int], worth: Mapping[int, float], count: int) -> list[int]:
    """The highest, at least so many, the newest first among equals."""
    sizes = Counter(holding.values())
    wanted, sofar = dict[float, list[int]](), 0
    into: dict[int, list[int]] = {}
    for held in sorted(sizes, key=worth.__getitem__, reverse=True):
        if sofar >= count and worth[held] not in wanted:
            break
        into[held] = wanted.setdefault(worth[held], [])
        sofar += sizes[held]
    for id_, held in holding.items():
        if held in into:
            into[held].append(id_)
    return [id_ for alike in wanted.values() for id_ in sorted(alike, reverse=True)]


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
        for session, counts in _counted(one, len(rare)).items():
            key = f"{one.namespace}\0{session}"
            for worth, count in zip(rare, counts, strict=True):
                if count:
                    shares[key] = shares.get(key, 0.0) + worth / whole * count / (count + 1)
    return shares


def _counted(one: Telling, terms: int) -> dict[str, list[int]]:
    """How many of each session hold each term."""
    holding, parts = one.holding.get, _Parts()
    found: dict[str, list[int]] = {}
    for id_, session in one.sessions.items():
        held = holding(id_)
        if held is not None and session is not None:
            counts = found.get(session)
            if counts is None:
                counts = found[session] = [0] * terms
            for term in parts[held]:
                counts[term] += 1
    return found


class _Parts(dict[int, list[int]]):
    """The terms of each combination."""

    def __missing__(self, held: int) -> list[int]:
        parts = self[held] = [term for term in range(held.bit_length()) if held >> term & 1]
        return parts
