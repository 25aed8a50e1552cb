"""A file becomes a whole Config or one ConfigInvalid that says where and why; nothing in between."""

import difflib
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.structs import FieldInfo, fields
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reveried.config.document import MAX_BYTES, Malformed, entries, is_empty, line_of, parse, plain
from reveried.config.keys import every_key, expects, section_of
from reveried.config.schedules import wrong_schedules
from reveried.config.schema import Config
from reveried.domain.recalling.ranking import wrong_profiles
from reveried.errors import ConfigInvalid

# Enough to mend a file in one go; a hostile file must not cost a search for each of its keys.
MAX_PROBLEMS: Final = 10
MAX_SHOWN: Final = 64

S = TypeVar("S", bound=Struct)


class Problem(Struct, frozen=True):
    what: str
    line: int | None = None
    key: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        named = f"{self.key}: {self.what}" if self.key else self.what
        return f"{named} (line {self.line})" if self.line else named


def load_file(path: Path) -> Config:
    """A missing file is a configuration of defaults."""
    try:
        with path.open("rb") as file:
            # One byte more than allowed shows that there is too much without reading it all.
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise _invalid(str(path), [Problem(f"cannot be read: {error.strerror}")]) from error
    return load(_decoded(data, path), str(path))


def load(text: str, source: str) -> Config:
    problems: list[Problem] = []
    try:
        config = _section(parse(text), Config, "", problems)
    except Malformed as error:
        raise _invalid(source, [Problem(error.what, error.line)]) from error
    problems += [
        Problem(f"not a schedule: {what}", key=f"jobs.{name}") for name, what in wrong_schedules(config.jobs).items()
    ]
    problems += [Problem(what, key=f"recall.{_shown(name)}") for name, what in wrong_profiles(config.recall).items()]
    if problems:
        raise _invalid(source, problems[:MAX_PROBLEMS])
    return config


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) > MAX_BYTES:
            # The cut may have split a character; the size is what is wrong.
            return data.decode("utf-8", "replace")
        line = data.count(b"\n", 0, error.start) + 1
        raise _invalid(str(path), [Problem("not UTF-8", line)]) from error


def _invalid(source: str, problems: list[Problem]) -> ConfigInvalid:
    hints = [problem.hint for problem in problems if problem.hint]
    return ConfigInvalid(
        f"{source}: {'; '.join(map(str, problems))}",
        field=problems[0].key,
        hint="; ".join(hints) or None,
    )


def _section(node: Node | None, shape: type[S], above: str, problems: list[Problem]) -> S:
    if node is None or is_empty(node):
        return shape()
    if not isinstance(node, MappingNode):
        what = f"expected a section of keys, got {_kind(node)}"
        problems.append(Problem(what, line_of(node), above.rstrip(".") or None))
        return shape()
    found = len(problems)
    values = _values(node, shape, above, problems)
    if len(problems) > found:
        return shape()
    try:
        return shape(**values)
    except ValueError as error:  # keys that are right one by one and contradict each other
        problems.append(Problem(str(error), line_of(node), above.rstrip(".") or None))
        return shape()


def _values(node: MappingNode, shape: type[Struct], above: str, problems: list[Problem]) -> dict[str, Any]:
    known = {field.name: field for field in fields(shape)}
    values: dict[str, Any] = {}
    seen: set[str] = set()
    for name, at, value in entries(node):
        if len(problems) >= MAX_PROBLEMS:
            break
        if name in seen:
            problems.append(Problem("stands twice", line_of(at), above + _shown(name)))
        elif name in known:
            values[name] = _value(value, known[name], above + name, problems)
        else:
            problems.append(_unknown(name, at, above, list(known)))
        seen.add(name)
    return values


def _value(node: Node, field: FieldInfo, key: str, problems: list[Problem]) -> Any:
    section = section_of(field)
    if section is not None:
        return _section(node, section, f"{key}.", problems)
    try:
        return convert(plain(node), field.type)
    except ValidationError as error:
        problems.append(Problem(_mismatch(str(error), field), line_of(node), key))
    except ValueError:
        problems.append(Problem(_unreadable(node), line_of(node), key))
    return None


def _mismatch(said: str, field: FieldInfo) -> str:
    """msgspec's words, except where it would show a pattern or leave out the choices."""
    expected = expects(field)
    return f"expected {expected}" if expected else said.replace("`", "").replace("Expected", "expected", 1)


def _unreadable(node: Node) -> str:
    kind = _kind(node)
    return "expected a decimal number" if kind in ("int", "float") else f"cannot be read as {kind}"


def _unknown(name: str, at: Node, above: str, siblings: list[str]) -> Problem:
    if not isinstance(at, ScalarNode):
        return Problem("a key must be a word", line_of(at), above.rstrip(".") or None)
    nearest = _nearest(name[:MAX_SHOWN], above, siblings)
    hint = f"did you mean {nearest}?" if nearest else None
    return Problem("unknown key", line_of(at), above + _shown(name), hint)


def _nearest(name: str, above: str, siblings: list[str]) -> str | None:
    """The right key in the wrong section, else the closest word in this section, else in any."""
    elsewhere = {key.rpartition(".")[2]: key for key in every_key()}
    here = {sibling: above + sibling for sibling in siblings}
    for known, cutoff in ((elsewhere, 1.0), (here, 0.6), (elsewhere, 0.6)):
        if close := difflib.get_close_matches(name, known, n=1, cutoff=cutoff):
            return known[close[0]]
    return None


def _shown(name: str) -> str:
    """A key as it may stand in a message: short, and unable to forge a line of the log."""
    short = name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…"
    return short if short.isprintable() and short else ascii(short)


def _kind(node: Node) -> str:
    match node:
        case MappingNode():
            return "a section"
        case SequenceNode():
            return "a list"
    return str(node.tag).rpartition(":")[2]
