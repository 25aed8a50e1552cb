"""What differs between two configurations, key by key, and which of it must wait for a restart."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from reveried.config.keys import every_key
from reveried.config.schema import Config


def changed(old: Config, new: Config) -> dict[str, list[Any]]:
    """Each key that differs with its old and its new value, ready to be written into an event."""
    pairs = {name: [_at(old, name), _at(new, name)] for name in every_key()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def needs_restart(keys: Iterable[str]) -> list[str]:
    known = every_key()
    return [name for name in keys if known[name].restart]


def _at(config: Config, name: str) -> Any:
    return to_builtins(attrgetter(name)(config))
