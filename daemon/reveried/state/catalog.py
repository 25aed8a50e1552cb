"""The list of projections. Adding one is a new module and one line here; then `reverie rebuild`."""

from reveried.state.conflicts import Conflicts
from reveried.state.documents import Documents
from reveried.state.entities import Entities
from reveried.state.fulltext import FullText
from reveried.state.gists import Gists
from reveried.state.history import History
from reveried.state.jobs import Jobs
from reveried.state.linking import Links
from reveried.state.memories import Memories
from reveried.state.narratives import Narratives
from reveried.state.projection import Projection
from reveried.state.sessions import Sessions
from reveried.state.tags import Tags

# Raise it when a projection's tables or meaning change: a file of another version is rebuilt from the log.
SCHEMA_VERSION = 11

LIVE: tuple[Projection, ...] = (
    Memories(),
    Tags(),
    FullText(),
    Gists(),
    History(),
    Conflicts(),
    Jobs(),
    Documents(),
    Entities(),
    Links(),
    Sessions(),
    Narratives(),
)
ARCHIVED: tuple[Projection, ...] = (Memories(), Tags(), FullText(), Gists())

_PROGRESS = """
CREATE TABLE progress (
  one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, scrub_due INTEGER NOT NULL
) STRICT;
INSERT INTO progress VALUES (1, 0, 0);
"""
# Restored memories leave the archive only after the live file holds them: see `state.store`.
_LEAVING = "CREATE TABLE leaving (memory_id INTEGER PRIMARY KEY) STRICT;"


def ddl_of(projections: tuple[Projection, ...], *, indexes: bool = True) -> str:
    # Freed pages can then be given back a few at a time, see `state.reclaim`.
    parts = ["PRAGMA auto_vacuum=INCREMENTAL;", *(projection.ddl for projection in projections)]
    if projections is ARCHIVED:
        parts.append(_LEAVING)
    if indexes:
        parts += [f"{index};" for projection in projections for index in projection.indexes]
    return "\n".join([*parts, _PROGRESS, f"PRAGMA user_version={SCHEMA_VERSION};"])
