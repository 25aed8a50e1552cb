"""How patient a call is."""

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import calls
from reverie.errors import Busy, DaemonUnavailable, NotFound
from reverie.protocol.requests import Command
from reverie.retry import TRANSIENT, Attempts, Keys


@pytest.mark.parametrize("number", sorted(TRANSIENT))
def test_a_lost_daemon_is_tried_five_times_within_two_seconds(number: int) -> None:
    attempts, pauses = Attempts("/run/x.sock", 30), 0.0
    for _ in range(4):
        pauses += attempts.pause_after(OSError(number, "gone"))
    assert 1 < pauses < 2
    with pytest.raises(DaemonUnavailable, match=r"/run/x\.sock") as raised:
        attempts.pause_after(OSError(number, "gone"))
    assert "reverie service start" in (raised.value.hint or "")
    assert "reveried" in (raised.value.hint or "")


def test_a_daemon_that_was_there_a_moment_ago_is_waited_for_longer() -> None:
    attempts = Attempts("/run/x.sock", 30, known=True)
    pauses = sum(attempts.pause_after(OSError(errno.ECONNREFUSED, "restarting")) for _ in range(10))
    assert 6 < pauses < 10
    with pytest.raises(DaemonUnavailable):
        attempts.pause_after(OSError(errno.ECONNREFUSED, "gone"))


def test_what_time_cannot_mend_is_not_tried_again() -> None:
    with pytest.raises(DaemonUnavailable):
        Attempts("/run/x.sock", 30).pause_after(PermissionError(errno.EACCES, "not yours"))
    with pytest.raises(NotFound):
        Attempts("/run/x.sock", 30).pause_after(NotFound("no such memory"))


def test_a_busy_daemon_is_asked_again_until_the_timeout() -> None:
    attempts = Attempts("/run/x.sock", 30)
    assert all(0 < attempts.pause_after(Busy("later")) < 1 for _ in range(50))
    with pytest.raises(Busy):
        Attempts("/run/x.sock", 0.0).pause_after(Busy("later"))


@given(st.integers(2, 300))
def test_keys_are_new_and_only_grow(count: int) -> None:
    keys = Keys()
    given_out = []
    for _ in range(count):
        request = keys.keyed(calls.pin(1)).request
        assert isinstance(request, Command)
        given_out.append(request.key or "")
    assert given_out == sorted(set(given_out))


def test_a_given_key_is_kept_and_reads_have_none() -> None:
    pinned, pinged = Keys().keyed(calls.pin(1, key="mine")).request, calls.ping()
    assert isinstance(pinned, Command)
    assert pinned.key == "mine"
    assert Keys().keyed(pinged) is pinged
