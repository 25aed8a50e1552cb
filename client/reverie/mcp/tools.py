"""The catalogue of tools: what each is called, what it takes, what it answers and what it does to the memory."""

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Struct

from reverie.client import Client
from reverie.errors import ReverieError
from reverie.mcp import arguments as args
from reverie.mcp import shapes
from reverie.mcp.jsonrpc import Message
from reverie.mcp.schemas import schema_of
from reverie.mcp.wording import line
from reverie.protocol.results import Written


class Said(NamedTuple):
    text: str
    structured: Struct


class Tool(NamedTuple):
    name: str
    title: str
    description: str
    takes: type[args.Arguments]
    gives: type[Struct]
    run: Callable[[Any, Client], Said]
    reads: bool = False
    destroys: bool = False
    repeatable: bool = True

    def described(self) -> Message:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.takes),
            "outputSchema": schema_of(self.gives),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.reads,
                "destructiveHint": self.destroys,
                "idempotentHint": self.repeatable,
                "openWorldHint": False,
            },
        }


def _search(asked: args.Search, client: Client) -> Said:
    answer = client.recall(
        asked.query,
        limit=asked.limit,
        token_budget=asked.budget,
        kinds=asked.kinds,
        tags=asked.tags,
        since=asked.since,
        until=asked.until,
        include_archived=asked.archived,
    )
    lines = [line(memory) for memory in answer.memories] or ["nothing found"]
    if not answer.semantic:
        lines.append(f"(keywords only: {answer.semantic_reason or 'no embedder'})")
    elif answer.semantic_reason:
        lines.append(f"({answer.semantic_reason})")
    return Said("\n".join(lines), shapes.found(answer))


def _save(asked: args.Save, client: Client) -> Said:
    return _written(
        client.store(
            asked.content,
            kind=asked.kind,
            importance=asked.importance,
            tags=asked.tags,
            title=asked.title,
            speaker=asked.speaker,
            session_id=asked.session_id,
            expires_at=asked.expires_at,
            pinned=asked.pinned,
        ),
        client,
    )


def _get(asked: args.OneMemory, client: Client) -> Said:
    memory = shapes.memory(client.get(asked.id))
    about = f"kind {memory.kind}, state {memory.state}, created {memory.created_at}"
    if memory.tags:
        about += f", tags {', '.join(memory.tags)}"
    return Said(f"{line(memory)}\n{about}", memory)


def _update(asked: args.Update, client: Client) -> Said:
    return _written(
        client.update(asked.id, content=asked.content, title=asked.title, tags=asked.tags, importance=asked.importance),
        client,
    )


def _reinforce(asked: args.OneMemory, client: Client) -> Said:
    return _written(client.reinforce(asked.id), client)


def _demote(asked: args.OneMemory, client: Client) -> Said:
    return _written(client.demote(asked.id), client)


def _forget(asked: args.Forget, client: Client) -> Said:
    return _written(client.delete(asked.id, reason=asked.reason), client)


def _written(written: Written, client: Client) -> Said:
    _settle(client)
    notes = f" ({', '.join(written.notes)})" if written.notes else ""
    return Said(f"[id:{written.id}] {written.outcome}{notes}", shapes.outcome(written))


def _settle(client: Client) -> None:
    """A read on the line that wrote waits until every reader sees it: the next call may come by another line."""
    try:
        client.list(limit=1)
    except ReverieError:
        return  # What was written is on disk; that the daemon went away meanwhile is news for the next call.


def _context(asked: args.Context, client: Client) -> Said:
    block = shapes.block(client.context(asked.task, token_budget=asked.budget))
    return Said(block.block if block.ids else "nothing is remembered about this", block)


def _why(asked: args.Why, client: Client) -> Said:
    reason = shapes.reason(client.why(asked.query, asked.id))
    place = f"rank {reason.rank}" if reason.rank is not None else "not ranked"
    return Said(
        f"[id:{reason.id}] {'returned' if reason.returned else 'not returned'}, {place}: {reason.reason}", reason
    )


# fmt: off
TOOLS = (
    Tool("memory_search", "Search memories", "Find the memories that answer a question, best first, each with its "
         "[id:N]. Use it before answering anything that may have come up before.",
         args.Search, shapes.Found, _search, reads=True),
    Tool("memory_save", "Save a memory", "Remember one thing for later conversations. Saving the same words again "
         "changes nothing. Credentials are taken out.",
         args.Save, shapes.Outcome, _save),
    Tool("memory_get", "Get a memory", "Everything known about one memory.",
         args.OneMemory, shapes.Memory, _get, reads=True),
    Tool("memory_update", "Correct a memory", "Change the words, title, tags or importance of a memory; what is left "
         "out stays. Better than saving a second, contradicting one.",
         args.Update, shapes.Outcome, _update, destroys=True),
    Tool("memory_reinforce", "It was useful", "Say that a memory helped: it ranks higher and fades more slowly.",
         args.OneMemory, shapes.Outcome, _reinforce, repeatable=False),
    Tool("memory_demote", "It was not useful", "Say that a memory did not help: it ranks lower and fades sooner.",
         args.OneMemory, shapes.Outcome, _demote, repeatable=False),
    Tool("memory_forget", "Forget a memory", "Delete a memory that is wrong or unwanted. The user can restore it.",
         args.Forget, shapes.Outcome, _forget, destroys=True),
    Tool("memory_context", "Memory for a task", "What is remembered that bears on a task, as one block within a budget "
         "of tokens. Use it once, before beginning.",
         args.Context, shapes.Block, _context, reads=True),
    Tool("memory_why", "Why this memory", "Why a memory is, or is not, among the answers to a query.",
         args.Why, shapes.Reason, _why, reads=True),
)
# fmt: on
BY_NAME = {tool.name: tool for tool in TOOLS}
