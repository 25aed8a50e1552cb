"""Claude.ai and ChatGPT: conversations become memories with a speaker, a session and a time."""

import json
from pathlib import Path
from typing import Any

from unit.transfer.reading import found_in, looks_like, skipped_in, written


def _node(
    id_: str, parent: str | None, children: list[str], role: str = "", text: Any = "", **more: Any
) -> dict[str, Any]:
    message = {
        "id": id_, "author": {"role": role, "name": None, "metadata": {}}, "create_time": 1_700_000_000.5,
        "content": {"content_type": "text", "parts": [text]}, "metadata": {}, **more,
    }  # fmt: skip
    return {"id": id_, "parent": parent, "children": children, "message": message if role else None}


def _chat(**more: Any) -> dict[str, Any]:
    nodes = [
        _node("root", None, ["sys"]),
        _node("sys", "root", ["u1"], "system", "", metadata={"is_visually_hidden_from_conversation": True}),
        _node("u1", "sys", ["a0", "a1"], "user", "Where is Kyōto? 京都"),
        _node("a0", "u1", [], "assistant", "a first answer, regenerated"),
        _node("a1", "u1", ["t1"], "assistant", "In Japan."),
        _node("t1", "a1", ["u2"], "tool", "search results"),
        _node(
            "u2", "t1", [], "user", create_time=None,
            content={"content_type": "multimodal_text", "parts": [
                {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
                {"content_type": "audio_transcription", "text": "and Nara?"}, "half \ud83d",
            ]},
        ),
    ]  # fmt: skip
    mapping = {node["id"]: node for node in nodes}
    return {"title": "Cities", "create_time": 1_600_000_000, "mapping": mapping, "current_node": "u2", **more}


def test_the_shown_branch_of_a_chat_comes_along(tmp_path: Path) -> None:
    path = written(tmp_path, "conversations.json", json.dumps([_chat(conversation_id="c-1")]))
    assert looks_like(path) == "chatgpt"
    found = found_in(path)
    assert [(one.draft.speaker, one.draft.content) for one in found] == [
        ("user", "Where is Kyōto? 京都"), ("assistant", "In Japan."),
        ("user", "and Nara?\n\nhalf \N{REPLACEMENT CHARACTER}"),
    ]  # fmt: skip
    assert {one.draft.session_id for one in found} == {"c-1"}
    assert [one.draft.created_at for one in found] == [1_700_000_000_500_000] * 2 + [1_600_000_000_000_000]
    assert found[0].draft.metadata == {"conversation": "Cities"}
    assert found[0].draft.source == "conversation"
    reasons = [one.reason for one in skipped_in(path)]
    assert "1 messages of branches that were edited away" in reasons
    assert not any(one.bad for one in skipped_in(path))


def test_an_old_chat_without_ids_times_or_current_node_still_holds_together(tmp_path: Path) -> None:
    old = _chat()
    del old["current_node"], old["create_time"]
    found = found_in(written(tmp_path, "conversations.json", json.dumps([old, {"title": "broken"}])))
    assert [one.draft.content for one in found][:2] == ["Where is Kyōto? 京都", "In Japan."]
    assert len({one.draft.session_id for one in found}) == 1
    assert len({one.key for one in found}) == len(found)


CONVERSATION: dict[str, Any] = {
    "uuid": "c-9", "name": "Tea", "created_at": "2026-01-02T03:04:05.000000Z", "updated_at": "2026-01-02T03:05:00Z",
    "account": {"uuid": "x"},
    "chat_messages": [
        {"uuid": "m1", "text": "old text", "sender": "human", "created_at": "2026-01-02T03:04:06Z",
         "content": [{"type": "text", "text": "How long does sencha steep?"}],
         "attachments": [{"file_name": "t.txt", "extracted_content": "notes on tea"}], "files": []},
        {"uuid": "m2", "text": "One minute.", "sender": "assistant", "created_at": "2026-01-02T03:04:07Z"},
        {"uuid": "m3", "text": "", "sender": "assistant",
         "content": [{"type": "tool_use", "name": "search", "input": {}}, {"type": "thinking", "text": "hm"}]},
    ],
}  # fmt: skip


def test_a_claude_conversation_keeps_speakers_times_and_attachments(tmp_path: Path) -> None:
    path = written(tmp_path, "conversations.json", json.dumps([CONVERSATION]))
    assert looks_like(path) == "claude"
    found = found_in(path)
    assert [(one.draft.speaker, one.draft.content) for one in found] == [
        ("user", "How long does sencha steep?\n\nnotes on tea"), ("assistant", "One minute."),
    ]  # fmt: skip
    assert found[0].draft.created_at == 1_767_323_046_000_000
    assert (found[0].draft.session_id, found[0].draft.source_ref) == ("c-9", "claude:m1")
    assert [one.reason for one in skipped_in(path)] == ["a message without text"]


def test_claude_memories_and_projects_come_in_pieces(tmp_path: Path) -> None:
    memories = [{
        "conversations_memory": "**Work context**\n\nAda runs a tea house.\n\n**Brief history**\n\n- moved in May\n",
        "project_memories": {"p-1": "- uses Postgres"}, "account_uuid": "x",
    }]  # fmt: skip
    path = written(tmp_path, "memories.json", json.dumps(memories))
    assert looks_like(path) == "claude"
    contents = [one.draft.content for one in found_in(path)]
    assert contents == ["Ada runs a tea house.", "moved in May", "uses Postgres"]
    assert found_in(path)[0].draft.title == "Work context"
    assert found_in(path)[-1].draft.metadata == {"claude": {"project": "p-1"}}
    project = {"uuid": "p-1", "name": "House", "prompt_template": "Be brief.", "created_at": "2026-01-02T03:04:05Z",
               "docs": [{"uuid": "d", "filename": "menu.md", "content": "sencha, gyokuro"}]}  # fmt: skip
    found = found_in(written(tmp_path, "projects.json", json.dumps([project])))
    assert [(one.draft.content, one.draft.kind) for one in found] == [
        ("Be brief.", None),
        ("sencha, gyokuro", "document"),
    ]


def test_a_long_message_is_cut_between_paragraphs(tmp_path: Path) -> None:
    text = "\n\n".join(f"paragraph {number} " + "words " * 200 for number in range(150))
    chat = {**CONVERSATION, "chat_messages": [{"uuid": "m", "text": text, "sender": "human"}]}
    found = found_in(written(tmp_path, "conversations.json", json.dumps([chat])))
    assert len(found) == 2
    assert all(len(one.draft.content) <= 100_000 and one.draft.content.startswith("paragraph") for one in found)
    assert " ".join(" ".join(one.draft.content for one in found).split()) == " ".join(text.split())
