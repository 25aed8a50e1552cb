"""The daemon put together: every part is built here, started in order, and stopped in the opposite one."""

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Coroutine, Mapping
from pathlib import Path

from reveried.app import seal
from reveried.app.accesses import Accesses
from reveried.app.answers import Answers
from reveried.app.browse import Browse
from reveried.app.candidates import Candidates
from reveried.app.chunks import Chunks
from reveried.app.conflicts import Conflicts
from reveried.app.courtesy import Courtesy
from reveried.app.directory import DataDirectory
from reveried.app.doctor import Doctor, Hands
from reveried.app.entities import Entities
from reveried.app.expanding import Expanding
from reveried.app.feedback import Feedback
from reveried.app.findings import Findings
from reveried.app.health import Health, Parts
from reveried.app.history import Histories
from reveried.app.ingest import Ingest
from reveried.app.link_copies import LinkCopies
from reveried.app.links import Links
from reveried.app.narratives import Narratives
from reveried.app.neighbourhood import Neighbourhood
from reveried.app.opening import open_state
from reveried.app.progress import Progress
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.recall import Recall
from reveried.app.receive import Receive
from reveried.app.remember import Remember
from reveried.app.reranking import reranking
from reveried.app.semantics import Semantics
from reveried.app.sessions import Sessions
from reveried.app.settings import Settings
from reveried.app.summaries import Summaries
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.clock import SystemClock
from reveried.config.watcher import watch
from reveried.embed.choosing import NoEmbedder
from reveried.embed.reranker import Reranker
from reveried.embed.resolve import Missing
from reveried.errors import ConfigInvalid, LogDamaged, ReverieError, StateDamaged
from reveried.jobs.desk import Desk
from reveried.jobs.outlook import Outlook
from reveried.jobs.runner import Runner
from reveried.jobs.scheduler import Scheduler
from reveried.jobs.work import Advance, Work
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.log.times import born_at
from reveried.reactors.chunking import Chunking
from reveried.reactors.embedding import Embedding
from reveried.reactors.enrich import Enrich
from reveried.reactors.linking import Linking
from reveried.server.handlers import App
from reveried.server.listener import Listener
from reveried.server.server import DRAIN_SECONDS, Server
from reveried.server.systemd import Notifier
from reveried.state.jobs import last_runs
from reveried.summarising.chat import Chat

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
        self._environ = environ
        self._directory = directory
        self._settings = settings
        self._listener = listener
        self._notifier = notifier
        self._clock = SystemClock()
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
        clock, settings, directory = self._clock, self._settings, self._directory
        directory.require_log()
        log = SqliteLog(directory.log)
        self._backups = Backups(directory.backups)
        self._backups.finish_erasures(log, clock.now())
        opened = await asyncio.to_thread(open_state, directory, log, self._still_opening)
        self._proved = opened.proved
        self._progress = Progress(log.head, opened.store.applied)
        self._vectors = opened.vectors
        self._writer = writer = Writer(
            log, opened.store, clock, settings.get, self._progress, self._backups, self._vectors
        )
        writer.read_only = opened.damage
        writer.damaged = self._noticed
        self._readers = Readers(directory.log, directory.live, directory.archive, writer)
        self._accesses = Accesses(writer)
        current = settings.current
        # Looking for a model may mean reading one; that is done behind READY.
        nobody = NoEmbedder(Missing("the model is being looked for"), "looking")
        share, graph_from = current.relevance.meaning_context, current.recall.graph_from
        self._semantics = Semantics(nobody, self._vectors, share, graph_from)
        self._reranker = Reranker()
        self._findings = Findings(settings.get)
        courtesy = Courtesy(lambda: self._findings.awaited)
        self._embedding = Embedding(
            self._semantics, self._readers, self._progress, writer, lambda: settings.current.embedding, courtesy
        )
        self._chunks = Chunks()
        self._remember = Remember(writer, clock, settings.get, courtesy)
        self._chunking = Chunking(self._semantics, self._readers, writer, self._remember, self._chunks, settings.get)
        self._proposer = Proposer(self._semantics, self._readers, settings.get)
        linking = Linking(self._proposer, self._readers, writer, settings.get)
        self._enrich = Enrich(
            self._semantics, self._readers, self._progress, writer, self._findings, linking, settings.get
        )
        self._upkeep = Upkeep(directory, writer, self._readers, self._backups, clock)
        self._summaries = Summaries(Chat(lambda: settings.current.summariser, self._environ), settings.get)
        self._upkeep.mismatch = opened.mismatch
        self._server = Server(lambda: settings.current.server)
        self._runner = Runner(self._work(), settings, clock)
        self._scheduler = Scheduler(self._runner.run, clock, lambda: settings.current.jobs)
        settings.on_change = self._reconsider
        self._app = self._assembled()

    def _reconsider(self) -> None:
        self._scheduler.wake()
        self._embedding.reconsider()
        self._reranker.reconsider()

    def _work(self) -> Work:
        return Work(
            writer=self._writer,
            readers=self._readers,
            upkeep=self._upkeep,
            backups=self._backups,
            directory=self._directory,
            proposer=self._proposer,
            semantics=self._semantics,
            summaries=self._summaries,
            config=self._settings.current,
            now=0,
            advance=Advance(),
        )

    def _assembled(self) -> App:
        clock, settings, writer = self._clock, self._settings, self._writer
        readers, accesses = self._readers, self._accesses
        remember, feedback = self._remember, Feedback(writer, accesses, settings.get)
        answers = Answers(writer.changes, lambda: self._semantics.version, clock.now, settings.get)
        rerank = reranking(self._reranker, settings.get)
        expanding = Expanding(readers, clock, settings.get)
        recall = Recall(readers, accesses, Candidates(self._semantics), answers, clock, settings.get, rerank, expanding)
        browse = Browse(readers, accesses, clock, settings.get)
        desk = Desk(self._runner, self._scheduler, readers, lambda: settings.current.jobs)
        parts = Parts(
            directory=self._directory,
            writer=writer,
            readers=readers,
            progress=self._progress,
            settings=settings,
            upkeep=self._upkeep,
            backups=self._backups,
            connections=lambda: self._server.connections,
            traffic=lambda: self._server.meter.traffic,
            semantics=self._semantics,
            embedding=self._embedding.backlog,
            warnings=self._warnings,
        )
        return App(
            writer=writer,
            progress=self._progress,
            remember=remember,
            receive=Receive(writer, clock, settings.get),
            ingest=Ingest(writer, readers, self._chunks, clock, settings.get),
            findings=self._findings,
            feedback=feedback,
            conflicts=Conflicts(writer, readers, settings.get),
            recall=recall,
            browse=browse,
            entities=Entities(readers, clock),
            links=Links(writer, readers),
            link_copies=LinkCopies(writer, readers, clock),
            neighbourhood=Neighbourhood(readers, clock, settings.get),
            sessions=Sessions(writer, readers, self._summaries, clock, settings.get),
            narratives=Narratives(writer, readers, settings.get),
            histories=Histories(readers, self._progress),
            health=Health(parts),
            doctor=Doctor(parts, Hands(remember, recall, feedback), desk.troubles),
            upkeep=self._upkeep,
            settings=settings,
            desk=desk,
            outlook=Outlook(readers, clock, settings.get),
            noticed=self._noticed,
        )

    def _warnings(self) -> list[str]:
        risky = self._settings.current.consolidation.warning
        return [*self._runner.warnings(), *self._summaries.warnings(), *([risky] if risky else [])]

    def _noticed(self, error: ReverieError) -> None:
        """Damage that somebody came upon is mended behind the reply."""
        if isinstance(error, LogDamaged):
            self._go(self._upkeep.check_log())
        elif self._vectors.damaged:
            self._give_up(error)
        elif isinstance(error, StateDamaged):
            self._go(self._upkeep.heal(error.message))

    def _give_up(self, error: ReverieError) -> None:
        """End in a way that lets the next start mend what this life cannot."""
        self._fatal = error
        self._stop.set()

    def _still_opening(self, seq: int) -> None:
        self._notifier.extend_timeout(60)
        self._notifier.status(f"bringing the state up to date: event {seq}")

    async def _start(self) -> None:
        self._writer.start()
        await self._readers.open()
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
        self._go(self._upkeep.prove(self._proved))
        self._go(self._feed_watchdog())
        self._go(self._keep_schedules())
        self._go(self._embedding.run())
        self._go(self._chunking.run())
        self._go(self._enrich.run())

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
        last = await last_runs(self._readers.live)
        since = {name: run.last_scheduled for name, run in last.items() if run.last_scheduled is not None}
        self._scheduler.begin(since, await born_at(self._readers.log))
        await self._scheduler.keep()

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
            await self._accesses.flush()
        await self._semantics.close()
        await self._reranker.close()
        await self._readers.close()
        if self._writer.finished.done():
            self._writer.finished.result()
        else:
            await self._writer.stop()
        self._vectors.close()
        self._seal()
        _log.info("stopped")

    def _seal(self) -> None:
        """Only what is known to be right; what trails the log, or is under suspicion, proves itself at the start."""
        log, directory, upkeep = self._writer.log, self._directory, self._upkeep
        suspected = upkeep.unproved or upkeep.healing or self._fatal or directory.rebuild_wanted.exists()
        if self._writer.read_only or self._writer.store.applied != log.head or suspected:
            return
        seal.put(directory.seal, log.head, log.chain, (directory.live, directory.archive, directory.vectors))


def _spare_the_collector() -> None:
    """What was built so far stays, and requests make few cycles: looking for them took an eighth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
