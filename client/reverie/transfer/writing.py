"""What goes out: records, the raw log, or notes for people. Each writer yields bytes as it reads."""

from collections.abc import Callable, Iterator
from hashlib import sha256

import msgspec

from reverie.client import Client
from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.results import MemoryView, StoredLink
from reverie.transfer.as_markdown import as_markdown, heading

STATES = ("active", "stale", "archived", "deleted")
# Reckoned when it is read, a union of what stands beside it, or numbers of memories that need not come along.
_NOT_OF_THE_RECORD = (
    "retention",
    "stability_days",
    "next_transition",
    "system",
    "tags",
    "conflicted",
    "conflicts",
    "absorbed",
    "ties",
    "drawn_from",
)
_encode = msgspec.json.Encoder().encode
# What the chain of an empty log stands at: see docs/events.md.
GENESIS = sha256(b"reverie event log 1").hexdigest()
ClientFor = Callable[[str], Client]


def records(client: Client) -> Iterator[MemoryView]:
    """Every memory of a namespace in every state, oldest first. Reading them this way is not access."""
    after: int | None = 0
    while after is not None:
        page = client.list(after=after, limit=MAX_PAGE, states=STATES)
        yield from page.memories
        after = int(page.next) if page.next else None


def links(client: Client) -> Iterator[StoredLink]:
    after: str | None = None
    while True:
        page = client.links(after=after, limit=MAX_PAGE)
        yield from page.links
        if page.next is None:
            return
        after = page.next


def jsonl(client_for: ClientFor, namespaces: list[str]) -> Iterator[bytes]:
    for namespace in namespaces:
        for memory in records(client_for(namespace)):
            yield _encode(record_of(memory)) + b"\n"
        for link in links(client_for(namespace)):
            yield _encode({"namespace": namespace, "link": link}) + b"\n"


def record_of(memory: MemoryView) -> dict[str, object]:
    fields = (name for name in memory.__struct_fields__ if name not in _NOT_OF_THE_RECORD)
    return {name: getattr(memory, name) for name in fields}


def markdown(client_for: ClientFor, namespaces: list[str]) -> Iterator[bytes]:
    for namespace in namespaces:
        yield heading(namespace).encode()
        for memory in records(client_for(namespace)):
            yield as_markdown(memory).encode()


def events(client_for: ClientFor, namespaces: list[str]) -> Iterator[bytes]:
    """The whole log up to where it stands now: there is one chain, whatever namespace an event belongs to."""
    client = client_for("default")
    head = client.ping().head
    last = client.raw_events(after=head - 1, limit=1).events if head else []
    chain = last[0].chain if last else GENESIS
    yield _encode({"format": "reverie.events", "version": 1, "events": head, "chain": chain}) + b"\n"
    after = 0
    while after < head:
        for event in client.raw_events(after=after, limit=min(MAX_PAGE, head - after)).events:
            yield _encode(event) + b"\n"
            after = event.seq


WRITERS: dict[str, Callable[[ClientFor, list[str]], Iterator[bytes]]] = {
    "jsonl": jsonl,
    "events": events,
    "markdown": markdown,
}
