"""ChatGPT's data export: conversations.json, each conversation a tree of messages of which one branch is shown."""

from collections.abc import Iterator
from typing import Any

from reverie.protocol.requests import Draft
from reverie.transfer.json_items import items
from reverie.transfer.records import Found, Item, Skipped, Unreadable, key_of, moment, name, pieces, sound, table
from reverie.transfer.sources import Source

NAME = "chatgpt"
_SPEAKERS = ("user", "assistant")
_SHOWN = ("text", "multimodal_text", "code", "user_editable_context")


def detect(source: Source, head: str) -> bool:
    return head.lstrip().startswith(("[", "{")) and '"mapping"' in head


def read(source: Source) -> Iterator[Item]:
    number = 0
    try:
        for number, (_, record) in enumerate(items(source.stream, "conversations"), 1):
            yield from _conversation(f"{source.name} conversation {number}", sound(record))
    except Unreadable as error:
        yield Skipped(place=f"{source.name} after conversation {number}", reason=str(error))


def _conversation(place: str, record: Any) -> Iterator[Item]:
    mapping = record.get("mapping") if isinstance(record, dict) else None
    if not isinstance(mapping, dict):
        yield Skipped(place=place, reason="a conversation without `mapping`")
        return
    shown = _branch(mapping, record.get("current_node"))
    for number, node in enumerate(shown, 1):
        yield from _message(f"{place} message {number}", node, record)
    written = sum(1 for node in mapping.values() if isinstance(node, dict) and node.get("message"))
    if aside := written - sum(1 for node in shown if node.get("message")):
        yield Skipped(place=place, reason=f"{aside} messages of branches that were edited away", bad=False)


def _branch(mapping: dict[str, Any], current: Any) -> list[dict[str, Any]]:
    """From the first message to the one shown last; without that, the newest child is followed down from the root."""
    at = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    branch: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in mapping and at not in seen:
        seen.add(at)
        node = mapping[at]
        if not isinstance(node, dict):
            break
        branch.append({"id": at, **node})
        at = node.get("parent")
    return branch[::-1]


def _newest_leaf(mapping: dict[str, Any]) -> str | None:
    leaves = [at for at, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
    return leaves[-1] if leaves else None


def _message(place: str, node: dict[str, Any], record: dict[str, Any]) -> Iterator[Item]:
    message = node.get("message")
    if not isinstance(message, dict):
        return  # the root, and nodes that only join others
    author, content = table(message.get("author")), table(message.get("content"))
    role, kind = str(author.get("role")), str(content.get("content_type"))
    hidden = table(message.get("metadata")).get("is_visually_hidden_from_conversation")
    if role not in _SPEAKERS or kind not in _SHOWN or (hidden and kind != "user_editable_context"):
        yield Skipped(place=place, reason=f"{'hidden ' if hidden else ''}{role} message of type {kind}", bad=False)
        return
    text = _text(content)
    if not text.strip():
        yield Skipped(place=place, reason="a message without text", bad=False)
    for index, piece in enumerate(pieces(text)):
        draft = Draft(
            content=piece,
            source="conversation",
            source_ref=name(f"chatgpt:{message.get('id') or node['id']}"),
            speaker=role,
            session_id=name(record.get("conversation_id") or record.get("id")) or _session(record),
            # Exports have left either time out.
            created_at=moment(message.get("create_time")) or moment(record.get("create_time")),
            metadata={"conversation": record["title"]} if record.get("title") else {},
        )
        yield Found(place=place, key=key_of(NAME, message.get("id") or node["id"], index, piece), draft=draft)


def _session(record: dict[str, Any]) -> str:
    """Old exports give a conversation no id: its messages still belong together."""
    return key_of(NAME, record.get("title"), record.get("create_time"), *sorted(record["mapping"])[:1])


def _text(content: dict[str, Any]) -> str:
    if content.get("content_type") == "user_editable_context":
        return "\n\n".join(str(content[field]) for field in ("user_profile", "user_instructions") if content.get(field))
    if isinstance(content.get("text"), str):
        return str(content["text"])
    parts = content.get("parts")
    return "\n\n".join(text for part in (parts if isinstance(parts, list) else []) if (text := _part(part)))


def _part(part: Any) -> str:
    """Words, or the words of a recording; pictures have none."""
    if isinstance(part, dict):
        return str(part.get("text") or "")
    return part if isinstance(part, str) else ""
