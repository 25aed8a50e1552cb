"""Checks the shape of a MessagePack body before anything decodes it.

A megabyte of empty maps decodes to 74 MB of objects; deep nesting breaks recursive decoders. This walk is
iterative, allocates nothing per value, and stops at the first limit it meets.
"""

from reverie.protocol.limits import MAX_ARRAY, MAX_DEPTH, MAX_MAP, MAX_NODES


class BadShape(ValueError):
    """The body is not MessagePack, or larger in structure than the protocol allows."""


# Lead byte -> bytes of payload that follow, for values of a fixed size.
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_FIXED |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
# Lead byte -> width of the length that follows, for strings and byte strings.
_SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}


def check_shape(body: bytes) -> None:
    """Raise `BadShape` unless the body is one MessagePack value within the limits."""
    end = len(body)
    at = 0
    nodes = 0
    remaining = [1]  # values still to come at each open level
    while remaining:
        if remaining[-1] == 0:
            remaining.pop()
            continue
        remaining[-1] -= 1
        nodes += 1
        if nodes > MAX_NODES:
            raise BadShape(f"more than {MAX_NODES} values in one frame")
        if at >= end:
            raise BadShape("the message ends in the middle of a value")
        lead = body[at]
        at += 1
        if lead <= 0x7F or lead >= 0xE0:
            continue
        if 0xA0 <= lead <= 0xBF:
            at += lead & 0x1F
        elif lead <= 0x9F or lead in _ARRAYS or lead in _MAPS:
            count, at = _children(body, lead, at)
            if count:
                if len(remaining) >= MAX_DEPTH:
                    raise BadShape(f"nested deeper than {MAX_DEPTH} levels")
                remaining.append(count)
        elif lead in _FIXED:
            at += _FIXED[lead]
        elif lead in _SIZED:
            width = _SIZED[lead]
            at += width + int.from_bytes(body[at : at + width], "big")
        else:
            raise BadShape(f"byte 0x{lead:02x} is not a value this protocol uses")
        if at > end:
            raise BadShape("the message ends in the middle of a value")
    if at != end:
        raise BadShape(f"{end - at} bytes follow the message")


def _children(body: bytes, lead: int, at: int) -> tuple[int, int]:
    """How many values a container holds, and where they begin."""
    is_map = lead <= 0x8F or lead in _MAPS
    if lead <= 0x9F:
        count = lead & 0x0F
    else:
        width = _MAPS[lead] if is_map else _ARRAYS[lead]
        if at + width > len(body):
            raise BadShape("the message ends in the middle of a value")
        count = int.from_bytes(body[at : at + width], "big")
        at += width
    limit, noun = (MAX_MAP, "map") if is_map else (MAX_ARRAY, "array")
    if count > limit:
        raise BadShape(f"{noun} of {count} entries is over the limit of {limit}")
    return (count * 2 if is_map else count), at
