"""One side of one conversation with the daemon: calls become frames, received bytes become answers. No I/O."""

from typing import Any, Generic, TypeVar

from msgspec import MsgspecError, Struct, msgpack
from msgspec.structs import replace

from reverie.errors import BadReply, InvalidField, TooLarge
from reverie.protocol.framing import FrameReader, FrameTooLarge, frame
from reverie.protocol.limits import PROTOCOL
from reverie.protocol.requests import Hello, Request
from reverie.protocol.results import EventView, Welcome
from reverie.protocol.wire import ErrorBody, Reply, decode_reply, encode_request

T = TypeVar("T")


class Call(Struct, Generic[T], frozen=True):
    """A question whose id is not given yet, and the type of its answer."""

    request: Request
    result: type[T]


class Answer(Struct, frozen=True):
    id: int
    value: Any


class Refusal(Struct, frozen=True):
    """`id` is None when the daemon refuses the connection rather than one request."""

    id: int | None
    error: ErrorBody


class Pushed(Struct, frozen=True):
    subscription: int
    event: EventView


Item = Answer | Refusal | Pushed

_decoders: dict[type[Any], msgpack.Decoder[Any]] = {}


def _decoder_of(result: type[Any]) -> msgpack.Decoder[Any]:
    decoder = _decoders.get(result)
    if decoder is None:
        decoder = _decoders[result] = msgpack.Decoder(result)
    return decoder


class ClientSession:
    def __init__(self, client_name: str, namespace: str) -> None:
        self._client_name = client_name
        self._namespace = namespace
        self._reader = FrameReader()
        self._last_id = 0
        self._awaited: dict[int, msgpack.Decoder[Any]] = {}
        # What the daemon said against its last answer, if anything.
        self.doubt: str | None = None

    def hello(self) -> tuple[int, bytes]:
        hello = Hello(id=0, protocol=PROTOCOL, client=self._client_name, namespace=self._namespace)
        return self.ask(Call(hello, Welcome))

    def ask(self, call: Call[Any]) -> tuple[int, bytes]:
        """The id that the answer will carry, and the frame to send."""
        self._last_id = number = self._last_id + 1
        try:
            data = frame(encode_request(replace(call.request, id=number)))
        except FrameTooLarge as error:
            raise TooLarge(str(error), hint="send fewer or shorter memories at a time") from error
        except (TypeError, OverflowError, UnicodeEncodeError) as error:
            raise InvalidField(f"this cannot be put into a message: {error}") from error
        self._awaited[number] = _decoder_of(call.result)
        return number, data

    def receive(self, data: bytes) -> list[Item]:
        try:
            return [self._item(decode_reply(body)) for body in self._reader.feed(data)]
        except (FrameTooLarge, MsgspecError, UnicodeDecodeError) as error:
            raise BadReply(f"the daemon sent what this client cannot read: {error}") from error

    def _item(self, reply: Reply) -> Item:
        if reply.event is not None and reply.id is not None:
            return Pushed(reply.id, reply.event)
        decoder = self._awaited.pop(reply.id, None) if reply.id is not None else None
        if reply.error is not None:
            return Refusal(reply.id, reply.error)
        if reply.id is None or decoder is None or not reply.result:
            raise BadReply(f"the daemon answered request {reply.id}, which is not open")
        self.doubt = reply.doubt
        return Answer(reply.id, decoder.decode(reply.result))
