"""The example file is written from the schema, so it cannot promise a key or a default that is not there."""

import sys
from collections.abc import Iterator
from textwrap import indent

import yaml
from msgspec import Struct, to_builtins
from msgspec.structs import fields

from reveried.config.keys import Key, every_key, meta_of, section_of
from reveried.config.schema import Config

_HEAD = """\
# Configuration of Reverie: every key, each with its default. Keep only the lines that you change.
# The file is read again whenever it is saved; keys marked (restart) wait for the next start.
"""


def example() -> str:
    return _HEAD + "".join(_sections(Config, ""))


def _sections(shape: type[Struct], above: str) -> Iterator[str]:
    for field in fields(shape):
        name = above + field.name
        section = section_of(field)
        if section is None:
            yield _setting(every_key()[name], field.name)
        else:
            body = "".join(_sections(section, f"{name}."))
            yield f"\n# {meta_of(field).description}\n{field.name}:\n{indent(body, '  ')}"


def _setting(key: Key, name: str) -> str:
    default = to_builtins(key.default)
    inline = None if isinstance(default, list | tuple | dict) else False
    value = yaml.safe_dump({name: default}, default_flow_style=inline, width=100, sort_keys=False)
    return f"# {_explained(key)}\n{value}"


def _explained(key: Key) -> str:
    accepted = f"{key.accepts} {key.unit}".strip()
    parts = [f"{key.description}.", f"{accepted[0].upper()}{accepted[1:]}." if accepted else ""]
    return " ".join([*filter(None, parts), *(["(restart)"] if key.restart else [])])


if __name__ == "__main__":
    sys.stdout.write(example())
