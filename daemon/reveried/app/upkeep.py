"""Proof, renewal and copies: each runs in a process of its own, and the daemon goes on serving."""

import asyncio
import contextlib
import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from reverie.protocol.requests import Rebuild, Verify
from reverie.protocol.results import BackedUp, Rebuilt, VerifyReport
from reveried.app.directory import DataDirectory
from reveried.app.readers import Readers
from reveried.app.writer import Writer
from reveried.errors import Busy, Internal, InvalidField, LogDamaged, ReadOnly, ReverieError, StateDamaged, StorageFull
from reveried.log import database
from reveried.log.backups import Backups
from reveried.ports import ChainReport, Clock
from reveried.state.child import Verified
from reveried.state.rebuild import Replayed
from reveried.state.store import StateStore

T = TypeVar("T")
BUSY_PAUSE = 0.2
SETTLE = 1.0
VECTORS_DAMAGED = "vectors.db does not hold what was written to it; the next start makes it anew"
_log = logging.getLogger(__name__)


class Upkeep:
    def __init__(
        self, directory: DataDirectory, writer: Writer, readers: Readers, backups: Backups, clock: Clock
    ) -> None:
        self._directory = directory
        self._writer = writer
        self._readers = readers
        self._backups = backups
        self._clock = clock
        self._busy: str | None = None
        self._healing = False
        self._times_anew = 0
        # Found when the state was opened: the log is not the one that the state was made from.
        self.mismatch: str | None = None
        self.unproved = False
        self.last_verified: VerifyReport | None = None
        self.last_verified_at: int | None = None

    async def verify(self, request: Verify) -> VerifyReport:
        """Walk the chain and compare the live tables with a replay. A damaged log makes the daemon read-only."""
        expected = _expected(request.expect)
        with self._alone("verify"):
            await self._writer.projected(self._writer.log.head)
            done = await _child(Verified, "verify", log=self._directory.log, **self._files(), **expected)
        self._judge_log(done.chain)
        if not done.vectors_sound:
            self._directory.rebuild_wanted.touch()
        report = _report(done)
        self.last_verified, self.last_verified_at = report, self._clock.now()
        return report

    async def check_log(self) -> None:
        """The chain alone."""
        self._judge_log(await _child(ChainReport, "check", log=self._directory.log))

    async def prove(self, proved: bool) -> None:
        """Once after every start. What a kill left behind may have been harmed before it was opened again, and no seal
        tells: so it is held against a replay, and made anew where it differs."""
        self.unproved = not proved
        if proved:
            # Nothing is in doubt: whoever waited for the start goes first.
            await asyncio.sleep(SETTLE)
            await self.check_log()
            return
        done = await self._compared()
        self._judge_log(done.chain)
        if not done.chain.problems and done.live_digest != done.replayed_digest:
            await self.heal("it differs from what the log folds to")
        if not done.vectors_sound:
            raise StateDamaged(VECTORS_DAMAGED, hint="start the daemon again")
        self.unproved = False

    async def _compared(self) -> Verified:
        """Looks again when files were changed under it or words erased meanwhile: what it saw then is no proof."""
        while True:
            times = self._times_anew
            await self._writer.projected(self._writer.log.head)
            try:
                done = await _child(Verified, "verify", log=self._directory.log, **self._files())
                if times == self._times_anew:
                    return done
            except Busy:
                pass  # the loop's own pause is what it asks for
            except ReverieError:
                if times == self._times_anew:
                    raise
            await asyncio.sleep(BUSY_PAUSE)

    @property
    def healing(self) -> bool:
        return self._healing

    async def heal(self, why: str) -> None:
        """Make a state anew that was found wrong. A kill in between leaves the wish behind for the next start."""
        if self._healing or self.mismatch:
            return
        self._healing = True
        try:
            _log.error("the state is damaged and is made anew: %s", why)
            self._directory.rebuild_wanted.touch()
            await self._rebuilt_at_last()
            self._directory.rebuild_wanted.unlink()
        finally:
            self._healing = False

    async def _rebuilt_at_last(self) -> Rebuilt:
        while True:
            try:
                return await self.rebuild(Rebuild(id=0))
            except Busy:
                await asyncio.sleep(BUSY_PAUSE)

    def _judge_log(self, chain: ChainReport) -> None:
        if self.mismatch:
            chain.problems.insert(0, self.mismatch)
        # The finding outlives the process: a damaged log is never written to again just because of a restart.
        if chain.problems:
            self._directory.damage.write_text("\n".join(chain.problems))
            self._writer.read_only = chain.problems[0]
        elif self._directory.damage.exists():
            self._directory.damage.unlink()
            store = self._writer.store
            if store.applied + store.lag >= self._writer.log.head:  # else an event could not even be understood
                self._writer.read_only = None

    async def rebuild(self, request: Rebuild) -> Rebuilt:
        if self.mismatch and not request.out:
            raise ReadOnly(f"the state is kept as it is: {self.mismatch}", hint="put the log back that belongs to it")
        with self._alone("rebuild"):
            started = time.monotonic()
            done = await (self._past(request) if request.out else self._anew(request))
            seconds = time.monotonic() - started
        return Rebuilt(events=done.events, upto=done.events, digest=done.digest, out=request.out, seconds=seconds)

    async def _past(self, request: Rebuild) -> Replayed:
        out = Path(request.out or "")
        if "\0" in str(out) or not out.is_absolute() or os.path.lexists(out) or not out.parent.is_dir():
            hint = "give an absolute path of a file that does not exist yet"
            raise InvalidField(f"{str(out)!r} cannot be written", field="out", hint=hint)
        return await _child(
            Replayed, "snapshot", log=self._directory.log, live=out, to=request.to, to_time=request.to_time
        )

    async def _anew(self, request: Rebuild) -> Replayed:
        """Replay beside the live files, then put the new ones in their place; requests wait only for the renaming."""
        if request.to is not None or request.to_time is not None:
            raise InvalidField("a past state needs a file of its own", field="to", hint="name it with --out")
        new_live, new_archive = self._directory.new_live, self._directory.new_archive
        self._directory.remove_unfinished_state()
        try:
            done = await _child(Replayed, "replay", log=self._directory.log, live=new_live, archive=new_archive)
        except ReverieError:
            self._directory.remove_unfinished_state()
            raise
        async with self._readers.live.set_aside(), self._readers.archive.set_aside():
            await self._writer.run(self._swap)
        return done

    def _swap(self) -> None:
        """On the writer's thread, with nobody reading. The archive first: it may be ahead of the live file."""
        writer, directory = self._writer, self._directory
        self._times_anew += 1
        writer.store.abandon()
        directory.remove_state()
        os.rename(directory.new_archive, directory.archive)
        os.rename(directory.new_live, directory.live)
        database.sync(directory.path)
        writer.store = StateStore(directory.live, directory.archive)
        writer.store.catch_up(writer.log)

    async def backup(self) -> BackedUp:
        with self._alone("backup"):
            path = await self._writer.run(lambda: self._backups.make(self._writer.log, self._clock.now()))
            chain = await _child(ChainReport, "check", log=path)
            if chain.problems:
                self._backups.remove(path)
                raise LogDamaged(f"the copy is damaged: {chain.problems[0]}", hint="run `reverie verify`")
        return BackedUp(path=str(path), events=chain.events, head=chain.head, bytes=database.size(path))

    def _files(self) -> dict[str, Path]:
        directory = self._directory
        return {"live": directory.live, "archive": directory.archive, "vectors": directory.vectors}

    @contextlib.contextmanager
    def _alone(self, work: str) -> Iterator[None]:
        if self._busy:
            raise Busy(f"a {self._busy} is under way", hint="try again when it is done")
        self._busy = work
        try:
            yield
        finally:
            self._busy = None


async def _child(result: type[T], work: str, **options: Path | int | str | None) -> T:
    """Run one piece of work in a child process, which dies with the request that asked for it."""
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None]
    command = (sys.executable, "-m", "reveried.state.child", work, f"--parent={os.getpid()}", *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        raise _failure(work, output)
    return msgspec.json.decode(output, type=result)


def _failure(work: str, output: bytes) -> ReverieError:
    try:
        said = msgspec.json.decode(output, type=_Complaint)
    except msgspec.DecodeError:
        said = _Complaint("the process ended without saying why; its messages are in the daemon's journal")
    if said.full:
        return StorageFull(f"{work}: the disk is full", hint="free some space; it needs as much as the state takes")
    if said.busy:
        return Busy(f"{work}: {said.error}", hint="try again when less is written")
    return Internal(f"{work} failed: {said.error}")


class _Complaint(msgspec.Struct):
    error: str
    full: bool = False
    busy: bool = False


def _expected(kept: str | None) -> dict[str, str]:
    if kept is None:
        return {}
    if not re.fullmatch(r"\d{1,18}:[0-9a-f]{8,64}", kept):
        hint = "give HEAD:CHAIN as an earlier `reverie verify` printed them; eight digits of the chain will do"
        raise InvalidField(f"{kept[:80]!r} is no end of a log", field="expect", hint=hint)
    return {"expect": kept}


def _report(done: Verified) -> VerifyReport:
    problems = list(done.chain.problems)
    if done.unexpected:  # what somebody kept elsewhere may be mistyped, so nothing but the report depends on it
        problems.append(done.unexpected)
    if not problems and done.live_digest != done.replayed_digest:
        problems.append("the live state differs from what the log folds to; `reverie rebuild` mends it")
    if not done.vectors_sound:
        problems.append(VECTORS_DAMAGED)
    return VerifyReport(
        ok=not problems,
        events=done.chain.events,
        head=done.chain.head,
        chain=done.chain.chain,
        live_digest=done.live_digest,
        replayed_digest=done.replayed_digest,
        erased=done.chain.erased,
        problems=problems,
    )
