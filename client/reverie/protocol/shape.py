"""Checks the shape of a MessagePack body before anything decodes it.

A megabyte of empty maps decodes to 74 MB of objects; deep nesting breaks recursive decoders. This walk is
iterative, allocates nothing per value, and stops at the first limit it meets.
"""

from reverie.protocol.limits import MAX_ARRAY, MAX_DEPTH, MAX_MAP, MAX_NODES


class BadShape(ValueError):
    """The body is not MessagePack, or larger in structure than the protocol allows."""


_NULLS_AND_NUMBERS = {0xC0: 1, 0xC2: 1, 0xC3: 1, 0xCA: 5, 0xCB: 9, 0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9}
_NULLS_AND_NUMBERS |= {0xD0: 2, 0xD1: 3, 0xD2: 5, 0xD3: 9}
# Lead byte -> width of the length that follows, for strings and byte strings, arrays and maps.
_STRINGS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_CUT_SHORT = "the message ends in the middle of a value"


def _size_of(lead: int) -> int:
    """How many bytes a value takes that tells so by its first; 0 for all others."""
    if lead <= 0x7F or lead >= 0xE0:
        return 1
    if 0xA0 <= lead <= 0xBF:
        return 1 + (lead & 0x1F)
    return _NULLS_AND_NUMBERS.get(lead, 0)


_SIZES = [_size_of(lead) for lead in range(256)]


def check_shape(body: bytes) -> None:
    """Raise `BadShape` unless the body is one MessagePack value within the limits."""
    sizes = _SIZES
    end = len(body)
    at = 0
    nodes = left = 1  # values still to come at this level
    above: list[int] = []  # and at those around it
    while left or above:
        if not left:
            left = above.pop()
            continue
        left -= 1
        if at >= end:
            raise BadShape(_CUT_SHORT)
        lead = body[at]
        size = sizes[lead]
        if size:
            at += size
        elif lead in _STRINGS:
            at += _string_size(body, lead, at)
        else:
            count, at = _children(body, lead, at)
            nodes += count
            if nodes > MAX_NODES:
                raise BadShape(f"more than {MAX_NODES} values in one frame")
            if count:
                if len(above) + 1 > MAX_DEPTH:
                    raise BadShape(f"nested deeper than {MAX_DEPTH} levels")
                above.append(left)
                left = count
    if at != end:
        raise BadShape(_CUT_SHORT if at > end else f"{end - at} bytes follow the message")


def _string_size(body: bytes, lead: int, at: int) -> int:
    width = _STRINGS[lead]
    return 1 + width + int.from_bytes(body[at + 1 : at + 1 + width], "big")


def _children(body: bytes, lead: int, at: int) -> tuple[int, int]:
    """How many values a container holds, and where they begin."""
    is_map = lead <= 0x8F or lead in _MAPS
    width = 0 if lead <= 0x9F else (_MAPS if is_map else _ARRAYS).get(lead)
    if width is None:
        raise BadShape(f"byte 0x{lead:02x} is not a value this protocol uses")
    start = at + 1 + width
    if start > len(body):
        raise BadShape(_CUT_SHORT)
    count = int.from_bytes(body[at + 1 : start], "big") if width else lead & 0x0F
    limit, noun = (MAX_MAP, "map") if is_map else (MAX_ARRAY, "array")
    if count > limit:
        raise BadShape(f"{noun} of {count} entries is over the limit of {limit}")
    return (count * 2 if is_map else count), start
