"""The keyword index: stemmed words of every row, and character pairs for scripts that do not space their words."""

import sqlite3
from collections.abc import Callable, Sequence

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.domain.recalling.days import MONTHS, day_of
from reveried.domain.recalling.words import unspaced_pairs
from reveried.log.database import transaction
from reveried.state.memories import every, listed
from reveried.state.projection import Change, Projection, put

_COLUMNS = ("namespace", "content", "title", "tags_manual", "tags_auto", "speaker", "dated")
_NAMES = ", ".join(_COLUMNS)
_PLACES = ", ".join("?" * (len(_COLUMNS) + 1))
_DELETE = f"INSERT INTO fulltext(fulltext, rowid, {_NAMES}) VALUES ('delete', {_PLACES})"
_INSERT = f"INSERT INTO fulltext(rowid, {_NAMES}) VALUES ({_PLACES})"
_DELETE_PAIRS = "INSERT INTO fulltext_pairs(fulltext_pairs, rowid, namespace, pairs) VALUES ('delete', ?, ?, ?)"
_INSERT_PAIRS = "INSERT INTO fulltext_pairs(rowid, namespace, pairs) VALUES (?, ?, ?)"
# A full merge leaves a growing index a level deeper. Later versions of FTS5 stop at 65; that of SQLite 3.40 goes on,
# and takes an index of more than 2,000 for damaged.
DEEPEST = 1_000
_COOKIE = 4
_MONTHS = " ".join(f"WHEN '{number:02}' THEN '{name}'" for number, name in enumerate(MONTHS, 1))

# The view gives a rebuild the same words that `_texts` gives one row; a memory is also found by its day. The
# namespace is a column so that a search in a small one costs nothing for what the large ones hold.
DDL = f"""
CREATE VIEW indexed AS SELECT id, lower(hex(namespace)) || '0' AS namespace, content, title, tags_manual, tags_auto,
  speaker,
  cast(strftime('%d', created_at / 1000000, 'unixepoch') AS INTEGER) || ' ' ||
  CASE strftime('%m', created_at / 1000000, 'unixepoch') {_MONTHS} END || ' ' ||
  cast(strftime('%Y', created_at / 1000000, 'unixepoch') AS INTEGER) AS dated FROM memories;
CREATE VIRTUAL TABLE fulltext USING fts5(
  {_NAMES}, content='indexed', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE fulltext_pairs USING fts5(namespace, pairs, content='', tokenize='unicode61');
"""


def namespace_word(namespace: str) -> str:
    """The one word by which the indexes know a namespace: no two names share it, and with a digit at its end the
    stemmer leaves it as it is."""
    return f"{namespace.encode().hex()}0"


class FullText(Projection):
    name = "fulltext"
    ddl = DDL
    # What the index holds, as the vocabulary tables tell it (see `state.digest`).
    digest_queries = (
        "SELECT term, doc, cnt FROM temp.fulltext_terms ORDER BY term",
        "SELECT term, doc, cnt FROM temp.fulltext_pair_terms ORDER BY term",
    )

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        if not bulk:
            _reindex(db, _DELETE, _INSERT, changes, _texts)
        _reindex(db, _DELETE_PAIRS, _INSERT_PAIRS, changes, _pairs)

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO fulltext(fulltext) VALUES ('rebuild')")

    def scrub(self, db: sqlite3.Connection) -> None:
        # A deleted entry stays readable inside the index until its segments are merged.
        for index in ("fulltext", "fulltext_pairs"):
            db.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")
            if depth(db, index) > DEEPEST:
                _begin_anew(db)


def depth(db: sqlite3.Connection, index: str) -> int:
    """How many levels of segments there are: the first number in FTS5's own record of its structure."""
    (record,) = db.execute(f"SELECT block FROM {index}_data WHERE id = 10").fetchone()
    levels = 0
    for byte in record[_COOKIE:]:
        levels = levels << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return levels


def _begin_anew(db: sqlite3.Connection) -> None:
    with transaction(db):
        db.execute("INSERT INTO fulltext(fulltext) VALUES ('rebuild')")
        db.execute("INSERT INTO fulltext_pairs(fulltext_pairs) VALUES ('delete-all')")
        db.executemany(_INSERT_PAIRS, ((memory.id, *pairs) for memory in every(db) if (pairs := _pairs(memory))))


Indexed = tuple[str, ...]


def _reindex(
    db: sqlite3.Connection,
    delete: str,
    insert: str,
    changes: Sequence[Change],
    texts: Callable[[Memory | None], Indexed | None],
) -> None:
    """What the index holds of a memory must be told to it again to be taken out."""
    gone: list[tuple[int | str, ...]] = []
    come: list[tuple[int | str, ...]] = []
    for change in changes:
        before, after = texts(change.before), texts(change.after)
        if before != after:
            if before is not None:
                gone.append((change.id, *before))
            if after is not None:
                come.append((change.id, *after))
    put(db, delete, gone)
    put(db, insert, come)


def _texts(memory: Memory | None) -> Indexed | None:
    if memory is None:
        return None
    tags = listed(memory.tags_manual), listed(memory.tags_auto)
    namespace, day = namespace_word(memory.namespace), day_of(memory.created_at)
    return (namespace, memory.content, memory.title, *tags, memory.speaker or "", day)


def _pairs(memory: Memory | None) -> Indexed | None:
    if memory is None:
        return None
    texts = " ".join((memory.content, memory.speaker or "", *memory.tags_manual, *memory.tags_auto))
    pairs = "" if texts.isascii() else unspaced_pairs(texts)
    return (namespace_word(memory.namespace), pairs) if pairs else None


def open_vocabulary(db: sqlite3.Connection) -> None:
    """Temporary tables over the terms of both indexes; they live in the connection, not in the file."""
    for name, index in (("fulltext_terms", "fulltext"), ("fulltext_pair_terms", "fulltext_pairs")):
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab(main, {index}, 'row')")
