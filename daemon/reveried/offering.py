"""What the daemon offers over its socket: every use case, put together from the parts."""

from collections.abc import Callable
from functools import partial

from reveried.app.answers import Answers
from reveried.app.browse import Browse
from reveried.app.candidates import Candidates
from reveried.app.conflicts import Conflicts
from reveried.app.degraded import Condition, doubt
from reveried.app.doctor import Doctor, Hands
from reveried.app.entities import Entities
from reveried.app.expanding import Expanding
from reveried.app.feedback import Feedback
from reveried.app.health import Health, Parts
from reveried.app.history import Histories
from reveried.app.ingest import Ingest
from reveried.app.link_copies import LinkCopies
from reveried.app.links import Links
from reveried.app.narratives import Narratives
from reveried.app.neighbourhood import Neighbourhood
from reveried.app.recall import Recall
from reveried.app.receive import Receive
from reveried.app.reranking import reranking
from reveried.app.sessions import Sessions
from reveried.app.settings import Settings
from reveried.assembly import Given, Storage, Tending, Thinking
from reveried.domain.drafting import refuse_credential
from reveried.errors import ReverieError
from reveried.jobs.desk import Desk
from reveried.jobs.outlook import Outlook
from reveried.server.handlers import App
from reveried.server.server import Server


def use_cases(
    given: Given,
    stored: Storage,
    thinking: Thinking,
    tending: Tending,
    server: Server,
    noticed: Callable[[ReverieError], None],
) -> App:
    clock, settings, writer, readers = given.clock, given.settings, stored.writer, stored.readers
    feedback = Feedback(writer, stored.accesses, settings.get)
    recall = _recall(given, stored, thinking)
    browse = Browse(readers, stored.accesses, clock, settings.get)
    desk = Desk(tending.runner, tending.scheduler, readers, lambda: settings.current.jobs)
    condition = _condition(given, stored, thinking, tending)
    parts = Parts(
        directory=given.directory,
        writer=writer,
        readers=readers,
        progress=stored.progress,
        settings=settings,
        upkeep=stored.upkeep,
        backups=stored.backups,
        connections=lambda: server.connections,
        traffic=lambda: server.meter.traffic,
        semantics=thinking.semantics,
        condition=condition,
    )
    return App(
        writer=writer,
        progress=stored.progress,
        remember=thinking.remember,
        receive=Receive(writer, clock, settings.get),
        ingest=Ingest(writer, readers, thinking.chunks, clock, settings.get),
        findings=thinking.findings,
        feedback=feedback,
        conflicts=Conflicts(writer, readers, settings.get),
        recall=recall,
        browse=browse,
        entities=Entities(readers, clock),
        links=Links(writer, readers),
        link_copies=LinkCopies(writer, readers, clock),
        neighbourhood=Neighbourhood(readers, clock, settings.get),
        sessions=Sessions(writer, readers, thinking.summaries, clock, settings.get),
        narratives=Narratives(writer, readers, settings.get),
        histories=Histories(readers, stored.progress),
        health=Health(parts),
        doctor=Doctor(parts, Hands(thinking.remember, recall, feedback), desk.troubles),
        upkeep=stored.upkeep,
        settings=settings,
        desk=desk,
        outlook=Outlook(readers, clock, settings.get),
        noticed=noticed,
        doubt=partial(doubt, condition),
        named=partial(_named, settings),
    )


def _recall(given: Given, stored: Storage, thinking: Thinking) -> Recall:
    clock, settings, semantics = given.clock, given.settings, thinking.semantics
    answers = Answers(stored.writer.changes, lambda: semantics.version, clock.now, settings.get)
    rerank = reranking(thinking.reranker, settings.get)
    expanding = Expanding(stored.readers, clock, settings.get)
    candidates = Candidates(semantics)
    return Recall(stored.readers, stored.accesses, candidates, answers, clock, settings.get, rerank, expanding)


def _condition(given: Given, stored: Storage, thinking: Thinking, tending: Tending) -> Condition:
    settings = given.settings
    return Condition(
        writer=stored.writer,
        upkeep=stored.upkeep,
        backups=stored.backups,
        settings=settings,
        semantics=thinking.semantics,
        postponed=tending.runner.warnings,
        stumbled=tending.resuming.troubles,
        summaries=thinking.summaries.warnings,
        reranking=lambda: thinking.reranker.problem(settings.current.recall.rerank),
    )


def _named(settings: Settings, field: str, name: str) -> None:
    if settings.current.understanding.redact:
        refuse_credential(field, name)
