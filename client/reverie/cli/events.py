"""Commands that read the event log."""

import argparse
from collections.abc import Iterator

from reverie.cli.arguments import Command, Parser, add_ids, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.times import local
from reverie.client import Client
from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.results import EventView

_SHOWN = 160  # columns, where there is no terminal to ask
_BEFORE = 53  # columns taken by the number, the time, who asked, and the type


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
    parser.add_argument("--limit", type=positive, metavar="N", help="at most this many (default: the latest 20)")
    parser.add_argument("--follow", "-f", action="store_true", help="go on as events happen, until Ctrl-C")


def _events(args: argparse.Namespace, console: Console) -> int:
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
    about = console.dim(f"{local(event.at)}  {visible(event.actor):<8}")
    room = (console.width or _SHOWN) - _BEFORE
    text = f"{subject}{_detail(event)}"
    shown = text if len(text) <= room else text[: room - 1] + "…"
    console.line(f"{event.seq:>6}  {about} {console.bold(f'{event.type:<17}')} {shown}".rstrip())


def _detail(event: EventView) -> str:
    """The words of a memory where there are any, else what else the event says."""
    if event.payload is None:
        return "(erased)"
    said = {name: value for name, value in event.payload.items() if value not in (None, "", [], {}, False)}
    return visible(str(said.get("content") or " · ".join(f"{name} {_plain(value)}" for name, value in said.items())))


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


COMMANDS = {
    "history": Command(_configure_history, _history, ("reverie history 12", "reverie history 12 --json")),
    "events": Command(_configure_events, _events, ("reverie events --limit 50", "reverie events --follow --json")),
}
