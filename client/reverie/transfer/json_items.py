"""The items of a large JSON list one after the other, without ever holding the whole text."""

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from reverie.transfer.records import Unreadable

CHUNK = 64 * 1024
MAX_ITEM = 64 * 1024 * 1024
_SPACE = " \t\r\n\ufeff"


class JsonText:
    """A cursor over a JSON text. It reads more whenever a value breaks off at the end of what it has."""

    def __init__(self, stream: BinaryIO) -> None:
        stream.seek(0)
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not space; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more(CHUNK):
                return ""

    def take(self, expected: str) -> str:
        found = self.peek()
        if not found or found not in expected:
            what = f"{found!r}" if found else "the end"
            raise Unreadable(f"expected one of {' '.join(expected)} but found {what}")
        self._at += 1
        return found

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = self._parse(self._text, self._at)
            except (ValueError, RecursionError) as error:
                # Twice as much each time, so that a long value is not parsed again for every chunk of it.
                if len(self._text) - self._at > MAX_ITEM or not self._more(max(CHUNK, len(self._text) - self._at)):
                    raise Unreadable(f"not JSON: {error}") from error
                continue
            if end == len(self._text) and self._more(CHUNK):
                continue  # a number may go on
            self._at = end
            return value

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        data = self._stream.read(size)
        self._ended = not data
        self._text = self._text[self._at :] + self._decode(data, final=self._ended)
        self._at = 0
        return True


def items(stream: BinaryIO, *lists: str) -> Iterator[tuple[str, Any]]:
    """The items of the list that the text is, or of its fields `lists`, each with the name of its list.

    Where no field is named, a text that is one object is its own only item.
    """
    text = JsonText(stream)
    if text.peek() == "[":
        yield from _listed(text, "")
        return
    if not lists:
        yield "", text.value()
        return
    text.take("{")
    while text.peek() != "}":
        name = text.value()
        text.take(":")
        if name in lists and text.peek() == "[":
            yield from _listed(text, str(name))
        else:
            text.value()
        if text.take(",}") == "}":
            return


def _listed(text: JsonText, name: str) -> Iterator[tuple[str, Any]]:
    text.take("[")
    while text.peek() != "]":
        yield name, text.value()
        if text.take(",]") == "]":
            return
    text.take("]")
