"""The fields above a note, as plain values; whatever a note has no need of is refused before it can cost anything."""

from typing import Any, Final

import yaml

DEEPEST: Final = 16


class NotFields(Exception):
    """The text above a note is not YAML, or is more than fields need."""


class _Loader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        # An alias of an alias of an alias is a few bytes here and gigabytes when it is written out.
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise NotFields("it holds an anchor or an alias")
        if getattr(event, "tag", None) not in (None, "!"):
            raise NotFields("it names the type of a value")
        if self.depth == DEEPEST:
            raise NotFields(f"it is nested deeper than {DEEPEST} levels")
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def fields_of(text: str) -> dict[Any, Any]:
    try:
        found = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two of dates and escapes out of range
        what = getattr(error, "problem", None) or str(error)
        raise NotFields(f"it is not YAML: {what}") from error
    return found if isinstance(found, dict) else {}
