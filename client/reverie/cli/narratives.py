"""`reverie narrative` and `narratives`: where things stand, so that the next session can take up there."""

import argparse
import sys

from reverie.cli.arguments import Command, Parser, UsageError, memory_id, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.times import age, now_us
from reverie.cli.written import show_written
from reverie.protocol.results import NarrativeView

ACTIONS = ("add", "latest", "walk")


def _configure(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="latest", metavar="|".join(ACTIONS))
    parser.add_argument("text", metavar="TEXT", nargs="*", help="for add: where things stand; - reads it from a pipe")
    parser.add_argument("--topic", metavar="NAME", help="what it is about; for latest and walk, only those on it")
    parser.add_argument(
        "--memory", type=memory_id, action="append", default=[], metavar="ID", help="for add: named in it"
    )
    parser.add_argument("--limit", type=positive, default=20, metavar="N", help="for walk")
    parser.add_argument("--before", type=positive, metavar="ID", help="for walk: only older ones, to page on")


def _configure_walk(parser: Parser) -> None:
    parser.add_argument("--topic", metavar="NAME", help="only those about this")
    parser.add_argument("--limit", type=positive, default=20, metavar="N", help="list at most this many (default: 20)")
    parser.add_argument("--before", type=positive, metavar="ID", help="only older ones, to page on")
    parser.set_defaults(action="walk")


def _narrative(args: argparse.Namespace, console: Console) -> int:
    if bool(args.text) != (args.action == "add"):
        raise UsageError(f"`narrative {args.action}` takes {'a' if args.action == 'add' else 'no'} text")
    return _add(args, console) if args.action == "add" else _walk(args, console)


def _add(args: argparse.Namespace, console: Console) -> int:
    text = sys.stdin.read() if args.text == ["-"] else " ".join(args.text)
    with connect(args) as client:
        written = client.narrative_add(text, topic=args.topic or "", memories=args.memory)
    show_written(written, console, what="narrative ")
    return 0


def _walk(args: argparse.Namespace, console: Console) -> int:
    limit = 1 if args.action == "latest" else args.limit
    with connect(args) as client:
        page = client.narratives(limit=limit, before=args.before, topic=args.topic)
    if console.as_json:
        console.emit(page)
        return 0
    for narrative in page.narratives:
        _show(narrative, console)
    if not page.narratives:
        console.note("there is no narrative yet")
    if page.next is not None and args.action == "walk":
        console.note(f"there are more: --before {page.next}")
    return 0


def _show(narrative: NarrativeView, console: Console) -> None:
    parts = [
        *([narrative.topic] if narrative.topic else []),
        age(narrative.at, now_us()),
        *([f"after {narrative.previous}"] if narrative.previous else []),
        *(["low trust"] if narrative.trust == "low" else []),
    ]
    console.line(f"{console.bold(f'narrative {narrative.id}')} {console.dim(visible(' · '.join(parts)))}")
    console.line(f"  {visible(narrative.summary)}" if not narrative.erased else console.dim("  (erased)"))
    if narrative.memories:
        console.line(console.dim("  " + " ".join(f"[id:{id_}]" for id_ in narrative.memories)))


COMMANDS = {
    "narrative": Command(
        _configure,
        _narrative,
        (
            'reverie narrative add "The importer is done; next: its progress bar." --topic importer --memory 41',
            "reverie narrative latest",
            "reverie narrative walk --topic importer",
        ),
    ),
    "narratives": Command(_configure_walk, _walk, ("reverie narratives", "reverie narratives --topic importer --json")),
}
