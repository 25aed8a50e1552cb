"""What a question looks at of each memory: who passes its filter, what it holds, who stands beside it. What was read
once is kept until a write changes it."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from sys import intern
from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.memory import SYSTEM_OF_KIND
from reveried.log.pool import Reading
from reveried.state.gists import ASKS, SUPERSEDED, TELLS_TIME, is_news
from reveried.state.kept import Kept
from reveried.state.projection import Change
from reveried.state.reads import Filter, Telling, as_array, where

Sides = tuple[tuple[int, ...], tuple[int, ...]]
Session = tuple[str, str]
# Namespace, kind, state, whether it is a document, how it is replaced: all that most filters ask of a memory.
Standing = tuple[str, str, str, int, int]

_decode_ids = msgspec.json.Decoder(list[int]).decode
# Joined in this order: left to itself the planner may walk through the whole table instead.
_OF_IDS = "json_each(?) j CROSS JOIN gists m ON m.id = j.value"
_OF_GISTS = Telling("m.document = 0", "m.replaced = 0", f"m.replaced <> {SUPERSEDED}")
_READ = (
    "SELECT m.id, m.namespace, m.kind, m.state, m.document, m.replaced, m.session_id, m.speaker, m.created_at, "
    f"m.length, m.traits, m.terms FROM {_OF_IDS}"
)
# A session whose members are more than this is asked for the neighbours of each, and not kept.
LONG_SESSION = 2_000
_MEMBERS = f"""SELECT j.key, (SELECT json_group_array(id) FROM (SELECT m.id FROM gists m
  WHERE m.namespace = j.value ->> 0 AND m.session_id = j.value ->> 1 ORDER BY m.id LIMIT {LONG_SESSION + 1}))
FROM json_each(?) j"""
_BESIDE = "FROM gists p WHERE p.namespace = c.namespace AND p.session_id = c.session_id AND p.id"
_NEIGHBOURS = f"""SELECT c.id,
  (SELECT group_concat(id) FROM (SELECT p.id {_BESIDE} < c.id ORDER BY p.id DESC LIMIT 2)),
  (SELECT group_concat(id) FROM (SELECT p.id {_BESIDE} > c.id ORDER BY p.id LIMIT 2))
FROM json_each(?) j CROSS JOIN gists c ON c.id = j.value WHERE c.session_id IS NOT NULL"""
# Beside its words: the struct, its numbers, and its place in a dict.
_BYTES_BESIDE = 350


class Gist(Struct, frozen=True, gc=False):
    id: int
    standing: Standing
    session_id: str | None
    speaker: str | None
    created_at: int
    length: int
    traits: int
    terms: str

    @property
    def namespace(self) -> str:
        return self.standing[0]

    @property
    def kind(self) -> str:
        return self.standing[1]

    @property
    def tells_time(self) -> bool:
        return bool(self.traits & TELLS_TIME)

    @property
    def asks(self) -> bool:
        return bool(self.traits & ASKS)

    @property
    def session(self) -> Session | None:
        return None if self.session_id is None else (self.standing[0], self.session_id)


class KeptGists:
    """Those of one file, and who belongs to which session."""

    def __init__(self, room: int) -> None:
        self.gists: Kept[int, Gist] = Kept(room, lambda gist: _BYTES_BESIDE + len(gist.terms))
        self.members: Kept[Session, array[int]] = Kept(room // 4, lambda ids: _BYTES_BESIDE + 8 * len(ids))
        self._standings: dict[Standing, Standing] = {}

    def shared(self, standing: Standing) -> Standing:
        return self._standings.setdefault(standing, standing)

    def forget(self, changes: Sequence[Change]) -> None:
        news = [change for change in changes if change.after is None or is_news(change)]
        if news:
            self.gists.forget([change.id for change in news])
            self.members.forget([session for change in news for session in _sessions_of(change)])

    def clear(self) -> None:
        self.gists.clear()
        self.members.clear()
        self._standings = {}


def _sessions_of(change: Change) -> list[Session]:
    """Those that somebody joined or left."""
    before, after = (
        None if memory is None or memory.session_id is None else (memory.namespace, memory.session_id)
        for memory in (change.before, change.after)
    )
    return [] if before == after else [session for session in (before, after) if session is not None]


def gists(db: Reading, kept: KeptGists, ids: Sequence[int], filter_: Filter) -> dict[int, Gist]:
    """Those of the memories that pass the filter, in the order of the ids."""
    if filter_.tags:  # no gist tells them
        ids = _tagged(db, ids, filter_)
    found, stand = _read(db, kept, ids), _standing(filter_)
    passed = {id_: gist for id_ in ids if (gist := found.get(id_)) is not None and stand(gist.standing)}
    if filter_.session_id is None and filter_.since is None and filter_.until is None:
        return passed
    return {id_: gist for id_, gist in passed.items() if _in_time(gist, filter_)}


def passing(db: Reading, kept: KeptGists, ids: Sequence[int], filter_: Filter) -> dict[int, str | None]:
    """The same, each with its session alone."""
    return {id_: gist.session_id for id_, gist in gists(db, kept, ids, filter_).items()}


def _read(db: Reading, kept: KeptGists, ids: Sequence[int]) -> dict[int, Gist]:
    mark, found = kept.gists.mark(), kept.gists.known(ids)
    if len(found) < len(ids):
        # In the order of the table, where the next one is often on the same page.
        missing = sorted({*ids} - found.keys())
        read = {row[0]: _gist(row, kept) for row in db.fetch(_READ, (as_array(missing),))}
        kept.gists.keep(mark, read)
        found |= read
    return found


def _gist(row: tuple[Any, ...], kept: KeptGists) -> Gist:
    id_, namespace, kind, state, document, replaced, session, speaker, *counted = row
    standing = kept.shared((namespace, kind, state, document, replaced))
    return Gist(id_, standing, _once(session), _once(speaker), *counted)


def _once(name: str | None) -> str | None:
    """Thousands of memories share a session or a speaker."""
    return None if name is None else intern(name)


class _Verdicts(dict[Standing, bool]):
    """Each way to stand is judged once."""

    def __init__(self, filter_: Filter) -> None:
        self._filter = filter_

    def __missing__(self, standing: Standing) -> bool:
        verdict = self[standing] = _stands(standing, self._filter)
        return verdict


def _standing(filter_: Filter) -> Callable[[Standing], bool]:
    return _Verdicts(filter_).__getitem__


def _stands(standing: Standing, filter_: Filter) -> bool:
    """The conditions of `reads.where`, said of what was read already."""
    namespace, kind, state, document, replaced = standing
    return (
        namespace == filter_.namespace
        and (not filter_.kinds or kind in filter_.kinds)
        and (not filter_.systems or SYSTEM_OF_KIND.get(kind) in filter_.systems)
        and (not filter_.states or state in filter_.states)
        and (filter_.documents or not document)
        and (filter_.replaced or not replaced or (filter_.compressed and replaced != SUPERSEDED))
    )


def _in_time(gist: Gist, filter_: Filter) -> bool:
    return (
        filter_.session_id in (None, gist.session_id)
        and (filter_.since is None or gist.created_at >= filter_.since)
        and (filter_.until is None or gist.created_at < filter_.until)
    )


def _tagged(db: Reading, ids: Sequence[int], filter_: Filter) -> list[int]:
    conditions, values = where(filter_, _OF_GISTS)
    passed = {row[0] for row in db.fetch(f"SELECT m.id FROM {_OF_IDS} WHERE {conditions}", (as_array(ids), *values))}
    return [id_ for id_ in ids if id_ in passed]


def newest(db: Reading) -> int:
    ((id_,),) = db.fetch("SELECT max(id) FROM gists")
    return id_ or 0


def condition_on(table: str, filter_: Filter) -> tuple[str, tuple[Any, ...]]:
    """That the memory of a table's row passes."""
    conditions, values = where(filter_, _OF_GISTS)
    return f"EXISTS (SELECT 1 FROM gists m WHERE m.id = {table}.rowid AND {conditions})", tuple(values)


def neighbours(db: Reading, ids: Sequence[int]) -> dict[int, Sides]:
    """For each memory of a session the two before it and the two after it, nearest first."""
    return {id_: (_ids(before), _ids(after)) for id_, before, after in db.fetch(_NEIGHBOURS, (as_array(ids),))}


def sides_of(db: Reading, kept: KeptGists, ids: Mapping[int, Session]) -> dict[int, Sides]:
    """The same, where it is known who was said in which session."""
    members = _members(db, kept, [*dict.fromkeys(ids.values())])
    found: dict[int, Sides] = {}
    apart: list[int] = []
    for id_, session in ids.items():
        said = members[session]
        at = bisect_left(said, id_)
        if at == len(said) or said[at] != id_ or len(said) > LONG_SESSION:
            apart.append(id_)
        else:
            found[id_] = tuple(said[max(0, at - 2) : at][::-1]), tuple(said[at + 1 : at + 3])
    return found | (neighbours(db, apart) if apart else {})


def _members(db: Reading, kept: KeptGists, sessions: Sequence[Session]) -> dict[Session, "array[int]"]:
    mark, found = kept.members.mark(), kept.members.known(sessions)
    if len(found) < len(sessions):
        missing = [session for session in sessions if session not in found]
        rows = db.fetch(_MEMBERS, (msgspec.json.encode(missing).decode(),))
        read = {missing[key]: array("q", _decode_ids(ids)) for key, ids in rows}
        kept.members.keep(mark, read)
        found |= read
    return found


def _ids(joined: str | None) -> tuple[int, ...]:
    return tuple(map(int, joined.split(","))) if joined else ()
