"""One request and its answer, against the same bytes through a bare Python echo server."""

import multiprocessing
import os
import socket
import statistics
import tempfile
import time
from collections.abc import Callable

from bench.serving import serving
from bench.table import Result

ROUNDS = 4_000


def _median_us(call: Callable[[], object]) -> float:
    for _ in range(200):
        call()
    samples = []
    for _ in range(ROUNDS):
        started = time.perf_counter_ns()
        call()
        samples.append(time.perf_counter_ns() - started)
    return statistics.median(samples) / 1000


def _echo(path: str, ready: "multiprocessing.synchronize.Event") -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen()
        ready.set()
        connection, _ = listening.accept()
        while data := connection.recv(65536):
            connection.sendall(data)


def echo() -> float:
    """Microseconds for a few bytes there and back."""
    path = os.path.join(tempfile.mkdtemp(), "echo")
    ready = multiprocessing.Event()
    server = multiprocessing.Process(target=_echo, args=(path, ready), daemon=True)
    server.start()
    ready.wait()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(path)
        message = b"x" * 32

        def exchange() -> None:
            client.sendall(message)
            client.recv(65536)

        median = _median_us(exchange)
    server.join()
    return median


def measure() -> list[Result]:
    floor = echo()
    with serving() as daemon, daemon.client() as client:
        ours = _median_us(client.ping)
    detail = f"{ours:.0f} µs against {floor:.0f} µs (median of {ROUNDS})"
    return [Result("round trip / bare socket echo", ours / floor, 2.0, True, detail)]
