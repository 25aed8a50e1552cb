"""From start to stop: one daemon per directory, private files, a calm end, and settings that change under way."""

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from logfile import count, rows
from reverie.errors import ConfigInvalid
from running import RunningDaemon
from wire import Wire, store

Start = Callable[..., RunningDaemon]


def test_a_stop_answers_what_was_asked_and_records_what_was_read(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.store("the tide table hangs in the kitchen").id
        for _ in range(5):
            client.recall("tide table")
        client.get(id_)
    with Wire(daemon.socket) as wire:
        wire.send(*(store(number, f"asked before the stop, {number}") for number in range(1, 17)))
        assert wire.receive() is not None  # the daemon has begun with them
        daemon.send(signal.SIGTERM)
        answers = []
        while (answer := wire.receive()) is not None:
            answers.append(answer)
    assert daemon.wait() == 0
    assert not list(daemon.data.glob("*-wal")), "a clean stop leaves clean files"
    stored = [answer for answer in answers if answer["ok"]]
    assert len(stored) == 15
    assert count(daemon.data, "memory.stored") == 17
    assert (count(daemon.data, "memory.recalled"), count(daemon.data, "memory.accessed")) == (5, 1)
    assert not Path(daemon.socket).exists()


def test_an_interrupt_is_a_calm_stop_as_well(daemon: RunningDaemon) -> None:
    daemon.send(signal.SIGINT)
    assert daemon.wait() == 0


def test_a_second_daemon_on_the_same_data_refuses_with_75(daemon: RunningDaemon, tmp_path: Path) -> None:
    other = RunningDaemon(tmp_path)
    other.data = daemon.data
    code, said = other.refuses_to_start()
    assert code == 75
    assert "another daemon" in said
    with daemon.client() as client:
        assert client.store("still there").outcome == "stored"
    other.end()


def test_a_second_daemon_on_the_same_socket_refuses_with_75(daemon: RunningDaemon, tmp_path: Path) -> None:
    other = RunningDaemon(tmp_path / "other")
    other.socket = daemon.socket
    code, said = other.refuses_to_start()
    assert code == 75
    assert daemon.socket in said
    with daemon.client() as client:
        assert client.ping().head == 0
    other.end()


def test_the_socket_of_a_killed_daemon_is_taken_over(daemon: RunningDaemon) -> None:
    daemon.kill()
    assert Path(daemon.socket).exists()
    daemon.start()
    with daemon.client() as client:
        assert client.ping().head == 0


def test_everything_it_makes_is_private_whatever_the_umask(start: Start) -> None:
    before = os.umask(0)
    try:
        daemon = start()
        with daemon.client() as client:
            id_ = client.store("for our eyes only").id
            client.archive(id_)
            client.backup()
            client.rebuild()
            client.verify()
    finally:
        os.umask(before)
    loose = {
        path.name: oct(stat.S_IMODE(path.lstat().st_mode))
        for path in (daemon.data, *daemon.data.rglob("*"), Path(daemon.socket), Path(daemon.socket).parent)
        if stat.S_IMODE(path.lstat().st_mode) != (0o700 if path.is_dir() else 0o600)
    }
    assert loose == {}


def _in_place(path: Path, text: str) -> None:
    path.write_text(text)


def _by_rename(path: Path, text: str) -> None:
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def _next_change(client: reverie.Client, after: int) -> dict[str, object]:
    """The next change of the configuration, as the log tells it."""
    for event in client.subscribe(from_seq=after + 1):
        if event.type == "config.changed":
            assert event.payload is not None
            return event.payload
    raise AssertionError


@pytest.mark.parametrize("edit", [_in_place, _by_rename])
def test_an_edited_configuration_takes_effect_and_is_remembered(
    start: Start, edit: Callable[[Path, str], None]
) -> None:
    daemon = start(config="recall:\n  limit: 5\n")
    with daemon.client() as client:
        client.store_many([f"the lamp number {number}" for number in range(9)])
        assert len(client.recall("lamp").memories) == 5
        edit(daemon.config, "recall:\n  limit: 7\n")
        change = _next_change(client, 9)
        assert "recall.limit" in str(change)
        assert len(client.recall("lamp").memories) == 7
        edit(daemon.config, "recall:\n  limit: 3\n")
        assert "recall.limit" in str(_next_change(client, client.ping().head - 1))


def test_a_bad_file_changes_nothing_and_is_complained_of(start: Start) -> None:
    daemon = start(config="recall:\n  limit: 2\n")
    with daemon.client() as client:
        client.store_many([f"the lamp number {number}" for number in range(9)])
        daemon.config.write_text("recall:\n  limit: many\n")
        with pytest.raises(ConfigInvalid, match="limit"):
            client.reload()
        assert len(client.recall("lamp").memories) == 2
        assert "recall.limit" in str(client.status().config["problem"])
        assert any("configuration" in line for line in client.status().degraded)
        assert "recall.limit" in daemon.journal.read_text()
        daemon.config.write_text("recall:\n  limit: 4\n")
        assert client.reload().problem is None
        assert len(client.recall("lamp").memories) == 4
        assert client.status().config["problem"] is None


def test_a_start_with_a_bad_file_uses_the_defaults_and_says_so(start: Start) -> None:
    daemon = start(config="recall: [this is no section]\n")
    with daemon.client() as client:
        assert client.store("works all the same").outcome == "stored"
        assert client.status().config["problem"]
        assert not client.doctor().ok


def test_a_hangup_reloads(start: Start) -> None:
    with Manager() as manager:
        daemon = start(config="recall:\n  limit: 5\n", environ={})
        daemon.stop()
        process = manager.start(daemon)
        assert manager.hears("READY=1")
        process.send_signal(signal.SIGHUP)
        assert manager.hears("RELOADING=1")
        assert manager.hears("READY=1")
        process.terminate()
        assert manager.hears("STOPPING=1")
        assert process.wait(20) == 0


class Manager:
    """What systemd would be to the daemon: a socket that hears its notices."""

    def __enter__(self) -> "Manager":
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0reverie-test-{os.getpid()}")
        self._socket.settimeout(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def address(self) -> str:
        return f"@reverie-test-{os.getpid()}"

    def start(self, daemon: RunningDaemon, **environ: str) -> subprocess.Popen[bytes]:
        told = {**daemon.environ, "NOTIFY_SOCKET": self.address, **environ}
        with daemon.journal.open("ab") as journal:
            return subprocess.Popen([sys.executable, "-m", "reveried"], env=told, stderr=journal)

    def hears(self, what: str) -> bool:
        """Waits for that notice; others may come before it."""
        while what not in self._socket.recv(4096).decode():
            pass
        return True


def test_the_watchdog_is_fed_for_as_long_as_the_writer_answers(start: Start) -> None:
    daemon = start()
    daemon.stop()
    with Manager() as manager:
        process = manager.start(daemon, WATCHDOG_USEC="100000")
        assert manager.hears("READY=1")
        assert all(manager.hears("WATCHDOG=1") for _ in range(5))
        process.terminate()
        assert process.wait(20) == 0


@pytest.mark.skipif(not Path("/usr/bin/systemd-socket-activate").exists(), reason="systemd-socket-activate is missing")
def test_the_first_caller_wakes_the_daemon_and_is_served(start: Start, tmp_path: Path) -> None:
    daemon = start()
    daemon.stop()
    passed = {name: value for name, value in daemon.environ.items() if name.startswith("REVERIE_")}
    passed["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [
        "systemd-socket-activate",
        f"--listen={daemon.socket}",
        *(f"--setenv={n}={v}" for n, v in passed.items()),
    ]
    process = subprocess.Popen([*command, sys.executable, "-m", "reveried"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "Listening on" in process.stderr.readline()
        with daemon.client() as client:
            assert client.store("stored by the one who knocked").outcome == "stored"
        process.terminate()
        assert process.wait(20) == 0
        assert Path(daemon.socket).exists(), "the path is the manager's to remove"
    finally:
        process.kill()
        process.communicate()


def test_a_lost_connection_in_a_burst_of_stops_costs_no_write(start: Start) -> None:
    """A client that keeps storing while the daemon is stopped and started again sees no error and no loss."""
    daemon = start()
    with daemon.client() as client:
        for number in range(3):
            assert client.store(f"before stop {number}").outcome == "stored"
            daemon.stop()
            daemon.start()
            assert client.store(f"after stop {number}").outcome == "stored"
    assert rows(daemon.data, "SELECT count(*) FROM events WHERE type = 'memory.stored'") == [(6,)]
