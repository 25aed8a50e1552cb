"""A session of the OpenAI Agents SDK on top of Reverie: each item of the conversation is one memory, in its order.

What was said in one session is found by `recall` in every other, as with anything that Reverie keeps.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from reverie.aio import AsyncClient
from reverie.protocol.requests import Draft
from reverie.protocol.results import MemoryView

try:
    from agents.memory.session import SessionABC
except ImportError:

    class SessionABC:  # type: ignore[no-redef]
        """Stands in for the SDK's where that is not installed."""


_THERE = ("active", "stale", "archived")
_PAGE = 200


class ReverieSession(SessionABC):  # type: ignore[misc]
    """`session_id` may be anything; the same one goes on with the same conversation, also after a restart."""

    session_settings: Any = None

    def __init__(self, session_id: str, client: AsyncClient | None = None) -> None:
        self.session_id = session_id
        self._client = client or AsyncClient(name="openai-agents")
        self._tag = f"session-{blake2b(session_id.encode(), digest_size=12).hexdigest()}"

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The latest `limit` of them, or all, the oldest first."""
        found: list[MemoryView] = []
        before: int | None = None
        while limit is None or len(found) < limit:
            size = _PAGE if limit is None else min(_PAGE, limit - len(found))
            page = await self._client.list(tags=[self._tag], states=_THERE, limit=size, before=before)
            found += page.memories
            if page.next is None:
                break
            before = int(page.next)
        return [memory.metadata["item"] for memory in reversed(found)]

    async def add_items(self, items: Iterable[Mapping[str, Any]]) -> None:
        drafts = [self._draft(dict(item)) for item in items]
        for at in range(0, len(drafts), _PAGE):
            await self._client.store_many(drafts[at : at + _PAGE])

    def _draft(self, item: dict[str, Any]) -> Draft:
        return Draft(
            content=words(item) or "(nothing said)",
            kind="activity",
            importance=0.3,
            tags=[self._tag],
            source="conversation",
            speaker=item.get("role") if isinstance(item.get("role"), str) else None,
            session_id=self.session_id[:256].strip() or None,
            metadata={"item": item},
            # The same words at another turn are another item.
            dedup=False,
            on_conflict="ask",
        )

    async def pop_item(self) -> Any:
        page = await self._client.list(tags=[self._tag], states=_THERE, limit=1)
        if not page.memories:
            return None
        await self._client.delete(page.memories[0].id)
        return page.memories[0].metadata["item"]

    async def clear_session(self) -> None:
        while page := (await self._client.list(tags=[self._tag], states=_THERE, limit=_PAGE)).memories:
            for memory in page:
                await self._client.delete(memory.id)


def words(item: Mapping[str, Any]) -> str:
    """What was said, where somebody said something; else the whole item, so that tool calls are found too."""
    content = item.get("content")
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        said = "\n".join(part for part in parts if isinstance(part, str)).strip()
        if said:
            return said
    return msgspec.json.encode(item).decode()
