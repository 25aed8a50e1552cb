"""The example file is written from the schema, so it cannot promise a key or a default that is not there."""

import sys
from collections.abc import Iterator
from textwrap import indent
from typing import Any

import yaml
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

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
            yield f"\n# {_title(field)}\n{field.name}:\n{indent(body, '  ')}"


def _title(field: FieldInfo) -> str:
    text = (meta_of(field).description or "").rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _setting(key: Key, name: str) -> str:
    return f"# {_explained(key)}\n{name}: {written(key.default)}\n"


def written(value: Any) -> str:
    """A value as it stands in the file, on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=1_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _explained(key: Key) -> str:
    accepted = f"{key.accepts} {key.unit}".strip()
    parts = [f"{key.description}.", f"{accepted[0].upper()}{accepted[1:]}." if accepted else ""]
    return " ".join([*filter(None, parts), *(["(restart)"] if key.restart else [])])


if __name__ == "__main__":
    sys.stdout.write(example())
