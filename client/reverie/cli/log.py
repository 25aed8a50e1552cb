"""`reverie log`: what the memory lives through, told rather than dumped."""

import argparse
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from reverie.cli.arguments import Command, Parser, add_list_flag, memory_id, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console
from reverie.cli.telling import LONGEST, sentence
from reverie.cli.times import ago, day_of, time_of
from reverie.client import Client
from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.results import EventView

LATEST = 20
_ID = re.compile(r"\[id:\d+\]")
_AROUND = 36  # columns of a sentence that are not a memory's own words
# What happens most often and matters least is told in a low voice.
_QUIET = ("memory.recalled", "memory.accessed", "memory.transitioned", "chunk.discarded", "config.changed", "job.ran")
_ABOUT = ("ids", "by", "into", "against", "new", "known", "winner", "others")


def _configure(parser: Parser) -> None:
    parser.add_argument("--since", type=ago, metavar="TIME", help="e.g. 7d, 12h, 2026-01-31, 2026-01-31T09:00")
    parser.add_argument("--limit", type=positive, metavar="N", help=f"the latest N that match (default: {LATEST})")
    parser.add_argument("--memory", type=memory_id, metavar="ID", help="only what concerns this memory")
    add_list_flag(parser, "--actor", "only what this client did")
    add_list_flag(parser, "--type", "only this type, e.g. memory.stored, or a family of them: job, conflict")
    parser.add_argument("--follow", "-f", action="store_true", help="go on as things happen, until Ctrl-C")


def _log(args: argparse.Namespace, console: Console) -> int:
    wanted = _wanted(args)
    teller = Teller(console)
    with connect(args) as client:
        seen = client.ping().head
        for event in _told(client, wanted, args):
            teller.tell(event)
            seen = max(seen, event.seq)
        if args.follow:
            console.flush()
            for event in filter(wanted, client.subscribe(seen + 1)):
                teller.tell(event)
                console.flush()
    return 0


def _wanted(args: argparse.Namespace) -> Callable[[EventView], bool]:
    def matches(event: EventView) -> bool:
        return (
            (not args.actor or event.actor in args.actor)
            and (not args.type or event.type in args.type or event.type.partition(".")[0] in args.type)
            and (args.memory is None or concerns(event, args.memory))
        )

    return matches


def concerns(event: EventView, memory: int) -> bool:
    """Whether the memory is its subject, or named beside it."""
    if event.subject == memory:
        return True
    named = [(event.payload or {}).get(name) for name in _ABOUT]
    return any(memory in value if isinstance(value, list) else value == memory for value in named)


def _before_moment(client: Client, moment: int) -> int:
    """The times of events never decrease, so halving finds the place in any log with a few questions."""
    low, high = 0, client.ping().head
    while low < high:
        middle = (low + high) // 2
        found = client.events(after=middle, limit=1).events
        if not found or found[0].at >= moment:
            high = middle
        else:
            low = found[0].seq
    return low


def _told(client: Client, wanted: Callable[[EventView], bool], args: argparse.Namespace) -> Iterable[EventView]:
    """All that match since a moment, or the last few of them."""
    if args.since is not None:
        matching = filter(wanted, _past(client, _before_moment(client, args.since)))
        return deque(matching, maxlen=args.limit) if args.limit else matching
    return _latest(client, wanted, args.limit or LATEST)


def _latest(client: Client, wanted: Callable[[EventView], bool], limit: int) -> Iterable[EventView]:
    """Looks ever further back, for much of a log may be about other things or belong to others."""
    head, reach = client.ping().head, limit
    while True:
        found = deque(filter(wanted, _past(client, max(0, head - reach))), maxlen=limit)
        if len(found) == limit or reach >= head:
            return found
        reach *= 8


def _past(client: Client, after: int) -> Iterator[EventView]:
    following: int | None = after
    while following is not None:
        page = client.events(after=following, limit=MAX_PAGE)
        yield from page.events
        following = page.next


class Teller:
    """Prints each event as a line, and the date where a new day begins."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._day = ""

    def tell(self, event: EventView) -> None:
        console = self._console
        if console.as_json:
            said = {"seq": event.seq, "at": event.at, "type": event.type, "actor": event.actor}
            console.emit({**said, "memory": event.subject, "sentence": sentence(event, LONGEST)})
            return
        day = day_of(event.at)
        if day != self._day:
            console.line(console.dim(f"── {day} ──"))
            self._day = day
        console.line(f"{console.dim(time_of(event.at))}  {told(event, console)}")


def told(event: EventView, console: Console, around: int = _AROUND) -> str:
    room = max((console.width or 160) - around, 20)
    text = sentence(event, room)
    if event.type in _QUIET:
        return console.dim(text)
    if event.type.startswith("conflict."):
        return console.warning(text)
    return _ID.sub(lambda found: console.bold(found[0]), text)


COMMANDS = {
    "log": Command(
        _configure,
        _log,
        (
            "reverie log",
            "reverie log --follow",
            "reverie log --since 1d --type memory.stored,conflict",
            "reverie log --memory 12 --limit 50 --json",
        ),
    )
}
