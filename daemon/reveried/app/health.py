"""How the daemon is, in the short form that machines read: what is there, and every way in which less is offered."""

import asyncio
import os
import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

import reveried
from reverie.protocol.results import StatusReport, Traffic
from reveried.app.commands import Caller
from reveried.app.degraded import Condition, degraded
from reveried.app.directory import DataDirectory
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.settings import Settings
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.log import database
from reveried.log.backups import Backups
from reveried.state.reads import count_by_state, count_embeddable


class Parts(Struct, frozen=True, kw_only=True):
    """What the daemon is made of, as far as its health is concerned."""

    directory: DataDirectory
    writer: Writer
    readers: Readers
    progress: Progress
    settings: Settings
    upkeep: Upkeep
    backups: Backups
    connections: Callable[[], int]
    traffic: Callable[[], dict[str, Traffic]]
    semantics: Semantics
    condition: Condition


class Health:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._started = time.monotonic()

    async def status(self, caller: Caller) -> StatusReport:
        parts = self._parts
        await parts.readers.up_to_date(caller)
        memories = {"active": 0, "stale": 0, "deleted": 0, **await count_by_state(parts.readers.live)}
        memories["archived"] = sum((await count_by_state(parts.readers.archive)).values())
        verified = parts.upkeep.last_verified
        return StatusReport(
            version=reveried.__version__,
            pid=os.getpid(),
            head=parts.progress.head,
            projected=parts.progress.applied,
            memories=memories,
            sizes=self._sizes(),
            embedder=await self._embedder(),
            degraded=degraded(parts.condition),
            config={"path": str(parts.settings.path), **_problems(parts.settings)},
            connections=parts.connections(),
            traffic=parts.traffic(),
            queue=parts.writer.waiting,
            uptime_s=time.monotonic() - self._started,
            last_verified=None if verified is None else {"ok": verified.ok, "at": parts.upkeep.last_verified_at},
        )

    async def _embedder(self) -> dict[str, object]:
        embedder, store, readers = self._parts.semantics.embedder, self._parts.semantics.store, self._parts.readers
        wanted = await count_embeddable(readers.live) + await count_embeddable(readers.archive)
        embedded = await asyncio.to_thread(store.count, embedder.id) if embedder.id else 0
        return {
            **msgspec.structs.asdict(embedder.condition),
            "id": embedder.id,
            "dimension": embedder.dimension,
            "scripts": embedder.scripts,
            "events_behind": self._behind(),
            "embedded": embedded,
            "to_do": max(0, wanted - embedded) if embedder.id else 0,
        }

    def _behind(self) -> int:
        """How many events the vectors trail the log by."""
        return self._parts.progress.head - self._parts.semantics.backlog.seq if self._parts.semantics.embedder.id else 0

    def _sizes(self) -> dict[str, int]:
        directory = self._parts.directory
        files = {
            "log": directory.log,
            "state": directory.live,
            "archive": directory.archive,
            "vectors": directory.vectors,
        }
        return {name: database.size(path) + database.wal_size(path) for name, path in files.items()}


def _problems(settings: Settings) -> dict[str, object]:
    report = settings.report()
    return {"problem": report.problem, "needs_restart": report.needs_restart}
