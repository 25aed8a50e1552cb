"""Commands that read the event log."""

import argparse
from collections.abc import Iterator

import msgspec

from reverie.cli.arguments import Command, Parser, UsageError, add_ids
from reverie.cli.as_json import with_iso_times
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.times import local
from reverie.client import Client
from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.results import EventView

_SHOWN = 120


def _configure_history(parser: Parser) -> None:
    add_ids(parser, many=False)


def _history(args: argparse.Namespace, console: Console) -> int:
    after: int | None = 0
    with connect(args) as client:
        while after is not None:
            page = client.history(args.id, after=after)
            for event in page.events:
                _show(event, console)
            after = page.next
    return 0


def _configure_events(parser: Parser) -> None:
    parser.add_argument("--after", type=int, metavar="SEQ", help="what follows this sequence number")
    parser.add_argument("--limit", type=int, metavar="N", help="at most this many (default: the latest 20)")
    parser.add_argument("--follow", "-f", action="store_true", help="go on as events happen, until Ctrl-C")


def _events(args: argparse.Namespace, console: Console) -> int:
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit must be at least 1")
    with connect(args) as client:
        after = args.after
        if after is None:
            after = max(0, client.ping().head - (args.limit or 20))
        stream = client.subscribe(after + 1) if args.follow else _past(client, after, args.limit)
        for event in stream:
            _show(event, console)
            if args.follow:
                console.flush()
    return 0


def _past(client: Client, after: int, limit: int | None) -> Iterator[EventView]:
    following: int | None = after
    while following is not None and limit != 0:
        page = client.events(after=following, limit=min(limit or MAX_PAGE, MAX_PAGE))
        yield from page.events
        limit = None if limit is None else limit - len(page.events)
        following = page.next


def _show(event: EventView, console: Console) -> None:
    if console.as_json:
        console.emit(event)
        return
    subject = f"[id:{event.subject}] " if event.subject is not None else ""
    console.line(
        f"{event.seq:>6}  {console.dim(local(event.at))}  {console.bold(event.type)}  {subject}"
        f"{console.dim(visible(event.actor))}  {_detail(event)}".rstrip()
    )


def _detail(event: EventView) -> str:
    if event.payload is None:
        return "(erased)"
    said = {name: value for name, value in event.payload.items() if value not in (None, "", [], {}, False)}
    text = visible(msgspec.json.encode(with_iso_times(said)).decode())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


COMMANDS = {
    "history": Command(_configure_history, _history, ("reverie history 12", "reverie history 12 --json")),
    "events": Command(_configure_events, _events, ("reverie events --limit 50", "reverie events --follow --json")),
}
