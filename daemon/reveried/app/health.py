"""How the daemon is: the short form for machines, and a doctor who tries everything once and says what to do."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct

import reveried
from reverie.protocol import requests as ask
from reverie.protocol.results import Check, DoctorReport, StatusReport, Traffic
from reveried.app.browse import Browse
from reveried.app.commands import Caller, Outcomes
from reveried.app.degraded import Condition, degraded
from reveried.app.directory import DataDirectory
from reveried.app.feedback import Feedback
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.recall import Recall
from reveried.app.remember import Remember
from reveried.app.semantics import Semantics
from reveried.app.settings import Settings
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.domain.consolidating.lacking import lacks_summary
from reveried.errors import ReverieError
from reveried.log import database
from reveried.log.backups import Backups
from reveried.state.link_reads import count_links
from reveried.state.looking import without_summary
from reveried.state.reads import count_by_state

SCRATCH = "reverie-doctor"
WEEK = 7 * 86_400
# Fewer memories may well have nothing to do with each other.
LINKS_EXPECTED = 50
# Memories looked at for a missing summary, and how many of them may wait for the next run.
LOOKED_AT, MANY = 2_000, 100


class Parts(Struct, frozen=True, kw_only=True):
    """What the daemon is made of, as far as its health is concerned."""

    directory: DataDirectory
    writer: Writer
    readers: Readers
    progress: Progress
    settings: Settings
    upkeep: Upkeep
    backups: Backups
    remember: Remember
    feedback: Feedback
    recall: Recall
    browse: Browse
    connections: Callable[[], int]
    traffic: Callable[[], dict[str, Traffic]]
    semantics: Semantics
    job_troubles: Callable[[], Awaitable[list[str]]]
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
            embedder=await self._embedder(sum(memories.values())),
            degraded=degraded(parts.condition),
            config={"path": str(parts.settings.path), **_problems(parts.settings)},
            connections=parts.connections(),
            traffic=parts.traffic(),
            queue=parts.writer.waiting,
            uptime_s=time.monotonic() - self._started,
            last_verified=None if verified is None else {"ok": verified.ok, "at": parts.upkeep.last_verified_at},
        )

    async def _embedder(self, memories: int) -> dict[str, object]:
        embedder, store = self._parts.semantics.embedder, self._parts.semantics.store
        embedded = await asyncio.to_thread(store.count, embedder.id) if embedder.id else 0
        return {
            **msgspec.structs.asdict(embedder.condition),
            "id": embedder.id,
            "dimension": embedder.dimension,
            "scripts": embedder.scripts,
            "events_behind": self._behind(),
            "embedded": embedded,
            "to_do": max(0, memories - embedded) if embedder.id else 0,
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

    async def doctor(self) -> DoctorReport:
        checks = [await self._tried("round trip", self._round_trip)]
        checks += [self._log_check(), self._lag_check(), self._room_check(), self._modes_check()]
        checks += [self._sqlite_check(), self._config_check(), self._backup_check(), self._embedder_check()]
        checks += [await self._links_check(), await self._jobs_check(), await self._summaries_check()]
        return DoctorReport(ok=all(check.status != "fail" for check in checks), checks=checks)

    async def _tried(self, name: str, trial: Callable[[], Awaitable[str]]) -> Check:
        try:
            return Check(name=name, status="ok", detail=await trial())
        except ReverieError as error:
            return Check(name=name, status="fail", detail=error.message, fix=error.hint or "see the daemon's journal")

    async def _round_trip(self) -> str:
        """Store, recall, reinforce and erase for real, in a namespace of its own."""
        parts, caller = self._parts, Caller(SCRATCH, "doctor")
        started = time.monotonic()
        draft = ask.Draft(content=f"doctor trial quokka {os.urandom(6).hex()}", kind="ephemeral")
        stored = _seen(caller, await parts.remember.store(ask.Store(id=0, memory=draft), caller))
        found = await parts.recall.recall(ask.Recall(id=0, query=draft.content), caller)
        if stored not in [memory.id for memory in found.memories]:
            raise ReverieError("what was just stored was not found", hint="`reverie rebuild`, then `reverie verify`")
        _seen(caller, await parts.feedback.reinforce(ask.Reinforce(id=0, memory=stored), caller))
        _seen(caller, await parts.feedback.erase(ask.Erase(id=0, memory=stored), caller))
        return f"stored, recalled, reinforced and erased in {(time.monotonic() - started) * 1000:.0f} ms"

    def _log_check(self) -> Check:
        verified = self._parts.upkeep.last_verified
        if self._parts.writer.read_only:
            fix = "restore log.db from backups/, then start again"
            return Check(name="log", status="fail", detail=self._parts.writer.read_only, fix=fix)
        if verified is None:
            return Check(name="log", status="warn", detail="not verified since the start", fix="reverie verify")
        return Check(name="log", status="ok" if verified.ok else "fail", detail=f"{verified.events} events verified")

    def _lag_check(self) -> Check:
        lag = self._parts.progress.head - self._parts.progress.applied
        if self._parts.writer.stalled:
            return Check(name="projections", status="fail", detail=self._parts.writer.stalled, fix="free some space")
        return Check(name="projections", status="ok", detail=f"{lag} events behind the log")

    def _room_check(self) -> Check:
        free = database.free_space(self._parts.directory.path)
        wanted = self._parts.settings.current.storage.min_free_bytes
        if free < wanted:
            return Check(name="disk", status="fail", detail=f"{free // 1_000_000} MB free", fix="free some space")
        return Check(name="disk", status="ok", detail=f"{free // 1_000_000} MB free")

    def _modes_check(self) -> Check:
        loose = [path.name for path in self._parts.directory.path.iterdir() if path.lstat().st_mode & 0o077]
        if loose:
            fix = f"chmod go-rwx {self._parts.directory.path}/*"
            return Check(name="file modes", status="warn", detail=f"others may read {', '.join(loose)}", fix=fix)
        return Check(name="file modes", status="ok", detail="only you can read the data")

    def _sqlite_check(self) -> Check:
        return Check(name="sqlite", status="ok", detail=f"{database.VERSION}; one connection writes each file")

    def _config_check(self) -> Check:
        problem = self._parts.settings.problem
        if problem:
            return Check(name="config", status="fail", detail=problem, fix="reverie config check")
        return Check(name="config", status="ok", detail=str(self._parts.settings.path))

    def _embedder_check(self) -> Check:
        condition = self._parts.semantics.embedder.condition
        if condition.state in ("none", "failed"):
            return Check(name="embedder", status="warn", detail=condition.reason, fix=condition.mend or None)
        detail = f"{condition.model} ({condition.runtime}), {condition.state}; {self._behind()} events without vectors"
        return Check(name="embedder", status="ok", detail=detail)

    async def _links_check(self) -> Check:
        """Among many memories some always share something."""
        live, policy = self._parts.readers.live, self._parts.settings.current.links
        count, memories = await count_links(live), sum((await count_by_state(live)).values())
        if count or memories < LINKS_EXPECTED:
            return Check(name="links", status="ok", detail=f"{count} links between {memories} memories")
        fix = "reverie run sleep" if policy.propose else "set links.propose to true in the configuration"
        return Check(name="links", status="warn", detail=f"none between {memories} memories", fix=fix)

    async def _jobs_check(self) -> Check:
        troubles = await self._parts.job_troubles()
        if troubles:
            return Check(name="jobs", status="warn", detail="; ".join(troubles), fix="reverie jobs")
        return Check(name="jobs", status="ok", detail="each ran when it was due, or will")

    async def _summaries_check(self) -> Check:
        policy = self._parts.settings.current.understanding
        found = await without_summary(self._parts.readers.live, 0, LOOKED_AT)
        lacking = sum(lacks_summary(memory, policy) for memory in found)
        if lacking > MANY:
            detail = f"{lacking} memories are long enough for a summary and have none"
            return Check(name="summaries", status="warn", detail=detail, fix="reverie run sleep")
        return Check(name="summaries", status="ok", detail=f"{lacking} are missing")

    def _backup_check(self) -> Check:
        age = self._parts.backups.newest_age(time.time())
        if age is None or age > WEEK:
            detail = "there is none" if age is None else f"the newest is {age / 86_400:.0f} days old"
            return Check(name="backup", status="warn", detail=detail, fix="reverie backup")
        return Check(name="backup", status="ok", detail=f"{age / 3600:.0f} hours old")


def _seen(caller: Caller, outcomes: Outcomes) -> int:
    caller.written = outcomes[-1].seq
    return outcomes[0].id


def _problems(settings: Settings) -> dict[str, object]:
    report = settings.report()
    return {"problem": report.problem, "needs_restart": report.needs_restart}
