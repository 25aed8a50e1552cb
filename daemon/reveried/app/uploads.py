"""Texts that are longer than a frame, while their parts come in. None survives a stop: the client begins anew."""

from collections import OrderedDict

from reveried.errors import InvalidField, WrongState

# A client that never finishes must not hold memory for good: the one that was idle longest gives way.
MAX_UPLOADS = 8
MAX_NAME = 64


class Uploads:
    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, str], dict[int, str]] = OrderedDict()

    def add(self, namespace: str, name: str, part: int, text: str, most: int) -> tuple[int, int]:
        """Keep a part, in the place of an earlier one with its number; how many there are, and their characters."""
        if not 1 <= len(name) <= MAX_NAME:
            raise InvalidField(f"upload has {len(name)} characters; it must have 1 to {MAX_NAME}", field="upload")
        parts = self._open.setdefault((namespace, name), {})
        self._open.move_to_end((namespace, name))
        while len(self._open) > MAX_UPLOADS:
            self._open.popitem(last=False)
        if not 0 <= part <= len(parts):
            raise WrongState(f"part {part} comes after {len(parts)} parts", field="part", hint="send them in order")
        length = len(text) + sum(len(known) for number, known in parts.items() if number != part)
        if length > most:
            del self._open[namespace, name]
            raise InvalidField(
                f"text has {length} characters so far; the limit is {most}",
                field="text",
                hint="split it, or raise ingest.max_length",
            )
        parts[part] = text
        return len(parts), length

    def whole(self, namespace: str, name: str, count: int) -> str:
        parts = self._open.get((namespace, name), {})
        if sorted(parts) != list(range(count)):
            raise WrongState(
                f"of this upload {len(parts)} parts are here, and {count} were announced",
                field="upload",
                hint="the daemon may have been restarted: send it again from the beginning",
            )
        return "".join(parts[number] for number in range(count))

    def forget(self, namespace: str, name: str) -> None:
        self._open.pop((namespace, name), None)
