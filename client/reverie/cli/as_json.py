"""Results as scripts see them: the wire's own fields, with every moment in ISO 8601."""

from typing import Any

from reverie.cli.times import iso

# What users and the config wrote is theirs: a number in it is not a moment of ours.
_FOREIGN = ("metadata", "values")


def with_iso_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _field(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_iso_times(inner) for inner in value]
    return value


def _field(name: str, value: Any) -> Any:
    if name in _FOREIGN:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and _is_moment(name):
        return iso(value)
    return with_iso_times(value)


def _is_moment(name: str) -> bool:
    return (
        name == "at"
        or name.endswith("_at")
        or name.startswith("valid_")
        or name in ("stale_since", "started", "finished", "scheduled", "next_run")
    )
