"""Bytes to frames and back: a 4-byte big-endian length, then that many bytes of MessagePack.

Any chunking of the same bytes gives the same frames.
"""

from reverie.protocol.limits import MAX_FRAME

HEADER = 4


class FrameTooLarge(ValueError):
    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"frame of {size} bytes is over the limit of {limit}")
        self.size = size
        self.limit = limit


def frame(body: bytes) -> bytes:
    if len(body) > MAX_FRAME:
        raise FrameTooLarge(len(body), MAX_FRAME)
    return len(body).to_bytes(HEADER, "big") + body


class FrameReader:
    """Collects bytes and hands out whole frames; refuses a length over the limit before reading its body."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        if not self._buffer and len(data) >= HEADER and len(data) - HEADER == int.from_bytes(data[:HEADER], "big"):
            if len(data) - HEADER > self._limit:
                raise FrameTooLarge(len(data) - HEADER, self._limit)
            return [data[HEADER:]]  # nearly always one whole frame arrives at once
        buffer = self._buffer
        buffer += data
        frames: list[bytes] = []
        start, end = 0, len(buffer)
        while end - start >= HEADER:
            size = int.from_bytes(buffer[start : start + HEADER], "big")
            if size > self._limit:
                del buffer[:start]
                raise FrameTooLarge(size, self._limit)
            if end - start - HEADER < size:
                break
            frames.append(bytes(buffer[start + HEADER : start + HEADER + size]))
            start += HEADER + size
        del buffer[:start]
        return frames

    @property
    def waiting_for(self) -> str | None:
        """``"header"`` or ``"body"`` while a frame is incomplete, else None."""
        if not self._buffer:
            return None
        return "header" if len(self._buffer) < HEADER else "body"
