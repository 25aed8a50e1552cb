"""Everything that can go wrong, as one small tree with stable wire codes.

ReverieError
├── Rejected                 the caller can mend it
│   ├── InvalidRequest       invalid_request    not a message this protocol knows the shape of
│   ├── UnknownOp            unknown_op
│   ├── InvalidField         invalid_field      a value outside its limit
│   ├── NotFound             not_found
│   ├── WrongState           wrong_state        e.g. reinforcing a deleted memory
│   ├── KeyConflict          key_conflict       an idempotency key reused with another body
│   ├── TooLarge             too_large
│   ├── HelloRequired        hello_required, or unsupported_protocol
│   └── Refused              forbidden          another user's connection
├── Unavailable              worth trying again
│   ├── Busy                 busy
│   ├── ShuttingDown         shutting_down
│   ├── TimedOut             timed_out
│   └── StorageFull          storage_full
├── ReadOnly                 read_only          the log is damaged; nothing may be added
├── CannotOpen, CannotListen cannot_open, cannot_listen   the daemon cannot start; see its exit code
├── ConfigInvalid            config_invalid
├── LogDamaged               log_damaged
├── StateDamaged             state_damaged      the state is rebuilt from the log
├── StorageFailed            storage_failed     an I/O error on the log: the daemon stops, exit 74
└── Internal                 internal           a defect of ours
"""

from typing import ClassVar


class ReverieError(Exception):
    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.hint = hint


class Rejected(ReverieError):
    code = "invalid_request"


class InvalidRequest(Rejected):
    code = "invalid_request"


class UnknownOp(Rejected):
    code = "unknown_op"


class InvalidField(Rejected):
    code = "invalid_field"


class NotFound(Rejected):
    code = "not_found"


class WrongState(Rejected):
    code = "wrong_state"


class KeyConflict(Rejected):
    code = "key_conflict"


class TooLarge(Rejected):
    code = "too_large"


class HelloRequired(Rejected):
    code = "hello_required"


class UnsupportedProtocol(HelloRequired):
    code = "unsupported_protocol"


class Refused(Rejected):
    code = "forbidden"


class Unavailable(ReverieError):
    code = "busy"
    retryable = True


class Busy(Unavailable):
    code = "busy"


class ShuttingDown(Unavailable):
    code = "shutting_down"


class TimedOut(Unavailable):
    code = "timed_out"


class StorageFull(Unavailable):
    code = "storage_full"


class ReadOnly(ReverieError):
    code = "read_only"


class ConfigInvalid(ReverieError):
    code = "config_invalid"


class LogDamaged(ReverieError):
    code = "log_damaged"


class StateDamaged(ReverieError):
    code = "state_damaged"


class StorageFailed(ReverieError):
    code = "storage_failed"


class Internal(ReverieError):
    code = "internal"


def every_error() -> list[type[ReverieError]]:
    """The whole tree, for the documentation test."""
    found: list[type[ReverieError]] = []
    waiting: list[type[ReverieError]] = [ReverieError]
    while waiting:
        error = waiting.pop()
        found.append(error)
        waiting.extend(error.__subclasses__())
    return found
