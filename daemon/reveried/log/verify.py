"""Proof that the log is what was written: no gap, no step back in time, every digest and every link right."""

import sqlite3
from hashlib import sha256

from reveried.domain.events import EVENTS, AboutMemory, MemoryErased
from reveried.log.chain import GENESIS, link
from reveried.log.database import Unreadable
from reveried.log.payload import REDACTABLE, UNREADABLE, digest_of
from reveried.ports import ChainReport

MAX_PROBLEMS = 20
_NOTHING = type(None)
_TYPES: tuple[type | tuple[type, ...], ...] = (
    int,
    int,
    str,
    str,
    (int, _NOTHING),
    str,
    (str, _NOTHING),
    (bytes, _NOTHING),
    bytes,
    bytes,
)
_ROWS = "SELECT seq, at, type, namespace, subject, actor, key, payload, digest, chain FROM events ORDER BY seq"


def verify_rows(db: sqlite3.Connection) -> ChainReport:
    """Walk every event. Damage that SQLite itself notices ends the walk and is reported like the rest."""
    walk = _Walk()
    try:
        for row in db.execute(_ROWS):
            if not all(isinstance(value, types) for value, types in zip(row, _TYPES, strict=True)):
                walk.problems.append(f"event {walk.seq + 1}: unreadable (a column holds what it never could)")
                break
            walk.step(*row)
            if len(walk.problems) >= MAX_PROBLEMS:
                break
    except Unreadable as error:
        walk.problems.append(f"event {walk.seq + 1}: unreadable ({error})")
    return walk.report()


def unlike(db: sqlite3.Connection, kept: str) -> str:
    """What speaks against HEAD:CHAIN, noted down elsewhere when the log ended there; empty when nothing does."""
    head, chain = kept.split(":")
    row = db.execute("SELECT chain FROM events WHERE seq = ?", (int(head),)).fetchone()
    if row is None:
        return f"event {head}: missing, though the log once ended with it"
    return "" if bytes(row[0]).hex().startswith(chain) else f"event {head}: not the one that the log once ended with"


class _Walk:
    def __init__(self) -> None:
        self.seq = 0
        self.at = 0
        self.chain = GENESIS
        self.problems: list[str] = []
        self._emptied: dict[int, int | None] = {}
        self._erased: set[int | None] = set()

    def step(
        self, seq: int, at: int, type_: str, namespace: str, subject: int | None, actor: str, key: str | None,
        payload: bytes | None, digest: bytes, chain: bytes,
    ) -> None:  # fmt: skip
        if seq != self.seq + 1:
            self.problems.append(f"event {self.seq + 1}: missing (the next one is {seq})")
        if at < self.at:
            self.problems.append(f"event {seq}: recorded before the one that precedes it")
        if payload is None:
            self._emptied[seq] = subject if _may_be_emptied(type_) else None
        elif not _digest_fits(type_, payload, digest):
            self.problems.append(f"event {seq}: its payload does not match its digest")
        if chain != link(self.chain, seq, at, type_, namespace, subject, actor, key, digest):
            self.problems.append(f"event {seq}: the chain is broken here")
        if type_ == MemoryErased.type:
            self._erased.add(subject)
        self.seq, self.at, self.chain = seq, at, chain

    def report(self) -> ChainReport:
        for seq, subject in self._emptied.items():
            if subject is None or subject not in self._erased:
                self.problems.append(f"event {seq}: its payload is gone, and no erasure accounts for it")
        return ChainReport(
            events=self.seq,
            head=self.seq,
            chain=self.chain.hex(),
            erased=len(self._emptied),
            problems=self.problems[:MAX_PROBLEMS],
        )


def _may_be_emptied(type_: str) -> bool:
    event = EVENTS.get(type_)
    return event is not None and issubclass(event, AboutMemory)


def _digest_fits(type_: str, payload: bytes, digest: bytes) -> bool:
    if type_ not in REDACTABLE:
        return sha256(payload).digest() == digest
    try:
        return digest_of(type_, payload) == digest
    except UNREADABLE:
        return False
