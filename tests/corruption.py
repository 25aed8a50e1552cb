"""Harms one file of a store and holds what the daemon then says against an unharmed twin: the same, or a complaint."""

import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import reverie
from logfile import behind_its_back
from reverie import errors
from reveried.domain.recalling.embedded import ITSELF
from reveried.log import database
from reveried.state.soundness import with_sum
from running import RunningDaemon

PAGE = 4096
QUESTIONS = ("harbour lights", "lamp oil low", "winter fog", "the northern pier")
STATES = ("active", "stale", "archived", "deleted")
CANARY = "zqxdamagekvj"
LOG, REFUSED, AGAIN = ("log.db", "log.db-wal", "log.db-shm"), 65, 75
TYPED = {"state_damaged", "log_damaged", "read_only", "storage_failed", "shutting_down"}
SETTLES = 60.0

Harm = Callable[[Path, random.Random], None]


def flip(path: Path, luck: random.Random) -> None:
    """A few bits, as a failing disk or memory would."""
    content = bytearray(path.read_bytes())
    for _ in range(luck.choice((1, 1, 3, 30)) if content else 0):
        content[luck.randrange(len(content))] ^= 1 << luck.randrange(8)
    path.write_bytes(content)


def cut(path: Path, luck: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: luck.randrange(len(content)) if content else 0])


def swap(path: Path, luck: random.Random) -> None:
    """Two pages change places, or one is emptied."""
    content = bytearray(path.read_bytes())
    pages = range(0, len(content) - PAGE + 1, PAGE)
    if len(pages) < 2:
        return
    one, other = luck.sample(pages, 2)
    first, second = content[one : one + PAGE], content[other : other + PAGE]
    content[one : one + PAGE], content[other : other + PAGE] = luck.choice(((second, first), (bytes(PAGE), second)))
    path.write_bytes(content)


def remove(path: Path, luck: random.Random) -> None:
    path.unlink()


HARMS: dict[str, Harm] = {"flip": flip, "cut": cut, "swap": swap, "remove": remove}


def live_in(client: reverie.Client) -> None:
    """Some of everything, on many pages."""
    ids = [
        client.store(f"{QUESTIONS[n % 4]}, reading {n}: {'more to say of it ' * (n % 7)}", tags=[f"lamp-{n % 5}"]).id
        for n in range(60)
    ]
    for id_ in ids[::9]:
        client.archive(id_)
    client.update(ids[1], content="the harbour lights were put out for good")
    client.reinforce(ids[2])
    client.supersede(ids[3], ids[4])
    client.delete(ids[5])
    client.pin(ids[6])
    client.store(f"a word for later, {CANARY}")
    client.backup()
    for id_ in ids[10:13]:
        client.tag(id_, ["seen"])


def answers(client: reverie.Client) -> list[Any]:
    """What a client would notice, asked without leaving a trace in what is asked next."""
    page, listed, before = client.list(limit=50, states=STATES), [], None
    while True:
        listed += [_told(memory) for memory in page.memories]
        if page.next is None:
            break
        before = int(page.next)
        page = client.list(limit=50, states=STATES, before=before)
    found = [sorted(_told(memory) for memory in client.recall(q, limit=20).memories) for q in QUESTIONS]
    return [sorted(listed), found, [(event.seq, event.type) for event in client.history(2).events]]


def _told(memory: Any) -> tuple[Any, ...]:
    return memory.id, memory.content, memory.title, memory.kind, tuple(memory.tags)


class Damages:
    """A store stopped in peace, the same store killed, what both answer, and one harm after the other to copies."""

    def __init__(self, home: Path) -> None:
        self.home, self._number = home, 0
        daemon = RunningDaemon(home / "before")
        daemon.start()
        with daemon.client() as client:
            live_in(client)
            client.status()
        _give_vectors(daemon.data)
        daemon.stop()
        shutil.copytree(daemon.data, home / "stopped")
        daemon.start()
        with daemon.client() as client:
            client.tag(client.list(limit=1).memories[0].id, ["last"])
            client.store("the last word before the end")
            client.list()  # waits until the state has seen it
        daemon.kill()
        shutil.copytree(daemon.data, home / "killed")
        daemon.end()
        self.expected = {name: self._unharmed(name) for name in ("stopped", "killed")}

    def _unharmed(self, source: str) -> list[Any]:
        daemon = self._copy(source)
        daemon.start()
        try:
            with daemon.client() as client:
                return answers(client)
        finally:
            self._discard(daemon)

    def _copy(self, source: str) -> RunningDaemon:
        self._number += 1
        home = self.home / str(self._number)
        shutil.copytree(self.home / source, home / "data")
        return RunningDaemon(home)

    def _discard(self, daemon: RunningDaemon) -> None:
        daemon.end()
        shutil.rmtree(daemon.data.parent)

    def trial(self, source: str, name: str, harm: str, seed: int) -> str:
        """How it came out; raises when something wrong was served in silence, or was not mended."""
        daemon = self._copy(source)
        path = next(daemon.data.parent.rglob(name), None)
        try:
            if path is None or not path.is_file():
                return "no such file"
            before = events_in(daemon.data)
            HARMS[harm](path, random.Random(seed))
            lost = name in LOG and events_in(daemon.data) != before
            return self._log_damage(daemon, source) if lost else self._state_damage(daemon, source)
        except Exception as error:
            journal = daemon.journal.read_text()[-3000:] if daemon.journal.exists() else ""
            raise AssertionError(f"{harm} of {name} ({source}), seed {seed}: {error}\n{journal}") from error
        finally:
            self._discard(daemon)

    def backup_trial(self, harm: str, seed: int) -> str:
        """A ruined copy must not keep an erased word, nor keep an erasure from being carried out."""
        daemon = self._copy("stopped")
        try:
            (copy,) = (daemon.data / "backups").glob("log-*.db")
            HARMS[harm](copy, random.Random(seed))
            daemon.start()
            with daemon.client() as client:
                client.erase(client.recall(CANARY).memories[0].id)
            holding = [path.name for path in daemon.data.rglob("*") if path.is_file() and _holds_canary(path)]
            assert holding == [], f"{harm} of a backup, seed {seed}: the erased word is in {holding}"
            return "erased everywhere"
        finally:
            self._discard(daemon)

    def config_trial(self, harm: str, seed: int) -> str:
        """Whatever the file says, the daemon starts, and knows what it knew."""
        daemon = self._copy("stopped")
        try:
            HARMS[harm](daemon.config, random.Random(seed))
            daemon.start()
            with daemon.client() as client:
                listed = {memory.id for memory in client.list(limit=50, states=STATES).memories}
            assert len(listed) == 50, f"{harm} of the configuration, seed {seed}"
            return "started"
        finally:
            self._discard(daemon)

    def _started(self, daemon: RunningDaemon) -> bool:
        """As a service manager would: once more when told to."""
        for _ in range(3):
            try:
                daemon.start()
            except AssertionError:
                if daemon.ended == REFUSED:
                    return False
                assert daemon.ended == AGAIN, f"ended with {daemon.ended}"
            else:
                return True
        raise AssertionError("it never started")

    def _log_damage(self, daemon: RunningDaemon, source: str) -> str:
        if not self._started(daemon):
            assert "log.db cannot be read" in daemon.journal.read_text()
            return "refused to start"
        first = self._ask(daemon, source)
        assert first != "wrong", "served something else in silence"
        if daemon.ended is not None and not self._started(daemon):
            return "refused to start"
        with daemon.client() as client:
            report = client.verify()
            assert report.problems, "verify found nothing"
            assert "event " in report.problems[0], report.problems
            try:
                client.store("one more word")
            except errors.ReadOnly:
                return "located, read-only"
        raise AssertionError("a damaged log was written to")

    def _state_damage(self, daemon: RunningDaemon, source: str) -> str:
        assert self._started(daemon), "it refused to start, though the log is whole"
        first = self._ask(daemon, source)
        assert first != "wrong", "served something else in silence"
        until = time.monotonic() + SETTLES
        while self._ask(daemon, source) != "equal" or not self._verified(daemon):
            assert time.monotonic() < until, f"it was not mended: {self._ask(daemon, source)}"
            if daemon.ended is not None:
                assert self._started(daemon)
        return "no harm" if first == "equal" else f"{first}, then mended"

    def _verified(self, daemon: RunningDaemon) -> bool:
        try:
            with daemon.client() as client:
                return client.verify().ok
        except errors.ReverieError as error:
            if error.code not in TYPED | {"busy", "daemon_unavailable"}:
                raise
            return False

    def _ask(self, daemon: RunningDaemon, source: str) -> str:
        try:
            with daemon.client() as client:
                said = answers(client)
                named = any("state" in line or "read-only" in line for line in client.status().degraded)
        except errors.DaemonUnavailable:
            assert daemon.wait() in (AGAIN, 74, REFUSED), f"ended with {daemon.ended}"
            return "ended with a code"
        except errors.ReverieError as error:
            if error.code not in TYPED:
                raise
            return "complained"
        if said == self.expected[source]:
            return "equal"
        return "named" if named else "wrong"


def _give_vectors(data: Path) -> None:
    """Of a model that is not here, so that nobody makes them anew while their file is looked at."""
    dice = random.Random(1)
    with behind_its_back(data, "vectors.db") as db:
        for memory in range(1, 61):
            row = with_sum("model", memory, 0, "default", ITSELF, None, dice.randbytes(32), dice.randbytes(1536))
            db.execute("INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def _holds_canary(path: Path) -> bool:
    return CANARY.encode() in path.read_bytes()


def events_in(data: Path) -> list[tuple[Any, ...]]:
    """Every event as SQLite reads it; fewer when it cannot be read to the end. In a copy: looking changes files."""
    scratch = data.parent / "look"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(data, scratch)
    found: list[tuple[Any, ...]] = []
    try:
        with closing(sqlite3.connect(scratch / "log.db")) as db:
            found.extend(db.execute("SELECT * FROM events ORDER BY seq"))
    except database.Unreadable:
        found.append(("unreadable",))
    return found
