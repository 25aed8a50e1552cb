"""One scenario, again and again with its Nth read, write, sync or change of a file broken, as long as one is left."""

import errno
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

import pytest

import reverie
from logfile import rows
from reverie import errors
from reveried.log import database
from reveried.log.verify import verify_rows
from running import RunningDaemon

SOURCE = Path(__file__).with_name("faults.c")
KINDS = {
    "kill-write": 0,
    "torn-write": 0,
    "kill-sync": 0,
    "fail-sync": errno.EIO,
    "fail-write": errno.EIO,
    "full-write": errno.ENOSPC,
    "kill-change": 0,
    "fail-change": errno.EIO,
    "full-change": errno.ENOSPC,
    "fail-read": errno.EIO,
    "short-read": 0,
}
# Every point would take hours on two cores. Steps that are prime fall on another part of a transaction each time.
STEPS = {"write": 131, "sync": 23, "change": 23, "read": 61}
# Most of a life is waiting, for a daemon that is gone or a disk.
AT_ONCE = 4
KILLED, CALM, IO_ERROR, TRY_AGAIN = -9, 0, 74, 75
# What a chore may be refused with while the daemon lives on; one of its processes may have been the one that was hit.
REFUSALS = (
    "read_only",
    "storage_full",
    "storage_failed",
    "state_damaged",
    "log_damaged",
    "internal",
    "busy",
    "not_found",
)


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler to build the fault injector with")
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, SOURCE, "-ldl"], check=True)
    return library


class Life:
    """One run of the scenario on a directory of its own, under one fault."""

    def __init__(self, home: Path, shim: Path, kind: str, at: int) -> None:
        home.mkdir()
        self._mark = home / "fired"
        self.acknowledged: dict[str, int] = {}
        self._copies: list[Path] = []
        self._daemon = RunningDaemon(
            home,
            environ={
                "LD_PRELOAD": str(shim),
                "FAULT_UNDER": str(home / "data"),
                "FAULT_MARK": str(self._mark),
                "FAULT_KIND": kind.replace("full-", "fail-"),
                "FAULT_ERRNO": str(KINDS[kind]),
                "FAULT_AT": str(at),
            },
        )

    @property
    def fired(self) -> bool:
        return self._mark.exists()

    def run(self) -> int:
        """The exit code it ends with, by itself or when it is told to stop."""
        try:
            self._daemon.start()
        except AssertionError:
            return self._daemon.wait()
        try:
            self._scenario()
        except errors.TimedOut:  # a busy machine, not a fault: what was acknowledged is checked all the same
            return self._daemon.ended if self._daemon.ended is not None else self._daemon.stop()
        except (errors.DaemonUnavailable, ConnectionError):
            return self._daemon.wait()
        return self._daemon.ended if self._daemon.ended is not None else self._daemon.stop()

    def _scenario(self) -> None:
        with self._daemon.client(timeout=5) as client:
            texts = [f"remark {number} on the bell" for number in range(4)]
            ids = [self._told(partial(_store, client, text)) for text in texts]
            for change in (
                lambda key: client.update(ids[0], content="another remark on the bell", key=key),
                lambda key: client.archive(ids[1], key=key),
                lambda key: client.tag(ids[1], ["kept"], key=key),
                lambda key: client.erase(ids[2], key=key),
                lambda key: client.reinforce(ids[3], key=key),
            ):
                self._told(change)
                self._tried(partial(client.recall, "the bell"))
            self._tried(client.list)
            for chore in (
                lambda: self._copies.append(Path(client.backup().path)),
                lambda: client.ingest("The bell hangs in the tower. " * 40),
                lambda: client.run("decay"),
                lambda: client.run("maintain"),
                client.rebuild,
                lambda: client.erase(ids[3]),
                lambda: client.run("snapshot"),
            ):
                self._tried(chore)

    def _tried(self, chore: Callable[[], object]) -> None:
        try:
            chore()
        except errors.ReverieError as error:
            if isinstance(error, errors.DaemonUnavailable) or error.code not in REFUSALS:
                raise

    def _told(self, command: Callable[[str], object]) -> int:
        key = f"step-{len(self.acknowledged)}-{id(command)}"
        try:
            written = command(key)
        except (errors.StorageFull, errors.NotFound, errors.ReadOnly, errors.StateDamaged):
            return 0
        except errors.ReverieError as error:
            if error.code in ("storage_failed", "internal"):
                raise ConnectionError from error
            raise
        self.acknowledged[key] = written.seq  # type: ignore[attr-defined]
        return int(written.id)  # type: ignore[attr-defined]

    def check(self) -> None:
        """After a start without faults everything acknowledged is there, and log, state and copies prove themselves."""
        self._daemon._environ = {}
        self._daemon.start()
        try:
            found = dict(rows(self._daemon.data, "SELECT key, seq FROM events WHERE key IS NOT NULL"))
            # A command may record several events; the first carries its key, the reply names the last.
            lost = {key for key, seq in self.acknowledged.items() if not 0 < found.get(key, 0) <= seq}
            assert lost == set()
            with self._daemon.client() as client:
                report = client.verify()
                assert (report.problems, report.live_digest) == ([], report.replayed_digest)
                assert client.store("life goes on").outcome == "stored"
            for copy in self._copies:
                with closing(database.open_reader(copy)) as db:
                    assert verify_rows(db).problems == []
        finally:
            self._daemon.end()


def _store(client: reverie.Client, text: str, key: str) -> object:
    return client.store(text, key=key)


class Lived(NamedTuple):
    fired: bool
    ended: int
    kept: int


def _lived(place: Path, shim: Path, kind: str, at: int) -> Lived:
    home = place / str(at)
    life = Life(home, shim, kind, at)
    try:
        ended = life.run()
        life.check()
    except BaseException as error:
        error.add_note(f"{kind}, number {at}: what is left is in {home}")
        raise
    lived = Lived(life.fired, ended, len(life.acknowledged))
    shutil.rmtree(home)
    return lived


@pytest.mark.parametrize("kind", KINDS)
def test_no_broken_write_or_sync_loses_what_was_acknowledged(
    tmp_path: Path, shim: Path, kind: str, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    places = count(1, 1 if full else STEPS[kind.split("-")[1]])
    lives: list[Lived] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while all(life.fired for life in lives):
            lives += pool.map(partial(_lived, tmp_path, shim, kind), islice(places, AT_ONCE))
    ends = Counter(life.ended for life in lives)
    kept, points = sum(life.kept for life in lives), sum(life.fired for life in lives)
    allowed = {KILLED, CALM} if "kill" in kind or "torn" in kind else {CALM, IO_ERROR, TRY_AGAIN}
    assert set(ends) <= allowed, ends
    assert points > 3
    record_proof(
        f"faults: {kind}", f"{points} faults, {kept} acknowledged, 0 lost; ended with {dict(sorted(ends.items()))}"
    )
