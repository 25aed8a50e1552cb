"""A data export of Claude.ai: conversations.json, memories.json and projects.json."""

from collections.abc import Iterator
from typing import Any

from reverie.protocol.requests import Draft
from reverie.transfer.json_items import items
from reverie.transfer.markdown_blocks import blocks
from reverie.transfer.records import MIGRATION, Found, Item, Skipped, Unreadable, key_of, moment, name, pieces, sound
from reverie.transfer.sources import Source

NAME = "claude"
_SPEAKERS = {"human": "user", "assistant": "assistant"}


def detect(source: Source, head: str) -> bool:
    signs = ('"chat_messages"', '"conversations_memory"', '"project_memories"', '"prompt_template"')
    return head.lstrip().startswith(("[", "{")) and any(sign in head for sign in signs)


def read(source: Source) -> Iterator[Item]:
    number = 0
    try:
        for number, (_, record) in enumerate(items(source.stream), 1):
            yield from _items(f"{source.name} item {number}", sound(record))
    except Unreadable as error:
        yield Skipped(place=f"{source.name} after item {number}", reason=str(error))


def _items(place: str, record: Any) -> Iterator[Item]:
    if not isinstance(record, dict):
        yield Skipped(place=place, reason="neither a conversation nor a memory")
    elif isinstance(record.get("chat_messages"), list):
        yield from _conversation(place, record)
    elif "conversations_memory" in record or "project_memories" in record:
        yield from _memories(place, record)
    elif "prompt_template" in record or "docs" in record:
        yield from _project(place, record)
    else:
        yield Skipped(place=place, reason="neither a conversation, a memory nor a project")


def _conversation(place: str, record: dict[str, Any]) -> Iterator[Item]:
    for number, message in enumerate(record["chat_messages"], 1):
        where = f"{place} message {number}"
        if not isinstance(message, dict):
            yield Skipped(place=where, reason="not a message")
            continue
        text = _text(message)
        if not text.strip():
            yield Skipped(place=where, reason="a message without text", bad=False)
        for index, content in enumerate(pieces(text)):
            draft = Draft(
                content=content,
                source="conversation",
                source_ref=name(f"claude:{message.get('uuid')}"),
                speaker=_SPEAKERS.get(str(message.get("sender")), name(message.get("sender"))),
                session_id=name(record.get("uuid")),
                created_at=moment(message.get("created_at")) or moment(record.get("created_at")),
                metadata={"conversation": record["name"]} if record.get("name") else {},
            )
            yield Found(place=where, key=key_of(NAME, message.get("uuid"), number, index, content), draft=draft)


def _text(message: dict[str, Any]) -> str:
    """Newer exports hold the parts of a message in `content`, older ones have `text` alone."""
    parts = message.get("content")
    shown = [
        str(part["text"])
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and part.get("type", "text") == "text" and part.get("text")
    ]
    attached = message.get("attachments")
    files = [
        str(file["extracted_content"])
        for file in (attached if isinstance(attached, list) else [])
        if isinstance(file, dict) and file.get("extracted_content")
    ]
    return "\n\n".join([*(shown or [str(message.get("text") or "")]), *files])


def _memories(place: str, record: dict[str, Any]) -> Iterator[Item]:
    projects = record.get("project_memories")
    texts = {"": record.get("conversations_memory"), **(projects if isinstance(projects, dict) else {})}
    for project, text in texts.items():
        for block in blocks(str(text or "")):
            draft = Draft(
                content=block.text,
                title=block.title,
                source=MIGRATION,
                source_ref="claude:memory",
                metadata={NAME: {"project": project}} if project else {},
            )
            yield Found(place=f"{place}:{block.line}", key=key_of(NAME, project, block.text), draft=draft)


def _project(place: str, record: dict[str, Any]) -> Iterator[Item]:
    project = {"project": str(record.get("name") or record.get("uuid") or "")}
    docs = record.get("docs")
    texts = [("prompt", record.get("prompt_template")), ("description", record.get("description"))]
    texts += [
        (str(doc.get("filename")), doc.get("content"))
        for doc in (docs if isinstance(docs, list) else [])
        if isinstance(doc, dict)
    ]
    for what, text in texts:
        for index, content in enumerate(pieces(str(text or ""))):
            draft = Draft(
                content=content,
                kind="document" if what not in ("prompt", "description") else None,
                source=MIGRATION,
                source_ref=name(f"claude:{record.get('uuid')}/{what}"),
                created_at=moment(record.get("created_at")),
                metadata={NAME: project},
            )
            yield Found(
                place=f"{place} {what}", key=key_of(NAME, record.get("uuid"), what, index, content), draft=draft
            )
