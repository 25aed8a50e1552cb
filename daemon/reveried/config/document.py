"""Text becomes YAML nodes here, and whatever a configuration has no need of is refused before it can cost anything."""

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

MAX_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
# 256 KiB of "1," would keep the parser busy for seconds.
MAX_NODES: Final = 10_000
_CORE: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = {None, "!", *(_CORE + name for name in ("str", "int", "float", "bool", "null", "map", "seq"))}
# YAML 1.1 reads 010 as eight and 1:30 as ninety; a person means neither.
_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9_]*)\Z")


class Malformed(Exception):
    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line


def parse(text: str) -> Node | None:
    """The root of the only document in `text`, None where there is nothing but comments."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Malformed(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        return _compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(filter(None, (error.context, error.problem))) or "not YAML"
        raise Malformed(what, mark.line + 1 if mark else None) from error
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Malformed("holds a character that YAML does not allow", line) from error


def entries(node: MappingNode) -> Iterator[tuple[str, Node, Node]]:
    """Each pair as (key, key node, value node). A merge key is a key like any other, so it merges nothing."""
    for key, value in node.value:
        yield (key.value if isinstance(key, ScalarNode) else "?"), key, value


def is_empty(node: Node | None) -> bool:
    """Nothing was written, as in a section whose keys are all commented out."""
    return node is None or (isinstance(node, ScalarNode) and node.tag == _CORE + "null")


def line_of(node: Node) -> int:
    return int(node.start_mark.line) + 1


def plain(node: Node) -> Any:
    """The Python value of a node. Raises ValueError where it has none."""
    match node:
        case ScalarNode():
            return _scalar(node)
        case SequenceNode():
            return [plain(item) for item in node.value]
        case MappingNode():
            return _mapping(node)
    raise ValueError("not a value")


class _Loader(yaml.SafeLoader):
    depth = 0
    nodes = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _refused("anchors and aliases are not allowed", event)
        if getattr(event, "tag", None) not in _PLAIN_TAGS:
            raise _refused("this tag is not allowed", event)
        if self.depth == MAX_DEPTH:
            raise _refused(f"nested deeper than {MAX_DEPTH} levels", event)
        if self.nodes == MAX_NODES:
            raise _refused(f"holds more than {MAX_NODES} keys and values", event)
        self.nodes += 1
        self.depth += 1
        node: Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _compose(text: str) -> Node | None:
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    except (ValueError, OverflowError) as error:
        # PyYAML hands escapes such as "\UFFFFFFFF" and endless %YAML versions to chr() and int() unchecked.
        raise Malformed("holds a number or escape out of range", loader.line + 1) from error
    finally:
        loader.dispose()


def _refused(what: str, event: yaml.Event) -> Malformed:
    return Malformed(what, event.start_mark.line + 1 if event.start_mark else None)


def _mapping(node: MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, _, value in entries(node):
        if name in found:
            raise ValueError(f"{name!r} stands twice")
        found[name] = plain(value)
    return found


def _scalar(node: ScalarNode) -> Any:
    text: str = node.value
    match node.tag.removeprefix(_CORE):
        case "null":
            return None
        case "bool":
            return _bool(text)
        case "int":
            return _int(text)
        case "float":
            return float(text)
    text.encode("utf-8")
    return text


def _bool(text: str) -> bool:
    value = yaml.SafeLoader.bool_values.get(text.lower())
    if value is None:
        raise ValueError("not a bool")
    return value


def _int(text: str) -> int:
    if not _DECIMAL.match(text):
        raise ValueError("not a decimal number")
    return int(text)
