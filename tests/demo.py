"""A one-minute tour with real output: nothing acknowledged gets lost, and state is only ever a fold of the log.

Everything happens in a directory of its own, which is removed at the end. Exits 1 when a step does not hold.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
READY_WITHIN = 30.0
LOOK_EVERY = 0.1


class StepFailed(Exception):
    """What the tour promised at this point is not so."""


class Tour:
    def __init__(self, home: Path) -> None:
        self.data = home / "data"
        self._home = home
        self._daemon: subprocess.Popen[bytes] | None = None
        ours = {"REVERIE_DATA": self.data, "REVERIE_SOCKET": home / "s", "REVERIE_CONFIG": home / "config.yaml"}
        self._environ = {**os.environ, **{name: str(path) for name, path in ours.items()}}

    def start(self) -> None:
        _say("$ reveried &")
        notify = self._home / "notify"
        notify.unlink(missing_ok=True)
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready,
            (self._home / "journal.txt").open("ab") as journal,
        ):
            ready.bind(str(notify))
            environ = {**self._environ, "NOTIFY_SOCKET": str(notify)}
            self._daemon = subprocess.Popen([BIN / "reveried"], env=environ, stderr=journal)
            if not self._is_ready(self._daemon, ready):
                raise StepFailed(f"the daemon did not start: {(self._home / 'journal.txt').read_text()}")

    def _is_ready(self, daemon: "subprocess.Popen[bytes]", ready: socket.socket) -> bool:
        """The daemon says when it serves, in the words it also tells systemd."""
        ready.settimeout(LOOK_EVERY)
        deadline = time.monotonic() + READY_WITHIN
        while daemon.poll() is None and time.monotonic() < deadline:
            try:
                if b"READY=1" in ready.recv(4096):
                    return True
            except TimeoutError:
                continue
        return False

    def end(self, number: signal.Signals) -> None:
        """Send the daemon this signal, and wait until it is gone."""
        if self._daemon is None or self._daemon.poll() is not None:
            return
        _say(f"$ kill -{number.name.removeprefix('SIG')} {self._daemon.pid}")
        self._daemon.send_signal(number)
        self._daemon.wait(READY_WITHIN)

    def run(self, *arguments: str) -> str:
        _say("$ reverie " + " ".join(f"'{word}'" if " " in word else word for word in arguments))
        output = self._output(*arguments)
        _say(output.rstrip())
        return output

    def ask(self, *arguments: str) -> Any:
        """The same as a script would ask it, unprinted: for the checks."""
        return json.loads(self._output(*arguments, "--json"))

    def _output(self, *arguments: str) -> str:
        done = subprocess.run([BIN / "reverie", *arguments], env=self._environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise StepFailed(f"`reverie {arguments[0]}` ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout


def main() -> int:
    home = Path(tempfile.mkdtemp(prefix="reverie-demo-"))
    tour = Tour(home)
    try:
        _walk(tour)
    except StepFailed as failure:
        _say(f"\nThis should not have happened: {failure}")
        return 1
    finally:
        tour.end(signal.SIGTERM)
        shutil.rmtree(home)
    _say("\nEvery step held.")
    return 0


def _walk(tour: Tour) -> None:
    _remember(tour)
    stored = _contents(tour)
    _kill(tour, stored)
    digest = _proven(tour)
    _make_anew(tour, digest, stored)


def _remember(tour: Tour) -> None:
    _title("Remember three things, and ask for one of them")
    tour.start()
    tour.run("store", "Ada prefers tea in the afternoon", "--kind", "preference", "--tag", "ada")
    tour.run("store", "We chose SQLite because one file is easy to back up", "--kind", "decision")
    tour.run("store", "The release is on Friday", "--tag", "release")
    found = tour.run("recall", "what does Ada drink in the afternoon?")
    _check("Ada prefers tea" in found, "the question finds the memory that answers it")
    _title("It helped, so say so: it will rank higher from now on")
    tour.run("reinforce", "1")


def _kill(tour: Tour, stored: list[str]) -> None:
    _title("Kill the daemon the hard way, and start it again")
    tour.end(signal.SIGKILL)
    tour.start()
    tour.run("list")
    _check(_contents(tour) == stored, "every memory is there")
    _check("memory.reinforced" in tour.run("history", "1"), "so is the feedback")


def _proven(tour: Tour) -> str:
    _title("Prove it: the log's chain is whole, and live state equals a replay of it")
    tour.run("verify")
    report = tour.ask("verify")
    _check(report["ok"] and report["live_digest"] == report["replayed_digest"], "both digests agree")
    return str(report["live_digest"])


def _make_anew(tour: Tour, digest: str, stored: list[str]) -> None:
    _title("Delete all state; keep only the log")
    tour.end(signal.SIGKILL)
    _say("$ rm state.db* archive.db*")
    for path in [*tour.data.glob("state.db*"), *tour.data.glob("archive.db*")]:
        path.unlink()
    tour.start()
    _check(digest in tour.run("rebuild"), "the state made from the log has the same digest as before")
    tour.run("verify")
    _check(_contents(tour) == stored, "every memory is there again")


def _contents(tour: Tour) -> list[str]:
    return [memory["content"] for memory in tour.ask("list")["memories"]]


def _check(holds: bool, claim: str) -> None:
    if not holds:
        raise StepFailed(f"not true: {claim}")
    _say(f"  ✓ {claim}")


def _title(text: str) -> None:
    _say(f"\n── {text}")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
