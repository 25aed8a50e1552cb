from reverie.protocol.results import ContextBlock
from unit.client.peer import ok
from unit.mcp.conftest import Talking
from unit.mcp.talking import Talk

BLOCK = "<memory>\n[PROCEDURAL] Ada prefers tea\n</memory>"


def test_a_prompt_puts_what_is_remembered_after_the_task(talking: Talking) -> None:
    block = ContextBlock(block=BLOCK, ids=[1], total_tokens=9, semantic=True, semantic_reason=None)
    talk, peer = talking(lambda request: ok(request, block))
    (message,) = talk.ask("prompts/get", {"name": "with_memory", "arguments": {"task": "brew"}})["result"]["messages"]
    assert message["role"] == "user"
    assert message["content"]["text"].startswith("brew\n")
    assert BLOCK in message["content"]["text"]
    assert peer.asked[0]["query"] == "brew"


def test_the_prompt_is_listed_with_what_it_needs(talk: Talk) -> None:
    (prompt,) = talk.ask("prompts/list")["result"]["prompts"]
    assert [(one["name"], one["required"]) for one in prompt["arguments"]] == [("task", True)]


def test_another_prompt_or_no_task_is_refused(talk: Talk) -> None:
    for params in ({"name": "x"}, {"name": "with_memory"}, {"name": "with_memory", "arguments": {"task": " "}}):
        assert talk.ask("prompts/get", params)["error"]["code"] == -32602
