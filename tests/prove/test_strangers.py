"""Another user, another's files and a careless umask: the daemon serves its own user, in places of its own, or not."""

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from running import RunningDaemon
from wire import HELLO, packed, store

Record = Callable[[str, str], None]
Start = Callable[..., RunningDaemon]
NOBODY = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")


def _as_nobody(work: Callable[[], str]) -> str:
    """What the work says, done in a process of another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        try:
            said = work()
        except OSError as error:
            said = type(error).__name__
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


def _speak(path: str) -> str:
    """Everything a client would say, at once; what comes back, and how much of it was taken in."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
        raw.settimeout(10)
        raw.connect(path)
        with suppress(BrokenPipeError, ConnectionResetError):
            raw.sendall(packed(HELLO) + packed(store(1, "let me in")) + b"x" * 4_000_000)
        said = b""
        with suppress(ConnectionResetError):
            while data := raw.recv(65536):
                said += data
    return said.decode("latin-1")


@as_root
def test_another_user_is_kept_out_by_the_files_and_by_the_daemon(daemon: RunningDaemon, record_proof: Record) -> None:
    assert _as_nobody(lambda: _speak(daemon.socket)) == "PermissionError"
    for place in (daemon.socket, os.path.dirname(daemon.socket), os.path.dirname(os.path.dirname(daemon.socket))):
        os.chmod(place, 0o777)
    said = _as_nobody(lambda: _speak(daemon.socket))
    assert "let me in" not in said
    assert said == "" or "forbidden" in said
    with daemon.client() as client:
        assert client.status().head == 0
    assert _as_nobody(lambda: str(os.listdir(daemon.data))) == "PermissionError"
    record_proof("another user", "refused by the directory; with all modes opened, refused by the daemon, nothing read")


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _modes(root: Path) -> dict[str, int]:
    places = [root, *root.rglob("*")]
    return {str(place.relative_to(root.parent)): stat.S_IMODE(place.lstat().st_mode) for place in places}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_whatever_the_umask_every_file_is_its_users_alone(
    tmp_path: Path, start: Start, mask: int, record_proof: Record
) -> None:
    with _umask(mask):
        daemon = start()
        with daemon.client() as client:
            id_ = client.store("kept to myself").id
            client.backup()
            client.archive(id_)
            client.verify()
            client.rebuild()
            client.rebuild(to=1, out=str(tmp_path / "past.db"))
            client.erase(client.store("gone again").id)
        _written_by_commands(daemon, tmp_path / "out", tmp_path / "home")
    modes = _modes(daemon.data) | _modes(Path(daemon.socket).parent) | _modes(tmp_path / "home")
    modes |= {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "past.db", *tmp_path.glob("out/*"))}
    open_ = {place: f"{mode:04o}" for place, mode in modes.items() if mode & 0o077}
    assert open_ == {}
    record_proof(f"umask {mask:03o}", f"{len(modes)} files and directories, none open to others")


def _written_by_commands(daemon: RunningDaemon, out: Path, home: Path) -> None:
    """Exports, pictures, and the settings of an agent that had none."""
    out.mkdir(), home.mkdir(mode=0o700)
    for name in ("jsonl", "events", "markdown"):
        assert _cli(daemon, "export", "--format", name, "--out", str(out / name)) == 0
    for drawing in (
        ("graph", "--out", "graph.svg"),
        ("graph", "--out", "graph.json"),
        ("curve", "1", "--out", "1.png"),
    ):
        assert _cli(daemon, *drawing[:-1], str(out / drawing[-1])) == 0
    assert _cli(daemon, "setup", "codex", "--write", HOME=str(home)) == 0
    assert len(list(home.rglob("*"))) > 1


def _cli(daemon: RunningDaemon, *words: str, **environ: str) -> int:
    command = [sys.executable, "-m", "reverie.cli", *words]
    return subprocess.run(command, env=daemon.environ | environ, capture_output=True).returncode


def test_places_that_lead_elsewhere_are_refused_and_nothing_is_written_there(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for name in ("data", "run", "lock", "backups"):
        (elsewhere / name).mkdir(parents=True, exist_ok=True)
        daemon = RunningDaemon(tmp_path / name)
        try:
            if name == "data":
                daemon.data.symlink_to(elsewhere / name)
            elif name == "run":
                Path(daemon.socket).parent.symlink_to(elsewhere / name)
            else:
                daemon.data.mkdir(mode=0o700)
                target = elsewhere / name / "file" if name == "lock" else elsewhere / name
                (daemon.data / name).symlink_to(target)
            code, said = daemon.refuses_to_start()
            assert code in (74, 77), (name, said)
            assert list((elsewhere / name).iterdir()) == [], name
        finally:
            daemon.end()


def test_files_that_wait_under_a_name_of_ours_get_nothing(daemon: RunningDaemon, tmp_path: Path) -> None:
    with daemon.client() as client:
        client.store("kept to myself")
        trap, past = tmp_path / "trap", tmp_path / "past.db"
        past.symlink_to(trap)
        with pytest.raises(Exception, match="cannot be written"):
            client.rebuild(to=1, out=str(past))
    out = tmp_path / "out.jsonl"
    waiting = tmp_path / "out.jsonl.partial"
    waiting.write_text("")
    waiting.chmod(0o666)
    with waiting.open("rb") as held:
        assert _cli(daemon, "export", "--out", str(out)) == 0
        assert held.read() == b""
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert "kept to myself" in json.loads(out.read_text().splitlines()[0])["content"]
    waiting.symlink_to(trap)
    assert _cli(daemon, "export", "--out", str(tmp_path / "out2.jsonl")) == 0
    assert not trap.exists()
