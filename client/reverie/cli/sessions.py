"""`reverie session` and `sessions`: where a conversation begins and ends, and which ones there were."""

import argparse

from reverie.cli.arguments import Command, Parser, UsageError, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.remarks import some
from reverie.cli.times import age, now_us
from reverie.cli.written import show_written
from reverie.protocol.results import SessionView

ACTIONS = ("begin", "end", "list")


def _configure(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="list", metavar="|".join(ACTIONS))
    parser.add_argument("session", metavar="SESSION", nargs="?", help="its id; begin makes one up where none is given")
    parser.add_argument("--summary", metavar="TEXT", help="for end: what to keep of it, in your own words")
    _configure_list(parser)


def _configure_list(parser: Parser) -> None:
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="list at most this many (default: 50)")
    parser.add_argument("--cursor", metavar="NEXT", help="go on where the last page of the list ended")


def _session(args: argparse.Namespace, console: Console) -> int:
    if args.action == "list":
        return _list(args, console)
    if args.action == "end" and args.session is None:
        raise UsageError("`session end` takes the id of a session", "`reverie session list` shows them")
    return _begin(args, console) if args.action == "begin" else _end(args, console)


def _begin(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        begun = client.session_begin(args.session)
    if console.as_json:
        console.emit(begun)
    else:
        console.line(visible(begun.session_id))
    return 0


def _end(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        ended = client.session_end(args.session, summary=args.summary)
    if console.as_json:
        show_written(ended, console)
    elif ended.id:
        console.line(f"ended, told by {console.bold(f'[id:{ended.id}]')} {console.dim(' '.join(ended.notes))}")
    else:
        console.line("ended; there was nothing to tell")
    return 0


def _list(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        page = client.sessions(limit=args.limit, cursor=args.cursor)
    if console.as_json:
        console.emit(page)
        return 0
    for session in page.sessions:
        _show(session, console)
    if not page.sessions:
        console.note("no session is known")
    if page.next is not None:
        console.note(f"there are more: --cursor {page.next}")
    return 0


def _show(session: SessionView, console: Console) -> None:
    told = session.compressed_into or session.account
    parts = [
        some(session.memories, "memory", "memories"),
        age(session.last_at, now_us()),
        *([", ".join(session.speakers)] if session.speakers else []),
        *(["open"] if session.open else []),
        *([f"told by [id:{told}]"] if told else []),
    ]
    console.line(f"{console.bold(visible(session.session_id))}  {console.dim(visible(' · '.join(parts)))}")


COMMANDS = {
    "session": Command(
        _configure,
        _session,
        ("reverie session begin", "reverie session end session-3f2a9c", "reverie session list --json"),
    ),
    "sessions": Command(_configure_list, _list, ("reverie sessions", "reverie sessions --limit 5 --json")),
}
