"""Events as salted JSON, digests that survive erasure, and fields that can be redacted without breaking them.

The salt is part of the payload and leaves with it, so a digest that stays behind tells nothing about the words.
A redactable field carries a salt of its own, and the digest covers only its hash: replacing the words by that hash
later leaves the digest as it was.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from reveried.domain.events import EVENTS, Event, MemoryMerged, MemoryRecalled
from reveried.errors import LogDamaged

SALT_BYTES = 16
REDACTABLE = {MemoryRecalled.type: "query", MemoryMerged.type: "added"}

# What reading damaged JSON can end in; msgspec.DecodeError is a ValueError.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_encoder = msgspec.json.Encoder()
_decoders = {tag: msgspec.json.Decoder(event) for tag, event in EVENTS.items()}


class Sealed(msgspec.Struct, frozen=True):
    payload: bytes
    digest: bytes


def seal(event: Event, salt: bytes) -> Sealed:
    """The stored form of an event. `salt` must be fresh random bytes, `SALT_BYTES` of them."""
    field = REDACTABLE.get(event.type)
    if field is not None:
        return _sealed_redactable(event, field, salt)
    payload = _spliced(b'"salt":"' + salt.hex().encode() + b'"', _encoder.encode(event))
    return Sealed(payload, sha256(payload).digest())


def _sealed_redactable(event: Event, field: str, salt: bytes) -> Sealed:
    fields: dict[str, Any] = {"salt": salt.hex(), **msgspec.to_builtins(event)}
    fields[field] = {"salt": os.urandom(SALT_BYTES).hex(), "text": fields[field]}
    payload = _encoder.encode(fields)
    return Sealed(payload, sha256(_encoder.encode(_bare(fields, field))).digest())


def digest_of(type_: str, payload: bytes) -> bytes:
    field = REDACTABLE.get(type_)
    return sha256(payload if field is None else _skeleton(payload, field)).digest()


def unseal(type_: str, payload: bytes | None) -> Event | None:
    if payload is None:
        return None
    decoder = _decoders.get(type_)
    if decoder is None:
        raise LogDamaged(
            f"the log holds an event of type {type_!r}, which this version does not know",
            hint="install the version that wrote it; an event is never skipped",
        )
    field = REDACTABLE.get(type_)
    try:
        return decoder.decode(payload) if field is None else msgspec.convert(_plain(payload, field), EVENTS[type_])
    except UNREADABLE as error:
        raise LogDamaged(f"the payload of a {type_} event cannot be read: {error}") from error


def redact(type_: str, payload: bytes) -> bytes:
    """The payload with its redactable field replaced by that field's hash; the digest does not change."""
    return _skeleton(payload, REDACTABLE[type_])


def redactable_text(type_: str, payload: bytes) -> str | None:
    value = msgspec.json.decode(payload)[REDACTABLE[type_]]
    return str(value["text"]) if "text" in value else None


def readable(type_: str, payload: bytes | None) -> dict[str, Any] | None:
    """The payload as a client sees it: without salts."""
    if payload is None:
        return None
    field = REDACTABLE.get(type_)
    try:
        fields: dict[str, Any] = msgspec.json.decode(payload) if field is None else _plain(payload, field)
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # msgspec.DecodeError is a ValueError
        raise LogDamaged(f"the payload of a {type_} event cannot be read: {error}") from error
    fields.pop("salt", None)
    fields.pop("request", None)
    return fields


def texts_in(payload: bytes | None) -> Iterator[str]:
    """Every string, also the salt: where that is left, the rest may be too."""
    values = [msgspec.json.decode(payload)] if payload else []
    while values:
        match values.pop():
            case str(text):
                yield text
            case list(some):
                values += some
            case dict(fields):
                values += [*fields, *fields.values()]


def _spliced(first: bytes, body: bytes) -> bytes:
    return b"{" + first + (b"}" if body == b"{}" else b"," + body[1:])


def _skeleton(payload: bytes, field: str) -> bytes:
    return _encoder.encode(_bare(msgspec.json.decode(payload), field))


def _bare(fields: dict[str, Any], field: str) -> dict[str, Any]:
    """With the hash of the redactable field instead of its words: what the digest covers, before and after."""
    value = fields[field]
    if "text" not in value:
        return fields
    return {**fields, field: {"sha256": sha256((value["salt"] + value["text"]).encode()).hexdigest()}}


def _plain(payload: bytes, field: str) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(payload)
    fields[field] = fields[field].get("text", "")
    return fields
