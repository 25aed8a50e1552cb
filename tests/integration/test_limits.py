"""Slow, deaf, greedy and many: every limit answers with a typed refusal, and the neighbours are served as ever."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from neighbour import undisturbed
from reverie import AsyncClient
from running import RunningDaemon
from wire import Wire, packed, store

Start = Callable[..., RunningDaemon]
SHORT = "server:\n  header_timeout: 0.3\n  body_timeout: 0.3\n  slow_reader_timeout: 0.5\n"


@pytest.mark.parametrize(
    ("dribble", "awaited"),
    [
        (b"", "hello"),
        (b"\x00", "header"),
        (b"\x00\x00\x10", "header"),
        (b"\x00\x00\x10\x00", "body"),
        (b"\x00\x00\x10\x00abc", "body"),
    ],
)
def test_a_frame_that_never_ends_is_not_waited_for(start: Start, dribble: bytes, awaited: str) -> None:
    daemon = start(config=SHORT)
    with Wire(daemon.socket, hello=awaited != "hello") as wire:
        wire.send_raw(dribble)
        answer = wire.receive()
        assert answer is not None
        assert answer["error"]["code"] == "timed_out"
        assert awaited in answer["error"]["message"]
        assert wire.receive() is None


def test_a_byte_now_and_then_buys_a_frame_no_time(start: Start) -> None:
    daemon = start(config=SHORT)
    with Wire(daemon.socket) as loris:
        loris.send_raw(b"\x00\x00\x10\x00")
        loris.socket.settimeout(0.05)
        for _ in range(100):
            with suppress(TimeoutError):
                answer = loris.receive()
                assert answer is not None
                assert answer["error"]["code"] == "timed_out"
                return
            loris.send_raw(b"\x81")
    raise AssertionError("the frame was waited for as long as bytes came")


def test_a_client_that_pauses_between_frames_is_left_in_peace(start: Start) -> None:
    daemon = start(config=SHORT)
    with Wire(daemon.socket) as patient, Wire(daemon.socket) as loris:
        loris.send_raw(b"\x00")
        loris.until_closed()  # longer than any timeout of a frame
        assert patient.ask({"op": "ping", "id": 1})["ok"]


def test_many_that_dribble_do_not_keep_out_one_that_speaks(daemon: RunningDaemon) -> None:
    crowd = [Wire(daemon.socket) for _ in range(100)]
    for wire in crowd:
        wire.send_raw(b"\x00\x00\x10\x00")
    with undisturbed(daemon):
        for _ in range(5):
            for wire in crowd:
                wire.send_raw(b"\x81")
            with Wire(daemon.socket) as honest:
                assert honest.ask({"op": "ping", "id": 1})["ok"]
    for wire in crowd:
        wire.close()


def test_one_connection_too_many_is_told_so_and_a_place_becomes_free_again(start: Start) -> None:
    daemon = start(config="server: {idle_grace: 600.0}\n")
    crowd = [Wire(daemon.socket) for _ in range(128)]
    with Wire(daemon.socket, hello=False) as extra:
        refusal = extra.receive()
        assert refusal is not None
        assert (refusal["error"]["code"], refusal["error"]["retryable"]) == ("busy", True)
        assert extra.receive() is None
    crowd.pop().close()
    with daemon.client() as client:  # it tries again while the daemon is busy
        assert client.status().connections == 128
    for wire in crowd:
        wire.close()


def test_when_all_places_are_taken_the_client_that_was_silent_longest_gives_way(start: Start) -> None:
    daemon = start(config="server: {max_connections: 3, idle_grace: 0.3}\n")
    with Wire(daemon.socket) as first, Wire(daemon.socket) as second, Wire(daemon.socket) as third:
        assert first.ask({"op": "ping", "id": 1})["ok"]
        with daemon.client() as newcomer:  # it tries again until somebody was silent for long enough
            assert newcomer.status().connections == 3
            goodbye = second.receive()
            assert goodbye is not None
            assert (goodbye["id"], goodbye["error"]["code"], goodbye["error"]["retryable"]) == (None, "busy", True)
            assert second.receive() is None
            assert all(wire.ask({"op": "ping", "id": 2})["ok"] for wire in (first, third))


def test_who_is_owed_something_keeps_the_place_however_long_it_is_silent(start: Start) -> None:
    daemon = start(config="server: {max_connections: 2, idle_grace: 0.1}\n")
    with Wire(daemon.socket) as subscriber, Wire(daemon.socket) as writing:
        assert subscriber.ask({"op": "subscribe", "id": 1})["ok"]
        writing.send_raw(b"\x00\x00\x00\x40half of a frame")
        ends = time.monotonic() + 0.5
        while time.monotonic() < ends:
            with Wire(daemon.socket, hello=False) as extra:
                refusal = extra.receive()
                assert refusal is not None
                assert refusal["error"]["message"] == "too many connections"


async def test_clients_that_had_to_give_way_come_back_unnoticed(start: Start) -> None:
    daemon = start(config="server: {max_connections: 1, idle_grace: 0.1}\n")
    with daemon.client("one") as one, daemon.client("other") as other:
        async with AsyncClient(daemon.socket, namespace="third") as third:
            for number in range(3):
                assert one.store(f"remark {number} by one").outcome == "stored"
                assert other.store(f"remark {number} by the other").outcome == "stored"
                assert (await third.store(f"remark {number} by the third")).outcome == "stored"
            assert len(one.list().memories) == len((await third.list()).memories) == 3


def test_one_request_too_many_in_flight_is_refused_and_the_others_are_answered(daemon: RunningDaemon) -> None:
    with Wire(daemon.socket) as wire:
        wire.send(*(store(number, f"pipelined {number}") for number in range(1, 41)))
        answers = [wire.receive() for _ in range(40)]
        codes = [answer["error"]["code"] for answer in answers if answer and not answer["ok"]]
        assert codes == ["busy"] * 24
        assert {answer["id"] for answer in answers if answer} == set(range(1, 41))
        assert wire.ask(store(41, "after the rush"))["ok"]


def test_answers_come_as_they_are_ready(daemon: RunningDaemon) -> None:
    with Wire(daemon.socket) as wire:
        wire.send({"op": "verify", "id": 1}, {"op": "ping", "id": 2})
        first, second = wire.receive(), wire.receive()
        assert first is not None
        assert second is not None
        assert (first["id"], second["id"]) == (2, 1)


def test_a_client_that_never_reads_is_cut_off_and_costs_no_memory(start: Start) -> None:
    daemon = start(config=SHORT)
    with daemon.client() as client:
        for number in range(10):
            client.store(f"{number} " + "long winded " * 8_000)
    with undisturbed(daemon), Wire(daemon.socket, patience=10) as deaf:
        request = packed({"op": "list", "id": 1, "limit": 10})
        with suppress(BrokenPipeError, ConnectionResetError):
            while True:  # until it is cut off; a daemon that buffers for ever would fail by its size
                deaf.send_raw(request)


def test_a_flood_of_tiny_requests_does_not_drown_the_others(daemon: RunningDaemon) -> None:
    flood = packed({}) * 20_000
    with undisturbed(daemon), Wire(daemon.socket) as wire:
        sending = threading.Thread(target=wire.send_raw, args=(flood,))
        sending.start()
        for _ in range(20_000):
            answer = wire.receive()
            assert answer is not None
        sending.join()


def test_large_frames_one_after_the_other_do_not_starve_the_others(daemon: RunningDaemon) -> None:
    wide = packed(store(1, "x", metadata={"list": [[number] for number in range(9_000)]}))
    with undisturbed(daemon), Wire(daemon.socket) as wire:
        for _ in range(30):
            assert wire.ask(wide[4:])["id"] == 1
