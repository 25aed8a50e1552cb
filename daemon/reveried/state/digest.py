"""One number for the whole state: equal digests mean equal tables, whichever way they came about."""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256

import msgspec

from reveried.state.catalog import ARCHIVED, LIVE
from reveried.state.fulltext import open_vocabulary
from reveried.state.projection import Projection

# Part of what the number means: the same rows cut differently would give another one.
ROWS_AT_ONCE = 1_000
_encode = msgspec.msgpack.Encoder().encode


def state_digest(live: sqlite3.Connection, archive: sqlite3.Connection) -> str:
    digest = sha256()
    for db, projections in ((live, LIVE), (archive, ARCHIVED)):
        for part in _parts(db, projections):
            digest.update(part)
    return digest.hexdigest()


def _parts(db: sqlite3.Connection, projections: tuple[Projection, ...]) -> Iterator[bytes]:
    open_vocabulary(db)
    for projection in projections:
        for query in projection.digest_queries:
            yield _encode(query)
            rows = db.execute(query)
            while some := rows.fetchmany(ROWS_AT_ONCE):
                yield _encode(some)
