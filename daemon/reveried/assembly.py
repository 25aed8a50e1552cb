"""Every part of the daemon is built here, once, from those that it needs; starting and stopping them is `daemon`'s."""

import asyncio
from collections.abc import Callable, Mapping

from msgspec import Struct

from reveried.app.accesses import Accesses
from reveried.app.chunks import Chunks
from reveried.app.courtesy import Courtesy
from reveried.app.directory import DataDirectory
from reveried.app.findings import Findings
from reveried.app.opening import open_state
from reveried.app.progress import Progress
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.remember import Remember
from reveried.app.semantics import Semantics
from reveried.app.settings import Settings
from reveried.app.summaries import Summaries
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.embed.choosing import NoEmbedder
from reveried.embed.reranker import Reranker
from reveried.embed.resolve import Missing
from reveried.errors import ReverieError
from reveried.jobs.runner import Runner
from reveried.jobs.scheduler import Scheduler
from reveried.jobs.work import Advance, Work
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.ports import Clock
from reveried.reactors.chunking import Chunking
from reveried.reactors.embedding import Embedding
from reveried.reactors.enrich import Enrich
from reveried.reactors.linking import Linking
from reveried.reactors.resuming import Resuming
from reveried.state.vectors import VectorStore
from reveried.summarising.chat import Chat


class Given(Struct, frozen=True, kw_only=True):
    """What is there before anything is built."""

    directory: DataDirectory
    settings: Settings
    clock: Clock
    environ: Mapping[str, str]


class Storage(Struct, frozen=True, kw_only=True):
    """The log, what was made from it, and the only ways to write and to read them."""

    backups: Backups
    vectors: VectorStore
    progress: Progress
    writer: Writer
    readers: Readers
    accesses: Accesses
    upkeep: Upkeep
    # The state is known to be what the log folds to.
    proved: bool


class Thinking(Struct, frozen=True, kw_only=True):
    """What follows behind a store: meaning, chunks, comparing, links, accounts."""

    semantics: Semantics
    reranker: Reranker
    remember: Remember
    chunks: Chunks
    findings: Findings
    proposer: Proposer
    summaries: Summaries
    embedding: Embedding
    chunking: Chunking
    enrich: Enrich


class Tending(Struct, frozen=True, kw_only=True):
    """What runs by the clock, and what begins stopped work again."""

    runner: Runner
    scheduler: Scheduler
    resuming: Resuming


async def storage(given: Given, still_opening: Callable[[int], None]) -> Storage:
    directory, clock, settings = given.directory, given.clock, given.settings
    directory.require_log()
    log, backups = SqliteLog(directory.log), Backups(directory.backups)
    backups.finish_erasures(log, clock.now())
    opened = await asyncio.to_thread(open_state, directory, log, still_opening, lambda: settings.get().storage)
    progress = Progress(log.head, opened.store.applied)
    writer = Writer(log, opened.store, clock, settings.get, progress, backups, opened.vectors)
    writer.read_only = opened.damage
    readers = Readers(directory.log, directory.live, directory.archive, writer)
    upkeep = Upkeep(directory, writer, readers, backups, clock)
    upkeep.mismatch = opened.mismatch
    return Storage(
        backups=backups,
        vectors=opened.vectors,
        progress=progress,
        writer=writer,
        readers=readers,
        accesses=Accesses(writer),
        upkeep=upkeep,
        proved=opened.proved,
    )


def thinking(given: Given, stored: Storage) -> Thinking:
    settings, readers, writer, progress = given.settings, stored.readers, stored.writer, stored.progress
    semantics = _semantics(settings, stored.vectors)
    chunks, findings = Chunks(), Findings(settings.get)
    courtesy = Courtesy(lambda: findings.awaited)
    remember = Remember(writer, given.clock, settings.get, courtesy)
    proposer = Proposer(semantics, readers, settings.get)
    linking = Linking(proposer, readers, writer, settings.get)
    return Thinking(
        semantics=semantics,
        reranker=Reranker(),
        remember=remember,
        chunks=chunks,
        findings=findings,
        proposer=proposer,
        summaries=Summaries(Chat(lambda: settings.current.summariser, given.environ), settings.get),
        embedding=Embedding(semantics, readers, progress, writer, lambda: settings.current.embedding, courtesy),
        chunking=Chunking(semantics, readers, writer, remember, chunks, settings.get),
        enrich=Enrich(semantics, readers, progress, writer, findings, linking, settings.get),
    )


def _semantics(settings: Settings, vectors: VectorStore) -> Semantics:
    current = settings.current
    # Looking for a model may mean reading one; that is done behind READY.
    nobody = NoEmbedder(Missing("the model is being looked for"), "looking")
    return Semantics(nobody, vectors, current.relevance.meaning_context, current.recall.graph_from)


def tending(given: Given, stored: Storage, thinking: Thinking, noticed: Callable[[ReverieError], None]) -> Tending:
    work = Work(
        writer=stored.writer,
        readers=stored.readers,
        upkeep=stored.upkeep,
        backups=stored.backups,
        directory=given.directory,
        proposer=thinking.proposer,
        semantics=thinking.semantics,
        summaries=thinking.summaries,
        config=given.settings.current,
        now=0,
        advance=Advance(),
    )
    runner = Runner(work, given.settings, given.clock)
    scheduler = Scheduler(runner.run, given.clock, lambda: given.settings.current.jobs)
    return Tending(runner=runner, scheduler=scheduler, resuming=Resuming(noticed))
