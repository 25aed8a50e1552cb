"""A daemon process under test: started for real, reached over its socket, ended however the test likes."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import reverie

# A job that falls due, or a link that is proposed, while a test counts events would be one event too many; a model
# takes longer to start than most tests take. A test that wants one of them says so in its configuration.
QUIET = {
    "jobs": "jobs: {decay: never, sleep: never, consolidate: never, prune: never, purge: never, snapshot: never, "
    "maintain: never}\n",
    "embedding": "embedding: {runtime: none}\n",
    "links": "links: {propose: false}\n",
}
# Which lines were run is told only by a process that ends by itself.
MEASURED = "COVERAGE_PROCESS_CONFIG" in os.environ


class RunningDaemon:
    def __init__(self, home: Path, *, config: str | None = None, environ: dict[str, str] | None = None) -> None:
        self.data = home / "data"
        self.config = home / "config.yaml"
        # A socket's path may not exceed 107 bytes, and the directories of tests are long.
        self._short = tempfile.TemporaryDirectory(prefix="rev")
        self.socket = f"{self._short.name}/run/s"
        self.journal = home / "journal.txt"
        self._environ = environ or {}
        self._process: subprocess.Popen[bytes] | None = None
        if config is not None or not self.config.exists():
            given = config or ""
            home.mkdir(exist_ok=True)
            self.config.write_text(
                given + "".join(f"\n{rest}" for key, rest in QUIET.items() if f"{key}:" not in given)
            )

    @property
    def environ(self) -> dict[str, str]:
        ours = {
            "REVERIE_DATA": str(self.data),
            "REVERIE_SOCKET": self.socket,
            "REVERIE_CONFIG": str(self.config),
        }
        return {**os.environ, **ours, **self._environ}

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def resident_bytes(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) * 1024

    @property
    def ended(self) -> int | None:
        assert self._process is not None
        return self._process.poll()

    def refuses_to_start(self) -> tuple[int, str]:
        """Start where that must fail; the exit code, and what the daemon said on the way out."""
        before = self.journal.stat().st_size if self.journal.exists() else 0
        self.start(expect_ready=False)
        return self.wait(), self.journal.read_bytes()[before:].decode()

    def start(self, *, expect_ready: bool = True) -> None:
        """Start and wait for READY, as systemd would: a datagram, not a sleep."""
        path = f"{self._short.name}/notify"
        Path(path).unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, self.journal.open("ab") as journal:
            ready.bind(path)
            ready.settimeout(0.05)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "reveried"], env={**self.environ, "NOTIFY_SOCKET": path}, stderr=journal
            )
            while expect_ready:
                try:
                    if b"READY=1" in ready.recv(4096):
                        return
                except TimeoutError:
                    if self._process.poll() is not None:
                        raise AssertionError(
                            f"the daemon ended with {self.ended}: {self.journal.read_text()}"
                        ) from None

    def client(self, namespace: str = "default", timeout: float = 30.0) -> reverie.Client:
        return reverie.Client(self.socket, namespace=namespace, timeout=timeout)

    def async_client(self, namespace: str = "default", timeout: float = 30.0) -> reverie.AsyncClient:
        return reverie.AsyncClient(self.socket, namespace=namespace, timeout=timeout)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def stop(self) -> int:
        return self._signal(signal.SIGTERM)

    def send(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(60)

    def _signal(self, number: int) -> int:
        self.send(number)
        return self.wait()

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            if MEASURED:
                with suppress(subprocess.TimeoutExpired):
                    self.stop()
            self.kill()
        self._short.cleanup()
