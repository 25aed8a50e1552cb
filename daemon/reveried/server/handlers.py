"""One handler for each operation: requests in, results out. A catalogue with a gap does not start."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from reverie.protocol import requests as ask
from reverie.protocol.results import Pong
from reveried.app.browse import Browse
from reveried.app.commands import Caller, Outcome, Outcomes
from reveried.app.conflicts import Conflicts
from reveried.app.doctor import Doctor
from reveried.app.entities import Entities
from reveried.app.feedback import Feedback
from reveried.app.findings import Findings
from reveried.app.health import Health
from reveried.app.history import Histories
from reveried.app.ingest import Ingest
from reveried.app.link_copies import LinkCopies
from reveried.app.links import Links
from reveried.app.narratives import Narratives
from reveried.app.neighbourhood import Neighbourhood
from reveried.app.progress import Progress
from reveried.app.recall import Recall
from reveried.app.receive import Receive
from reveried.app.remember import Remember
from reveried.app.sessions import Sessions
from reveried.app.settings import Settings
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.errors import Internal, ReverieError
from reveried.jobs.desk import Desk
from reveried.jobs.outlook import Outlook

# A plain result is answered at once; a future when it is done; a coroutine runs as a task of its own.
Answer = Any
Handler = Callable[[Any, Caller], Answer]


class App(Struct, frozen=True, kw_only=True):
    writer: Writer
    progress: Progress
    remember: Remember
    receive: Receive
    ingest: Ingest
    findings: Findings
    feedback: Feedback
    conflicts: Conflicts
    recall: Recall
    browse: Browse
    histories: Histories
    entities: Entities
    links: Links
    link_copies: LinkCopies
    neighbourhood: Neighbourhood
    sessions: Sessions
    narratives: Narratives
    health: Health
    doctor: Doctor
    upkeep: Upkeep
    settings: Settings
    desk: Desk
    outlook: Outlook
    # Told of every error that is sent to somebody.
    noticed: Callable[[ReverieError], None] = lambda _: None
    # What speaks against taking an answer for the last word, if anything does.
    doubt: Callable[[], str | None] = lambda: None
    # Refuses what cannot be kept as a name: its field, and the name.
    named: Callable[[str, str], None] = lambda field, name: None


# Answered by the connection itself, for they change how it behaves.
OF_THE_CONNECTION = (ask.Hello, ask.Subscribe, ask.Unsubscribe)


def handlers(app: App) -> dict[type[ask.Request], Handler]:
    table: dict[type[ask.Request], Handler] = {
        ask.Ping: lambda request, caller: Pong(head=app.progress.head),
        ask.Store: lambda request, caller: _store(app, request, caller),
        ask.StoreMany: lambda request, caller: _store_many(app, request, caller),
        ask.ImportMany: app.receive.import_many,
        ask.Ingest: app.ingest.ingest,
        ask.IngestPart: app.ingest.part,
        ask.Ingested: app.ingest.ingested,
        ask.Update: app.remember.update,
        ask.Reinforce: app.feedback.reinforce,
        ask.Demote: app.feedback.demote,
        ask.Pin: app.feedback.pin,
        ask.Unpin: app.feedback.unpin,
        ask.Tag: app.feedback.tag,
        ask.Untag: app.feedback.untag,
        ask.Supersede: app.feedback.supersede,
        ask.Archive: app.feedback.archive,
        ask.Restore: app.feedback.restore,
        ask.Delete: app.feedback.delete,
        ask.Erase: app.feedback.erase,
        ask.Conflicts: app.conflicts.list,
        ask.Resolve: app.conflicts.resolve,
        ask.Link: app.links.link,
        ask.Unlink: app.links.unlink,
        ask.Related: app.neighbourhood.related,
        ask.Path: app.neighbourhood.path,
        ask.Graph: app.neighbourhood.graph,
        ask.Links: app.link_copies.links,
        ask.ImportLinks: app.link_copies.import_links,
        ask.Recall: app.recall.recall,
        ask.Context: app.recall.context,
        ask.Why: app.recall.why,
        ask.Get: app.browse.get,
        ask.List: app.browse.list,
        ask.Timeline: app.browse.timeline,
        ask.Entities: app.entities.entities,
        ask.Relations: app.entities.relations,
        ask.SessionBegin: app.sessions.begin,
        ask.SessionEnd: app.sessions.end,
        ask.Sessions: app.sessions.list,
        ask.NarrativeAdd: app.narratives.add,
        ask.Narratives: app.narratives.walk,
        ask.History: app.histories.history,
        ask.Events: app.histories.events,
        ask.RawEvents: app.histories.raw,
        ask.Namespaces: app.browse.namespaces,
        ask.Status: lambda request, caller: app.health.status(caller),
        ask.Doctor: lambda request, caller: app.doctor.examine(),
        ask.Verify: lambda request, caller: app.upkeep.verify(request),
        ask.Rebuild: lambda request, caller: app.upkeep.rebuild(request),
        ask.Backup: lambda request, caller: app.upkeep.backup(),
        ask.Jobs: app.desk.jobs,
        ask.Run: app.desk.run,
        ask.Stats: app.outlook.stats,
        ask.Curve: app.outlook.curve,
        ask.Config: lambda request, caller: app.settings.report(),
        ask.Reload: lambda request, caller: app.settings.reload(app.writer),
    }
    missing = set(ask.REQUESTS) - set(table) - set(OF_THE_CONNECTION)
    if missing:
        raise Internal(f"no handler for {', '.join(sorted(map(ask.op_of, missing)))}")
    return table


def _store(app: App, request: ask.Store, caller: Caller) -> "asyncio.Future[Outcomes] | Awaitable[Outcomes]":
    written = app.remember.store(request, caller)
    return written if request.wait == "durable" else _awaited(app, request.wait, written)


async def _store_many(app: App, request: ask.StoreMany, caller: Caller) -> Outcomes:
    return await _awaited(app, request.wait, app.remember.store_many(request, caller))


async def _awaited(app: App, wait: ask.Wait, written: Awaitable[Outcomes]) -> Outcomes:
    outcomes = await written
    match wait:
        case "projected":
            await app.writer.projected(max(outcome.seq for outcome in outcomes))
        case "enriched":
            return await app.findings.told(outcomes)
    return outcomes


def result_of(request: ask.Request, answer: Answer, caller: Caller) -> Any:
    """What goes on the wire. A command's outcome also moves on what this connection must see from now on."""
    if isinstance(answer, tuple) and all(isinstance(outcome, Outcome) for outcome in answer):
        caller.written = max(caller.written, *(outcome.seq for outcome in answer))
        return {"results": answer} if isinstance(request, ask.StoreMany | ask.ImportMany) else answer[0]
    return answer
