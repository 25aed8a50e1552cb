"""`reverie top`: how the daemon is doing right now, drawn in place on a terminal and said once in a pipe."""

import argparse
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from reverie.cli.arguments import Command, Parser, seconds
from reverie.cli.connect import connect
from reverie.cli.console import Console
from reverie.cli.rates import rates
from reverie.cli.top_view import as_object, condition, lately
from reverie.client import Client
from reverie.errors import ReverieError
from reverie.protocol.results import EventView, JobStatus, StatusReport

if TYPE_CHECKING:
    from reverie.cli.screen import Screen

EVENTS, SHOWN = 60, 8
LOOKS = 5  # rates are taken over so many refreshes, so that they do not flicker
PATIENCE = 3.0


class Look(NamedTuple):
    status: StatusReport
    jobs: list[JobStatus]
    events: list[EventView]


def look(client: Client) -> Look:
    status = client.status()
    events = client.events(after=max(0, status.head - EVENTS), limit=EVENTS).events
    return Look(status, client.jobs().jobs, events)


def _configure(parser: Parser) -> None:
    parser.add_argument("--every", type=seconds, default=1.0, metavar="SECONDS", help="how often to look (default: 1)")
    parser.add_argument("--once", action="store_true", help="look once and end, as in a pipe")


def _top(args: argparse.Namespace, console: Console) -> int:
    with connect(args, timeout=PATIENCE) as client:
        if console.as_json:
            return _report(client, args, console)
        if args.once or not sys.stdout.isatty():
            _print(*_two_looks(client, args.every), console)
            return 0
        return _live(client, args, console)


def _two_looks(client: Client, pause: float) -> tuple[Look, Look]:
    first = look(client)
    time.sleep(pause)
    return first, look(client)


def _report(client: Client, args: argparse.Namespace, console: Console) -> int:
    first, now = _two_looks(client, args.every)
    while True:
        console.emit(as_object(now.status, now.jobs, *rates(first.status, now.status)))
        console.flush()
        if args.once:
            return 0
        time.sleep(args.every)
        first, now = now, look(client)


def _print(first: Look, now: Look, console: Console) -> None:
    from reverie.cli.screen import painted

    for line in [*condition(now.status, now.jobs, *rates(first.status, now.status)), *lately(now.events[-SHOWN:])]:
        console.line(painted(line, console.colors).rstrip())


def _live(client: Client, args: argparse.Namespace, console: Console) -> int:
    from reverie.cli.screen import Screen

    looks: deque[Look] = deque([look(client)], maxlen=LOOKS + 1)
    trouble = ""
    with Screen(colors=console.colors) as screen:
        while True:
            _draw(screen, looks, trouble)
            due = time.monotonic() + args.every
            while (left := due - time.monotonic()) > 0:
                key = screen.key(left)
                if key in ("q", "Q", "\x1b"):
                    return 0
                if key == "":
                    _draw(screen, looks, trouble)
            try:
                looks.append(look(client))
                trouble = ""
            except ReverieError as error:
                trouble = error.message


def _draw(screen: "Screen", looks: "deque[Look]", trouble: str) -> None:
    columns, rows = screen.size
    now = looks[-1]
    above = condition(now.status, now.jobs, *rates(looks[0].status, now.status))
    if trouble:
        above.insert(0, [("bad", "no answer, looking again"), ("dim", f"  {trouble}")])
    room = max(rows - len(above) - 1, 0)
    events = lately(now.events[len(now.events) - min(room, len(now.events)) :], columns)
    screen.draw([*[*above, *events][: rows - 1], [("dim", "q ends it")]])


COMMANDS = {
    "top": Command(_configure, _top, ("reverie top", "reverie top --every 5", "reverie top --once --json")),
}
