"""A size is whole bytes, written plainly or with a unit: KB, MB, GB step by 1000 and KiB, MiB, GiB by 1024."""

import re
from typing import Annotated, Final

from msgspec import Meta

UNITS: Final = {
    "": 1,
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1024,
    "MiB": 1024**2,
    "GiB": 1024**3,
}
MAX_NUMBER: Final = 10**15 - 1
PATTERN: Final = r"^([0-9]{1,15}) ?(|B|KB|MB|GB|KiB|MiB|GiB)\Z"
EXPECTED: Final = "a size such as 64MB, 64 MiB or a number of bytes"

Size = Annotated[str, Meta(pattern=PATTERN)] | Annotated[int, Meta(ge=0, le=MAX_NUMBER)]


def parse_size(text: str | int) -> int:
    """Bytes. Raises ValueError for what is not a size."""
    if isinstance(text, int):
        return text
    found = re.match(PATTERN, text)
    if found is None:
        raise ValueError(f"{text!r} is not {EXPECTED}")
    return int(found[1]) * UNITS[found[2]]
