"""Commands that look memories up, without a question."""

import argparse

from reverie.cli.arguments import Command, Parser, add_ids, add_list_flag, add_period, memory_id, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console
from reverie.cli.memories import show_listed, show_whole
from reverie.cli.outcomes import each
from reverie.client import Client
from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.results import MemoryView, Page


def _get(args: argparse.Namespace, console: Console) -> int:
    show = console.emit if console.as_json else (lambda memory: show_whole(memory, console))
    with connect(args) as client:
        return each(args.ids, lambda memory: show(client.get(memory)), console)


def _configure_list(parser: Parser) -> None:
    add_list_flag(parser, "--state", "active, stale, archived or deleted")
    add_list_flag(parser, "--kind", "only this kind")
    add_list_flag(parser, "--tag", "only with this tag")
    parser.add_argument("--limit", type=positive, default=20, metavar="N", help="at most this many (default: 20)")
    parser.add_argument("--before", type=memory_id, metavar="ID", help="only what is older than this id")


def _list(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        _show_page(_listed(client, args), console)
    return 0


def _listed(client: Client, args: argparse.Namespace) -> Page:
    found: list[MemoryView] = []
    following: str | None = str(args.before) if args.before else None
    while True:
        page = client.list(
            limit=min(args.limit - len(found), MAX_PAGE),
            before=int(following) if following else None,
            states=args.state,
            kinds=args.kind,
            tags=args.tag,
        )
        found, following = found + page.memories, page.next
        if following is None or len(found) >= args.limit:
            return Page(memories=found, next=following)


def _configure_timeline(parser: Parser) -> None:
    add_period(parser)
    parser.add_argument("--session", metavar="ID", help="only this session")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")


def _timeline(args: argparse.Namespace, console: Console) -> int:
    found: list[MemoryView] = []
    following: str | None = None
    with connect(args) as client:
        while True:
            page = client.timeline(
                since=args.since,
                until=args.until,
                session_id=args.session,
                limit=min(args.limit - len(found), MAX_PAGE),
                cursor=following,
            )
            found, following = found + page.memories, page.next
            if following is None or len(found) >= args.limit:
                break
    _show_page(Page(memories=found, next=following), console)
    return 0


def _show_page(page: Page, console: Console) -> None:
    if console.as_json:
        console.emit(page)
        return
    for memory in page.memories:
        show_listed(memory, console)
    if not page.memories:
        console.note("nothing found")
    elif page.next is not None:
        console.note("there are more: raise --limit")


COMMANDS = {
    "get": Command(add_ids, _get, ("reverie get 12", "reverie get '[id:12]' 15 --json")),
    "list": Command(
        _configure_list, _list, ("reverie list --tag ada", "reverie list --state archived --limit 100 --json")
    ),
    "timeline": Command(
        _configure_timeline, _timeline, ("reverie timeline --since 7d", "reverie timeline --session standup-41")
    ),
}
