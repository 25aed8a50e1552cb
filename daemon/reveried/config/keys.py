"""The schema as a flat list of dotted keys, so that loading, examples, docs and reloads agree on what can be set."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo, fields

from reveried.config.schema import Config


class Key(Struct, frozen=True):
    name: str
    default: Any
    description: str
    unit: str
    accepts: str
    restart: bool


@cache
def every_key() -> dict[str, Key]:
    return {key.name: key for key in _keys_of(Config, "")}


def section_of(field: FieldInfo) -> type[Struct] | None:
    """The struct behind a field that is a section, None for a field that is a value."""
    shape = _bare(field)
    return shape if isinstance(shape, type) and issubclass(shape, Struct) else None


def meta_of(field: FieldInfo) -> Meta:
    """Everything the notes on a field say, those of the type it builds on included."""
    said: dict[str, Any] = {}
    for note in get_args(field.type)[1:]:
        if isinstance(note, Meta):
            said |= {name: value for name in _SAID if (value := getattr(note, name)) is not None}
    return Meta(**said)


_SAID = ("ge", "gt", "le", "lt", "pattern", "description", "extra")


def expects(field: FieldInfo) -> str | None:
    """In words, what a field takes that is neither any value of its type nor a range."""
    shape = _bare(field)
    if get_origin(shape) is Literal:
        return f"one of {', '.join(get_args(shape))}"
    if said := (meta_of(field).extra or {}).get("expects"):
        return str(said)
    if get_origin(shape) is tuple:
        return f"a list of {len(get_args(shape))} numbers"
    return {bool: "true or false", dict: "names, each with a number"}.get(get_origin(shape) or shape)


def _bare(field: FieldInfo) -> Any:
    return get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type


def _range_of(meta: Meta) -> str:
    low = meta.gt if meta.ge is None else meta.ge
    high = meta.lt if meta.le is None else meta.le
    if low is None:
        return ""
    edge = "above " if meta.ge is None else ""
    if high is None:
        return f"{edge or 'at least '}{low}"
    return f"{edge}{low} {'to' if meta.lt is None else 'to below'} {high}"


def _keys_of(shape: type[Struct], above: str) -> Iterator[Key]:
    for field in fields(shape):
        section = section_of(field)
        if section is not None:
            yield from _keys_of(section, f"{above}{field.name}.")
        else:
            yield _key(field, above)


def _default_of(field: FieldInfo) -> Any:
    made = field.default_factory() if field.default_factory is not NODEFAULT else field.default
    return list(made) if isinstance(made, tuple) else made


def _key(field: FieldInfo, above: str) -> Key:
    meta = meta_of(field)
    extra = meta.extra or {}
    return Key(
        name=above + field.name,
        default=_default_of(field),
        description=_sentence(meta.description or ""),
        unit=extra.get("unit", ""),
        accepts=expects(field) or _range_of(meta),
        restart=extra.get("restart", False),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
