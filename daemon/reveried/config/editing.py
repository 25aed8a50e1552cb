"""One key of a configuration file set, and every other character of it left as it was."""

import re

from reveried.errors import ConfigInvalid

_INDENT = "  "
# Nothing, a quoted text, or plain words; a comment begins with a space and a hash.
_VALUE = r"""(?:\s+(?:'[^']*'|"[^"]*"|[^\s#'"](?:[^#]|(?<=\S)#)*?))?"""


def with_value(text: str, section: str, key: str, value: str) -> str:
    """`value` is written as it stands, so it must be YAML. A section written on one line is for its owner to change."""
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if re.match(rf"{section}\s*:", line)), None)
    if at is None:
        before = [*lines, ""] if lines and lines[-1].strip() else lines
        return _joined([*before, f"{section}:", f"{_INDENT}{key}: {value}"])
    if re.fullmatch(rf"{section}\s*:\s*(#.*)?", lines[at]) is None:
        raise ConfigInvalid(
            f"line {at + 1}: the section {section} is written on one line",
            hint=f"put `{key}: {value}` between its braces by hand",
        )
    return _joined(_set_below(lines, at, key, value))


def _set_below(lines: list[str], at: int, key: str, value: str) -> list[str]:
    block = _block(lines, at)
    keys = [number for number in block if re.match(r"\s+[^\s#]", lines[number])]
    indent = lines[keys[0]][: -len(lines[keys[0]].lstrip())] if keys else _INDENT
    for number in keys:
        if found := re.fullmatch(rf"{indent}{key}\s*:{_VALUE}(\s+#.*)?\s*", lines[number]):
            return [*lines[:number], f"{indent}{key}: {value}{found[1] or ''}", *lines[number + 1 :]]
    return [*lines[: at + 1], f"{indent}{key}: {value}", *lines[at + 1 :]]


def _block(lines: list[str], at: int) -> list[int]:
    """The numbers of the lines below a section's own, up to the next section."""
    found = []
    for number in range(at + 1, len(lines)):
        if re.match(r"[^\s#]", lines[number]):
            break
        found.append(number)
    return found


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
