"""Each event's chain value covers the one before it and every column of its own but the payload."""

from hashlib import sha256
from typing import Final

import msgspec

GENESIS: Final = sha256(b"reverie event log 1").digest()

_encode = msgspec.msgpack.Encoder().encode


def link(
    previous: bytes,
    seq: int,
    at: int,
    type_: str,
    namespace: str,
    subject: int | None,
    actor: str,
    key: str | None,
    digest: bytes,
) -> bytes:
    return sha256(previous + _encode((seq, at, type_, namespace, subject, actor, key, digest))).digest()
