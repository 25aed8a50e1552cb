"""What passes between the daemon and the process that holds the model: a length, then MessagePack."""

import struct

import msgspec

HEADER = struct.Struct(">I")


class Given(msgspec.Struct):
    texts: list[str]


class Said(msgspec.Struct, omit_defaults=True):
    """That it is ready, the vectors of a batch, or the last words before its end."""

    ready: bool = False
    vectors: list[bytes] = []
    ended: str = ""


def framed(message: Given | Said) -> bytes:
    body = msgspec.msgpack.encode(message)
    return HEADER.pack(len(body)) + body
