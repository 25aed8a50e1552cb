"""Commands about memories that contradict each other."""

import argparse

from reverie.cli.arguments import Command, Parser, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.times import age, now_us
from reverie.cli.written import show_written
from reverie.protocol.results import ConflictView

MODES = ("keep_existing", "use_new", "merge", "ask", "temporal")
_DONE = {
    "existing_kept": "the known one was kept",
    "new_used": "the new one took its place",
    "merged": "both are one memory now",
    "flagged": "both are kept",
}


def _configure_conflicts(parser: Parser) -> None:
    parser.add_argument("--all", action="store_true", help="also those that were settled")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")
    parser.add_argument("--before", type=positive, metavar="ID", help="only older ones, to page on")


def _conflicts(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        page = client.conflicts(limit=args.limit, before=args.before, every=args.all)
    if console.as_json:
        console.emit(page)
        return 0
    for conflict in page.conflicts:
        _show(conflict, console)
    if not page.conflicts:
        console.note("nothing contradicts anything" if args.all else "no conflict is open")
    if page.next is not None:
        console.note(f"there are more: --before {page.next}")
    return 0


def _show(conflict: ConflictView, console: Console) -> None:
    found = f"{conflict.rule} {conflict.confidence:.2f} · {age(conflict.detected_at, now_us())} · {_state(conflict)}"
    console.line(f"{console.bold(f'conflict {conflict.id}')} {console.dim(visible(found))}")
    for label, id_, content in (
        ("known", conflict.known, conflict.known_content),
        ("new", conflict.new, conflict.new_content),
    ):
        console.line(f"  {label:<5} {console.bold(f'[id:{id_}]')} {visible(' '.join(content.split()))}")


def _state(conflict: ConflictView) -> str:
    if conflict.open:
        return "open"
    if conflict.resolution is None:
        return _DONE.get(conflict.outcome, conflict.outcome)
    return f"resolved: {conflict.resolution}"


def _configure_resolve(parser: Parser) -> None:
    parser.add_argument("conflict", metavar="ID", type=positive, help="the number that `reverie conflicts` shows")
    parser.add_argument("--mode", choices=MODES, required=True, help="who holds from now on")


def _resolve(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        show_written(client.resolve(args.conflict, args.mode), console)
    return 0


COMMANDS = {
    "conflicts": Command(_configure_conflicts, _conflicts, ("reverie conflicts", "reverie conflicts --all --json")),
    "resolve": Command(
        _configure_resolve, _resolve, ("reverie resolve 41 --mode use_new", "reverie resolve 41 --mode keep_existing")
    ),
}
