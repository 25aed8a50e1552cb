"""Every way a call can fail, as one tree. The codes are the daemon's; what it may add later is a plain `ReverieError`.

ReverieError
├── Rejected                 the caller can mend it
│   ├── InvalidRequest       invalid_request
│   ├── UnknownOp            unknown_op
│   ├── InvalidField         invalid_field         `field` names it
│   ├── NotFound             not_found
│   ├── WrongState           wrong_state
│   ├── KeyConflict          key_conflict          an idempotency key reused for something else
│   ├── TooLarge             too_large
│   ├── HelloRequired        hello_required
│   │   └── UnsupportedProtocol  unsupported_protocol
│   └── Forbidden            forbidden             the daemon serves another user
├── Unavailable              worth trying again
│   ├── Busy                 busy                  the clients retry it by themselves until the timeout
│   ├── ShuttingDown         shutting_down         likewise
│   ├── TimedOut             timed_out
│   ├── StorageFull          storage_full
│   └── DaemonUnavailable    daemon_unavailable    nobody answers on the socket
├── ReadOnly                 read_only
├── ConfigInvalid            config_invalid
├── LogDamaged               log_damaged
├── StateDamaged             state_damaged
├── StorageFailed            storage_failed
├── Internal                 internal              a defect of the daemon
└── BadReply                 bad_reply             the peer does not speak this protocol
"""

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # the messages take longer to load than everything else a command needs before its first word
    from reverie.protocol.wire import ErrorBody


class ReverieError(Exception):
    default_code: ClassVar[str] = "unknown"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        hint: str | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.field = field
        self.hint = hint
        self.retryable = retryable


class Rejected(ReverieError):
    default_code = "invalid_request"


class InvalidRequest(Rejected):
    default_code = "invalid_request"


class UnknownOp(Rejected):
    default_code = "unknown_op"


class InvalidField(Rejected):
    default_code = "invalid_field"


class NotFound(Rejected):
    default_code = "not_found"


class WrongState(Rejected):
    default_code = "wrong_state"


class KeyConflict(Rejected):
    default_code = "key_conflict"


class TooLarge(Rejected):
    default_code = "too_large"


class HelloRequired(Rejected):
    default_code = "hello_required"


class UnsupportedProtocol(HelloRequired):
    default_code = "unsupported_protocol"


class Forbidden(Rejected):
    default_code = "forbidden"


class Unavailable(ReverieError):
    default_code = "busy"


class Busy(Unavailable):
    default_code = "busy"


class ShuttingDown(Unavailable):
    default_code = "shutting_down"


class TimedOut(Unavailable):
    default_code = "timed_out"


class StorageFull(Unavailable):
    default_code = "storage_full"


class DaemonUnavailable(Unavailable):
    default_code = "daemon_unavailable"


class ReadOnly(ReverieError):
    default_code = "read_only"


class ConfigInvalid(ReverieError):
    default_code = "config_invalid"


class LogDamaged(ReverieError):
    default_code = "log_damaged"


class StateDamaged(ReverieError):
    default_code = "state_damaged"


class StorageFailed(ReverieError):
    default_code = "storage_failed"


class Internal(ReverieError):
    default_code = "internal"


class BadReply(ReverieError):
    default_code = "bad_reply"


BY_CODE: dict[str, type[ReverieError]] = {
    error.default_code: error
    for error in (
        InvalidRequest, UnknownOp, InvalidField, NotFound, WrongState, KeyConflict, TooLarge, HelloRequired,
        UnsupportedProtocol, Forbidden, Busy, ShuttingDown, TimedOut, StorageFull, DaemonUnavailable, ReadOnly,
        ConfigInvalid, LogDamaged, StateDamaged, StorageFailed, Internal, BadReply,
    )
}  # fmt: skip


def error_from(body: "ErrorBody") -> ReverieError:
    kind = BY_CODE.get(body.code, ReverieError)
    return kind(body.message, code=body.code, field=body.field, hint=body.hint, retryable=body.retryable)
