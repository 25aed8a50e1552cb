"""The doctor of a real daemon: each trouble is found, named, and gone after what mends it."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.protocol.results import Check
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from running import RunningDaemon
from unit.domain.histories import stored

DAY = 86_400_000_000
# In the order in which SPEC's list is told: what is tried, the files, the memories, the jobs.
NAMES = [
    "round trip", "log", "projections", "disk", "file modes", "sqlite", "config", "backup",
    "embedder", "vectors", "tags", "tiers", "links", "summaries", "conflicts", "jobs",
]  # fmt: skip


def checks(daemon: RunningDaemon) -> dict[str, Check]:
    with daemon.client(timeout=60) as client:
        return {check.name: check for check in client.doctor().checks}


def of_last_month(home: Path, count: int) -> None:
    """Memories without tags, which no job has seen."""
    (home / "data").mkdir(mode=0o700)
    log, then = SqliteLog(home / "data" / "log.db"), time.time_ns() // 1000 - 30 * DAY
    for number in range(count):
        told = stored(f"The lighthouse of harbour {number} burns all night", created_at=then, tags_auto=())
        log.stage(NewEvent("default", "tests", told, None), then)
    log.commit()
    log.close()


def test_it_tries_a_real_round_trip_and_leaves_nothing_behind(daemon: RunningDaemon) -> None:
    found = checks(daemon)
    assert list(found) == NAMES
    assert found["round trip"].detail.startswith("stored, recalled, reinforced and erased in")
    assert "FTS5" in found["sqlite"].detail
    with daemon.client(namespace="reverie-doctor") as client:
        assert client.list().memories == []


def test_a_log_that_was_verified_says_when(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        client.verify()
    log = checks(daemon)["log"]
    assert (log.status, log.detail.endswith("was verified just now")) == ("ok", True)


def test_files_that_others_may_read_are_named(daemon: RunningDaemon) -> None:
    (daemon.data / "log.db").chmod(0o644)
    modes = checks(daemon)["file modes"]
    assert (modes.status, modes.detail) == ("warn", "others may read log.db")
    assert modes.fix == f"chmod -R go-rwx {daemon.data}"


def test_a_backup_is_missed_until_there_is_one(daemon: RunningDaemon) -> None:
    assert (checks(daemon)["backup"].status, checks(daemon)["backup"].fix) == ("warn", "reverie backup")
    with daemon.client() as client:
        client.backup()
    assert checks(daemon)["backup"].status == "ok"


def test_what_nobody_looked_after_is_mended_by_the_command_it_names(
    start: Callable[..., RunningDaemon], tmp_path: Path
) -> None:
    of_last_month(tmp_path, 120)
    daemon = start(config="consolidation: {tags_after: 1, tags_at_once: 1000}\n")
    before = checks(daemon)
    for name in ("tags", "tiers"):
        assert (before[name].status, before[name].fix) == ("warn", "reverie run sleep")
    assert before["tags"].detail == "120 memories could have tags and have none"
    assert (before["links"].status, before["links"].fix) == ("warn", f"set links.propose to true in {daemon.config}")
    with daemon.client(timeout=60) as client:
        client.run("sleep")
    after = checks(daemon)
    assert (after["tags"].status, after["tiers"].status) == ("ok", "ok")


def test_an_open_conflict_is_named_with_its_namespace(daemon: RunningDaemon) -> None:
    with daemon.client(namespace="flat") as client:
        client.store("The rent of the flat is 850 euros")
        second = client.store("The rent of the flat is 920 euros")
        assert second.resolution == "flagged"
        conflicts = checks(daemon)["conflicts"]
        assert (conflicts.detail, conflicts.fix) == ("1 open in flat", "reverie conflicts -n flat")
        assert second.conflict is not None
        client.resolve(second.conflict, "use_new")
    assert checks(daemon)["conflicts"].status == "ok"


@pytest.mark.parametrize("missing", [True, False])
def test_documents_are_not_waited_for_with_vectors(
    missing: bool, start: Callable[..., RunningDaemon], tmp_path: Path
) -> None:
    daemon = start(config="embedding: {runtime: hashing}\n" if not missing else None)
    with daemon.client(timeout=60) as client:
        client.ingest("The harbour master keeps the light of the pier burning all night long.")
        status = client.status()
    assert status.memories["active"] == 2
    assert status.embedder["to_do"] in (0, 1)
