"""One number for the whole state: equal digests mean equal tables, whichever way they came about.

It is made of one digest for each projection of each file, so that they can be made apart.
"""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256

import msgspec

from reveried.state.catalog import ARCHIVED, LIVE
from reveried.state.fulltext import open_vocabulary
from reveried.state.projection import Projection

# Part of what the number means: the same rows cut differently would give another one.
ROWS_AT_ONCE = 1_000
_encode = msgspec.msgpack.Encoder().encode
Digests = dict[str, str]


def state_digest(live: sqlite3.Connection, archive: sqlite3.Connection) -> str:
    return united(digests_of(live, LIVE), digests_of(archive, ARCHIVED))


def united(live: Digests, archive: Digests) -> str:
    of_live = [live[projection.name] for projection in LIVE]
    of_archive = [archive[projection.name] for projection in ARCHIVED]
    return sha256(_encode((of_live, of_archive))).hexdigest()


def digests_of(db: sqlite3.Connection, projections: Sequence[Projection]) -> Digests:
    open_vocabulary(db)
    return {projection.name: _digest(db, projection) for projection in projections}


def _digest(db: sqlite3.Connection, projection: Projection) -> str:
    digest = sha256()
    for query in projection.digest_queries:
        digest.update(_encode(query))
        rows = db.execute(query)
        while some := rows.fetchmany(ROWS_AT_ONCE):
            digest.update(_encode(some))
    return digest.hexdigest()
