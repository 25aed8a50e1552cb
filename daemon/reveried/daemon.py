"""The life of the daemon: its parts are started in order, watched, and stopped in the opposite one."""

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Coroutine, Mapping
from pathlib import Path

from reveried.app import seal
from reveried.app.directory import DataDirectory
from reveried.app.settings import Settings
from reveried.assembly import Given, storage, tending, thinking
from reveried.clock import SystemClock
from reveried.config.watcher import watch
from reveried.errors import ConfigInvalid, LogDamaged, ReverieError, StateDamaged
from reveried.log.times import born_at
from reveried.offering import use_cases
from reveried.server.listener import Listener
from reveried.server.server import DRAIN_SECONDS, Server
from reveried.server.systemd import Notifier
from reveried.state.jobs import last_runs

_log = logging.getLogger(__name__)


class Daemon:
    def __init__(
        self,
        directory: DataDirectory,
        settings: Settings,
        listener: Listener,
        notifier: Notifier,
        environ: Mapping[str, str],
    ) -> None:
        self._given = Given(directory=directory, settings=settings, clock=SystemClock(), environ=environ)
        self._settings = settings
        self._listener = listener
        self._notifier = notifier
        self._stop = asyncio.Event()
        self._background: set[asyncio.Task[None]] = set()
        self._fatal: ReverieError | None = None

    async def run(self) -> None:
        """Serve until told to stop. Raises what made the writer give up, if anything did."""
        await self._build()
        await self._start()
        try:
            stopping = asyncio.get_running_loop().create_task(self._until_stopped())
            ends: tuple[asyncio.Future[None], ...] = (stopping, self._writer.finished)
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
        finally:
            await self._shut_down()
        if self._fatal is not None:
            raise self._fatal

    async def _until_stopped(self) -> None:
        await self._stop.wait()

    async def _build(self) -> None:
        given, settings = self._given, self._settings
        self._storage = stored = await storage(given, self._still_opening)
        self._thinking = thinking(given, stored)
        self._tending = tending(given, stored, self._thinking, self._noticed)
        self._server = Server(lambda: settings.current.server)
        self._app = use_cases(given, stored, self._thinking, self._tending, self._server, self._noticed)
        self._writer = stored.writer
        self._writer.damaged = self._noticed
        settings.on_change = self._reconsider

    def _reconsider(self) -> None:
        self._tending.scheduler.wake()
        self._thinking.embedding.reconsider()
        self._thinking.reranker.reconsider()

    def _noticed(self, error: ReverieError) -> None:
        """Damage that somebody came upon is mended behind the reply."""
        if isinstance(error, LogDamaged):
            self._go(self._storage.upkeep.check_log())
        elif self._storage.vectors.damaged:
            self._give_up(error)
        elif isinstance(error, StateDamaged):
            self._go(self._storage.upkeep.heal(error.message))

    def _give_up(self, error: ReverieError) -> None:
        """End in a way that lets the next start mend what this life cannot, and look closely at every file."""
        self._given.directory.rebuild_wanted.touch()
        self._fatal = error
        self._stop.set()

    def _still_opening(self, seq: int) -> None:
        self._notifier.extend_timeout(60)
        self._notifier.status(f"bringing the state up to date: event {seq}")

    async def _start(self) -> None:
        self._writer.start()
        await self._storage.readers.open()
        await self._server.start(self._listener, self._app)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(signal.SIGHUP, lambda: self._go(self._reload()))
        _spare_the_collector()
        self._notifier.ready(f"serving on {self._listener.path}")
        _log.info("serving on %s", self._listener.path)
        self._go(self._watch_config())
        self._go(self._reread_config())
        self._go(self._storage.upkeep.prove(self._storage.proved))
        self._go(self._feed_watchdog())
        self._go(self._keep_schedules())
        for name, work in (
            ("embedding", self._thinking.embedding.run),
            ("cutting up documents", self._thinking.chunking.run),
            ("comparing", self._thinking.enrich.run),
        ):
            self._go(self._tending.resuming.resumed(name, work))

    def _go(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, StateDamaged):
                self._give_up(error)
            _log.error("%s ended: %s", task.get_name(), error, exc_info=error)

    async def _reload(self) -> None:
        self._notifier.reloading()
        try:
            await self._settings.reload(self._writer)
        except ConfigInvalid as error:  # reported where it was found; the old configuration stays in force
            self._notifier.status(f"configuration not accepted: {error.message}")
        self._notifier.ready(f"serving on {self._listener.path}")

    async def _watch_config(self) -> None:
        path = self._settings.path
        async for _ in watch(Path(path), self._stop):
            await self._reload()

    async def _reread_config(self) -> None:
        """What was saved while the state was opened, before anybody watched the file, holds as well."""
        with contextlib.suppress(ConfigInvalid):  # reported where it was found; the old configuration stays in force
            await self._settings.reload(self._writer)

    async def _keep_schedules(self) -> None:
        last = await last_runs(self._storage.readers.live)
        since = {name: run.last_scheduled for name, run in last.items() if run.last_scheduled is not None}
        self._tending.scheduler.begin(since, await born_at(self._storage.readers.log))
        await self._tending.scheduler.keep()

    async def _feed_watchdog(self) -> None:
        """Alive means that the writer answers, not only that this loop turns."""
        interval = self._notifier.watchdog_interval
        while interval is not None:
            await self._writer.run(lambda: None)
            self._notifier.watchdog()
            await asyncio.sleep(interval)

    async def _shut_down(self) -> None:
        self._notifier.stopping()
        self._stop.set()
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        # A writer that gave up answers nobody any more: waiting would only keep a fresh start away.
        await self._server.stop(0.0 if self._writer.finished.done() else DRAIN_SECONDS)
        if not self._writer.finished.done():
            await self._storage.accesses.flush()
        await self._thinking.semantics.close()
        await self._thinking.reranker.close()
        await self._storage.readers.close()
        if self._writer.finished.done():
            self._writer.finished.result()
        else:
            await self._writer.stop()
        self._storage.vectors.close()
        self._seal()
        _log.info("stopped")

    def _seal(self) -> None:
        """Only what is known to be right; what trails the log, or is under suspicion, proves itself at the start."""
        log, directory, upkeep = self._writer.log, self._given.directory, self._storage.upkeep
        suspected = upkeep.unproved or upkeep.healing or self._fatal or directory.rebuild_wanted.exists()
        if self._writer.read_only or self._writer.store.applied != log.head or suspected:
            return
        seal.put(directory.seal, log.head, log.chain, (directory.live, directory.archive, directory.vectors))


def _spare_the_collector() -> None:
    """What was built so far stays, and requests make few cycles: looking for them took an eighth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
