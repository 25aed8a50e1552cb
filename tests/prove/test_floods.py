"""Many at once, slow, deaf and greedy: one honest client is served as before, and the daemon keeps its size."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from neighbour import Neighbour
from running import RunningDaemon
from wire import HELLO, Wire, packed, store

Record = Callable[[str, str], None]
Start = Callable[..., RunningDaemon]
MIB = 1024 * 1024
# On a quiet machine a wait of 250 ms is the most; a busy one slows both sides, so it is held against idle waits too.
QUIET, RATIO = 0.25, 25.0


class Measured:
    """The waits of one honest client and the size of the daemon, idle first and then beside the flood."""

    def __init__(self, daemon: RunningDaemon, what: str, record: Record) -> None:
        self._daemon, self._what, self._record = daemon, what, record
        with Wire(daemon.socket) as wire:  # so that every reader is open before anything is counted
            wire.send(*({"op": "recall", "id": n, "query": "bell"} for n in range(1, 17)))
            assert all(wire.receive() for _ in range(16))
        self._idle = self._waits()
        self._size, self._descriptors, self._threads = self._held()

    def _waits(self) -> float:
        neighbour = Neighbour(self._daemon)
        neighbour.start()
        return neighbour.stop()

    def _held(self) -> tuple[int, int, int]:
        process = Path(f"/proc/{self._daemon.pid}")
        return self._daemon.resident_bytes, len(os.listdir(process / "fd")), len(os.listdir(process / "task"))

    @contextmanager
    def flooded(self, *, growth: int, within: float = QUIET) -> Iterator[None]:
        neighbour = Neighbour(self._daemon)
        neighbour.start()
        peak = _Peak(self._daemon)
        peak.start()
        yield
        busy, highest = neighbour.stop(), peak.stop()
        assert self._daemon.ended is None
        self._settle()
        size, descriptors, threads = self._held()
        self._record(
            self._what,
            f"p99 {busy * 1000:.1f} ms (idle {self._idle * 1000:.1f}), {len(neighbour.seconds)} answers; memory "
            f"+{(highest - self._size) / MIB:.0f} MiB at most, {(size - self._size) / MIB:+.0f} after; "
            f"descriptors {descriptors - self._descriptors:+d}, threads {threads - self._threads:+d}",
        )
        assert busy < max(within, RATIO * self._idle)
        assert highest - self._size < growth
        assert descriptors <= self._descriptors + 2
        assert threads <= self._threads + 4

    def _settle(self) -> None:
        """Until the daemon has seen the last of the flood leave."""
        with self._daemon.client(timeout=60) as client:
            ends = time.monotonic() + 60
            while client.status().connections > 1:
                assert time.monotonic() < ends, "connections of clients that are gone are still held"
                time.sleep(0.05)


class _Peak(threading.Thread):
    def __init__(self, daemon: RunningDaemon) -> None:
        super().__init__(daemon=True)
        self._daemon, self._done, self._highest = daemon, threading.Event(), 0

    def run(self) -> None:
        while not self._done.wait(0.05):
            self._highest = max(self._highest, self._daemon.resident_bytes)

    def stop(self) -> int:
        self._done.set()
        self.join()
        return self._highest


def _raw(path: str) -> socket.socket:
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    raw.connect(path)
    raw.setblocking(False)
    return raw


def test_a_hundred_that_send_a_byte_at_a_time(start: Start, record_proof: Record) -> None:
    """Each keeps sending, so it is never silent; its frame is late all the same, and its place becomes free."""
    daemon = start(config="server: {header_timeout: 2.0, body_timeout: 2.0}\n")
    measured = Measured(daemon, "slow loris: 126 clients, a byte each every 50 ms", record_proof)
    dribble = packed({**HELLO, "client": "x" * 60_000})
    with measured.flooded(growth=32 * MIB), ExitStack() as stack:
        crowd = [stack.enter_context(_raw(daemon.socket)) for _ in range(126)]
        gone: set[int] = set()
        began, sent = time.monotonic(), 0
        while len(gone) < len(crowd):
            assert time.monotonic() - began < 30, f"{len(crowd) - len(gone)} still hold their place"
            for number, loris in enumerate(crowd):
                try:
                    loris.send(dribble[sent : sent + 1])
                except (BrokenPipeError, ConnectionResetError):
                    gone.add(number)
            sent += 1
            time.sleep(0.05)


def test_ten_thousand_connect_and_leave(daemon: RunningDaemon, record_proof: Record) -> None:
    measured = Measured(daemon, "10,000 connects", record_proof)
    with measured.flooded(growth=32 * MIB):
        for number in range(10_000):
            with _connected(daemon.socket) as raw:
                if number % 3 == 0:
                    with suppress(BrokenPipeError):
                        raw.send(packed(HELLO) if number % 2 else b"\x00")


def _connected(path: str) -> socket.socket:
    while True:
        try:
            return _raw(path)
        except BlockingIOError:  # the queue is full: the daemon is behind by a thousand
            time.sleep(0.01)


def test_a_thousand_that_say_hello_and_nothing_more(start: Start, record_proof: Record) -> None:
    daemon = start(config="server: {idle_grace: 0.1}\n")
    measured = Measured(daemon, "1,000 silent clients for 128 places", record_proof)
    with measured.flooded(growth=32 * MIB), ExitStack() as stack:
        for _ in range(1_000):
            stack.enter_context(_greeted(daemon.socket))


def _greeted(path: str) -> Wire:
    """As a client of ours does it: it tries again while nobody was silent for long enough."""
    while True:
        wire = Wire(path, hello=False)
        with suppress(BrokenPipeError, AssertionError):
            if wire.ask(HELLO)["ok"]:
                return wire
        wire.close()
        time.sleep(0.01)


def _wordy(daemon: RunningDaemon, count: int = 10) -> None:
    with daemon.client() as client:
        for number in range(count):
            client.store(f"{number} " + f"long winded {number} " * 6_000)


@pytest.mark.parametrize("clients", [1, 120])
def test_clients_that_never_read_what_they_asked_for(start: Start, clients: int, record_proof: Record) -> None:
    daemon = start(config="server: {slow_reader_timeout: 4.0}\n")
    _wordy(daemon)
    measured = Measured(daemon, f"{clients} deaf clients, 16 answers of a megabyte each", record_proof)
    with measured.flooded(growth=256 * MIB, within=1.0), ExitStack() as stack:
        crowd = [stack.enter_context(_raw(daemon.socket)) for _ in range(clients)]
        asking = packed(HELLO) + b"".join(packed({"op": "list", "id": n, "limit": 10}) for n in range(1, 17))
        for deaf in crowd:
            deaf.send(asking)
        _await_end(crowd)


def test_subscribers_that_never_read(start: Start, record_proof: Record) -> None:
    daemon = start(config="server: {slow_reader_timeout: 4.0}\n")
    _wordy(daemon, 40)
    measured = Measured(daemon, "100 deaf subscribers to a log of 4 MB", record_proof)
    with measured.flooded(growth=256 * MIB, within=1.0), ExitStack() as stack:
        crowd = [stack.enter_context(_raw(daemon.socket)) for _ in range(100)]
        for deaf in crowd:
            deaf.send(packed(HELLO) + packed({"op": "subscribe", "id": 1, "from_seq": 1}))
        _await_end(crowd)


def _await_end(crowd: list[socket.socket]) -> None:
    """Until each was cut off; a send is refused then, whatever still waits to be read."""
    ends = time.monotonic() + 60
    for deaf in crowd:
        while True:
            assert time.monotonic() < ends, "a client that never reads is still held"
            try:
                deaf.send(b"")
                deaf.send(b"\x00")
            except BlockingIOError:
                pass
            except OSError:
                break
            time.sleep(0.02)


def test_every_connection_with_all_its_requests_in_flight(daemon: RunningDaemon, record_proof: Record) -> None:
    with daemon.client() as client:
        client.store_many([f"remark {number} on the bell" for number in range(500)])
    measured = Measured(daemon, "120 connections with 16 recalls in flight", record_proof)
    with measured.flooded(growth=96 * MIB, within=3.0), ExitStack() as stack:
        crowd = [stack.enter_context(Wire(daemon.socket, patience=120)) for _ in range(120)]
        for wire in crowd:
            wire.send(*({"op": "recall", "id": n, "query": f"bell {n}"} for n in range(1, 17)))
        answered = sum(1 for wire in crowd for _ in range(16) if (wire.receive() or {}).get("ok"))
        assert answered == 120 * 16


def test_frames_as_large_as_allowed(daemon: RunningDaemon, record_proof: Record) -> None:
    measured = Measured(daemon, "8 clients, 25 frames of a megabyte each", record_proof)
    frame = packed(store(1, "x" * 90_000, metadata={"a": ["y" * 60_000] * 14}))
    assert MIB * 0.8 < len(frame) <= MIB
    with measured.flooded(growth=96 * MIB, within=1.0):
        senders = [threading.Thread(target=_send_and_read, args=(daemon, frame, 25)) for _ in range(8)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()


def _send_and_read(daemon: RunningDaemon, frame: bytes, times: int) -> None:
    with Wire(daemon.socket, patience=60) as wire:
        for _ in range(times):
            assert wire.ask(frame[4:])["error"]["code"] == "invalid_field"
