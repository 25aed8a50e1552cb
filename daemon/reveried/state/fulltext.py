"""The keyword index: stemmed words of every row, and character pairs for scripts that do not space their words."""

import sqlite3
from collections.abc import Sequence

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.domain.recalling.days import MONTHS, day_of
from reveried.domain.recalling.words import unspaced_pairs
from reveried.state.memories import to_row
from reveried.state.projection import Change, Projection

_COLUMNS = ("namespace", "content", "title", "tags_manual", "tags_auto", "speaker", "dated")
_NAMES = ", ".join(_COLUMNS)
_PLACES = ", ".join("?" * (len(_COLUMNS) + 1))
_OF_MEMORY = [Memory.__struct_fields__.index(column) for column in _COLUMNS[:-1]]
_MONTHS = " ".join(f"WHEN '{number:02}' THEN '{name}'" for number, name in enumerate(MONTHS, 1))

# The view gives a rebuild the same words that `_texts` gives one row; a memory is also found by its day. The
# namespace is a column so that a search in a small one costs nothing for what the large ones hold.
DDL = f"""
CREATE VIEW indexed AS SELECT id, namespace, content, title, tags_manual, tags_auto, speaker,
  cast(strftime('%d', created_at / 1000000, 'unixepoch') AS INTEGER) || ' ' ||
  CASE strftime('%m', created_at / 1000000, 'unixepoch') {_MONTHS} END || ' ' ||
  cast(strftime('%Y', created_at / 1000000, 'unixepoch') AS INTEGER) AS dated FROM memories;
CREATE VIRTUAL TABLE fulltext USING fts5(
  {_NAMES}, content='indexed', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE fulltext_pairs USING fts5(namespace, pairs, content='', tokenize='unicode61');
"""


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
        for change in changes:
            if not bulk:
                _reindex(db, change)
            _reindex_pairs(db, change)

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO fulltext(fulltext) VALUES ('rebuild')")

    def scrub(self, db: sqlite3.Connection) -> None:
        # A deleted entry stays readable inside the index until its segments are merged.
        db.execute("INSERT INTO fulltext(fulltext) VALUES ('optimize')")
        db.execute("INSERT INTO fulltext_pairs(fulltext_pairs) VALUES ('optimize')")


def _texts(memory: Memory | None) -> tuple[str | None, ...] | None:
    if memory is None:
        return None
    row = to_row(memory)
    return (*(row[place] for place in _OF_MEMORY), day_of(memory.created_at))


def _reindex(db: sqlite3.Connection, change: Change) -> None:
    before, after = _texts(change.before), _texts(change.after)
    if before == after:
        return
    if before is not None:
        db.execute(
            f"INSERT INTO fulltext(fulltext, rowid, {_NAMES}) VALUES ('delete', {_PLACES})", (change.id, *before)
        )
    if after is not None:
        db.execute(f"INSERT INTO fulltext(rowid, {_NAMES}) VALUES ({_PLACES})", (change.id, *after))


def _reindex_pairs(db: sqlite3.Connection, change: Change) -> None:
    before, after = _pairs(change.before), _pairs(change.after)
    if before == after:
        return
    if before is not None:
        db.execute(
            "INSERT INTO fulltext_pairs(fulltext_pairs, rowid, namespace, pairs) VALUES ('delete', ?, ?, ?)",
            (change.id, *before),
        )
    if after is not None:
        db.execute("INSERT INTO fulltext_pairs(rowid, namespace, pairs) VALUES (?, ?, ?)", (change.id, *after))


def _pairs(memory: Memory | None) -> tuple[str, str] | None:
    if memory is None:
        return None
    texts = " ".join((memory.content, memory.speaker or "", *memory.tags_manual, *memory.tags_auto))
    pairs = "" if texts.isascii() else unspaced_pairs(texts)
    return (memory.namespace, pairs) if pairs else None


def open_vocabulary(db: sqlite3.Connection) -> None:
    """Temporary tables over the terms of both indexes; they live in the connection, not in the file."""
    for name, index in (("fulltext_terms", "fulltext"), ("fulltext_pair_terms", "fulltext_pairs")):
        db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab(main, {index}, 'row')")
