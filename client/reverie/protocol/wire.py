"""The envelope of every message from the daemon, and the two codecs."""

from msgspec import Raw, Struct, msgpack

from reverie.protocol.requests import Request
from reverie.protocol.results import EventView


class ErrorBody(Struct, kw_only=True, omit_defaults=True):
    """A refusal that says what was wrong, where, and what to do about it."""

    code: str
    message: str
    field: str | None = None
    hint: str | None = None
    retryable: bool = False


class Reply(Struct, kw_only=True, omit_defaults=True):
    """Answers request `id`; with `event` set it is one event of subscription `id` instead. `doubt` says why
    the result may not be the last word."""

    id: int | None = None
    ok: bool | None = None
    result: Raw = Raw()
    error: ErrorBody | None = None
    event: EventView | None = None
    doubt: str | None = None


_encoder = msgpack.Encoder()
_reply_decoder = msgpack.Decoder(Reply)


def encode_request(request: Request) -> bytes:
    return _encoder.encode(request)


def decode_reply(body: bytes) -> Reply:
    return _reply_decoder.decode(body)
