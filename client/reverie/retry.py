"""Whether a failed call is worth another try, and after what pause: paused here for both clients."""

import errno
import os
import time
from typing import TypeVar

from msgspec.structs import replace

from reverie.errors import Busy, DaemonUnavailable, ReverieError, ShuttingDown, TimedOut
from reverie.protocol.requests import Command
from reverie.protocol.session import Call

T = TypeVar("T")

# A daemon that restarts is gone for a moment: its socket is absent, refuses, or is full (EAGAIN; asyncio
# mistakes that for "in progress" and reports ENOTCONN later).
TRANSIENT = frozenset((errno.ECONNREFUSED, errno.ENOENT, errno.EAGAIN, errno.ENOTCONN, errno.EPIPE, errno.ECONNRESET))
PAUSES = (0.05, 0.2, 0.6, 1.1)
# One that answered a moment ago is most likely being restarted.
PAUSES_FOR_KNOWN = (*PAUSES, *[1.1] * 6)
RETRIED = (Busy, ShuttingDown)


def closed_by_peer() -> ConnectionResetError:
    return ConnectionResetError(errno.ECONNRESET, "the daemon closed the connection")


class Attempts:
    """The patience of one call: five tries to reach the daemon, more if it was there before, any while it is busy."""

    def __init__(self, path: str, timeout: float, *, known: bool = False) -> None:
        self.deadline = time.monotonic() + timeout
        self._path = path
        self._timeout = timeout
        self._pauses = PAUSES_FOR_KNOWN if known else PAUSES
        self._lost = 0
        self._refused = 0

    @property
    def remaining(self) -> float:
        return self.deadline - time.monotonic()

    def pause_after(self, error: OSError | ReverieError) -> float:
        """Seconds to wait before the next try; raises when there should be none."""
        pause = self._after_refusal(error) if isinstance(error, ReverieError) else self._after_loss(error)
        # Jitter, so that many clients of one daemon do not come back in step.
        return pause * (0.75 + os.urandom(1)[0] / 1024)

    def _after_refusal(self, error: ReverieError) -> float:
        pause = 0.01 * (1 << min(self._refused, 6))
        self._refused += 1
        if not isinstance(error, RETRIED) or pause > self.remaining:
            raise error
        return pause

    def _after_loss(self, error: OSError) -> float:
        if error.errno not in TRANSIENT or self._lost == len(self._pauses) or self._pauses[self._lost] > self.remaining:
            raise unreachable(self._path, error) from error
        self._lost += 1
        return self._pauses[self._lost - 1]

    def overdue(self, call: Call[T]) -> TimedOut:
        hint = "raise the timeout"
        if isinstance(call.request, Command):
            hint = f"it may still be carried out; repeating it with key={call.request.key!r} is safe"
        return TimedOut(f"no answer from the daemon within {self._timeout:g} s", hint=hint, retryable=True)


def unreachable(path: str, error: OSError) -> DaemonUnavailable:
    return DaemonUnavailable(
        f"no daemon answers on {path} ({error.strerror or error})",
        hint="run `reveried`, or leave it to systemd: `reverie service install` once, `reverie service start` later",
        retryable=True,
    )


class Keys:
    """Idempotency keys that only grow, so that the daemon's index of them stays local."""

    def __init__(self) -> None:
        self._prefix = f"{int(time.time()):08x}{os.urandom(6).hex()}"
        self._count = 0

    def keyed(self, call: Call[T]) -> Call[T]:
        """The same call, safe to send twice."""
        request = call.request
        if not isinstance(request, Command) or request.key is not None:
            return call
        self._count += 1
        return Call(replace(request, key=f"{self._prefix}-{self._count:06x}"), call.result)
