"""What each tool may be told: a struct is the schema that models see and the check of what they send."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from reverie.errors import InvalidField

A = TypeVar("A", bound="Arguments")

Kind = Literal[
    "identity", "relationship", "fact", "decision", "document", "preference", "event", "activity", "plan", "context",
    "ephemeral",
]  # fmt: skip
MemoryId = Annotated[int, Meta(ge=1, le=(1 << 63) - 1, description="The N of [id:N]")]
Query = Annotated[str, Meta(min_length=1, max_length=10_000, description="A question or some words")]
Budget = Annotated[int, Meta(ge=1, le=1_000_000, description="At most this many tokens")]
Importance = Annotated[float, Meta(ge=0, le=1, description="0 trivial to 1 vital; judged from the words if left out")]
Tags = Annotated[list[str], Meta(max_length=64)]


class Arguments(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Search(Arguments):
    query: Query
    limit: Annotated[int, Meta(ge=1, le=50, description="At most this many memories (default 5)")] | None = None
    budget: Budget | None = None
    kinds: Annotated[list[Kind], Meta(description="Only these kinds")] = []
    tags: Annotated[Tags, Meta(description="Only with all of these tags")] = []
    since: Annotated[datetime, Meta(description="Only from this moment on")] | None = None
    until: Annotated[datetime, Meta(description="Only before this moment")] | None = None
    archived: Annotated[bool, Meta(description="Look in the archive too")] = False


class Save(Arguments):
    content: Annotated[str, Meta(min_length=1, description="One thing worth keeping, understandable on its own")]
    kind: Annotated[Kind, Meta(description="Judged from the words if left out")] | None = None
    importance: Importance | None = None
    tags: Annotated[Tags, Meta(description="Words to find it by, such as the project")] = []
    title: str | None = None
    speaker: Annotated[str, Meta(description="Who said it")] | None = None
    session_id: Annotated[str, Meta(description="The conversation it belongs to")] | None = None
    expires_at: Annotated[datetime, Meta(description="When it stops being of use")] | None = None
    pinned: Annotated[bool, Meta(description="Never let it fade")] = False


class OneMemory(Arguments):
    id: MemoryId


class Update(OneMemory):
    content: Annotated[str, Meta(min_length=1, description="The new words")] | None = None
    title: str | None = None
    tags: Annotated[Tags, Meta(description="These instead of the earlier ones")] | None = None
    importance: Importance | None = None


class Forget(OneMemory):
    reason: Annotated[str, Meta(max_length=1000, description="Why it is wrong or useless")] = ""


class Context(Arguments):
    task: Annotated[str, Meta(min_length=1, max_length=10_000, description="What you are about to do")]
    budget: Budget | None = None


class Why(Arguments):
    query: Query
    id: MemoryId


# What models write instead when they have not looked at the schema.
_ALIASES = {"memory_id": "id", "memory": "id", "text": "content", "q": "query", "token_budget": "budget"}
_ID = re.compile(r"\s*\[?(?:id:)?([0-9]{1,19})\]?\s*")
_NAMED = re.compile(r"field `(\w+)`|at `\$\.(\w+)")


def read(raw: dict[str, Any], shape: type[A]) -> A:
    """Arguments as a model gave them; numbers may come as text and ids as they are printed."""
    given = {_ALIASES.get(name, name) if name not in shape.__struct_fields__ else name: raw[name] for name in raw}
    if isinstance(given.get("id"), str) and (typed := _ID.fullmatch(given["id"])):
        given["id"] = int(typed[1])
    try:
        return msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        message = str(error)
        named = _NAMED.search(message)
        field = (named[1] or named[2]) if named else None
        raise InvalidField(message, field=field, hint=f"it takes {', '.join(shape.__struct_fields__)}") from error
