"""YAML as people write it: plain values. Whatever could cost more than its length, or names a type, is refused."""

from typing import Any, Final

import yaml

DEEPEST: Final = 16


class NotPlain(Exception):
    """The text is not YAML, or more than plain values need; the message completes "it …"."""


class _Loader(yaml.SafeLoader):
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        # An alias of an alias of an alias is a few bytes here and gigabytes when it is written out.
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise NotPlain("it holds an anchor or an alias")
        if getattr(event, "tag", None) not in (None, "!"):
            raise NotPlain("it names the type of a value")
        if self.depth == DEEPEST:
            raise NotPlain(f"it is nested deeper than {DEEPEST} levels")
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def values_in(text: str) -> Any:
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two of dates and escapes out of range
        what = getattr(error, "problem", None) or str(error)
        raise NotPlain(f"it is not YAML: {what}") from error
