"""Commands that change memories; each says what became of it."""

import argparse
import sys
from collections.abc import Callable

from reverie.cli.arguments import Command, Parser, UsageError, add_ids, json_object, memory_id, tag_list
from reverie.cli.connect import connect
from reverie.cli.console import Console
from reverie.cli.outcomes import each
from reverie.cli.written import show_written
from reverie.client import Client
from reverie.protocol.results import Written


def _on_each(change: Callable[[Client, int], Written], *examples: str) -> Command:
    def run(args: argparse.Namespace, console: Console) -> int:
        with connect(args) as client:
            return each(args.ids, lambda memory: show_written(change(client, memory), console), console)

    return Command(add_ids, run, examples)


def _with_reason(change: Callable[[Client, int, str], Written], *examples: str) -> Command:
    def configure(parser: Parser) -> None:
        add_ids(parser)
        parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the history")

    def run(args: argparse.Namespace, console: Console) -> int:
        with connect(args) as client:
            return each(args.ids, lambda memory: show_written(change(client, memory, args.reason), console), console)

    return Command(configure, run, examples)


def _with_tags(change: Callable[[Client, int, list[str]], Written], *examples: str) -> Command:
    def configure(parser: Parser) -> None:
        add_ids(parser, many=False)
        parser.add_argument("tags", metavar="TAG", type=tag_list, nargs="+")

    def run(args: argparse.Namespace, console: Console) -> int:
        with connect(args) as client:
            show_written(change(client, args.id, [tag for tags in args.tags for tag in tags]), console)
        return 0

    return Command(configure, run, examples)


def _configure_update(parser: Parser) -> None:
    add_ids(parser, many=False)
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the new words; `-` reads standard input")
    parser.add_argument("--title", help="the new title")
    parser.add_argument("--tags", type=tag_list, metavar="A,B", help="the new tags; '' for none")
    weight = parser.add_mutually_exclusive_group()
    weight.add_argument("--importance", type=float, metavar="0..1", help="the new importance")
    weight.add_argument("--level", type=int, metavar="1..5", help="likewise, in five steps")
    parser.add_argument("--metadata", type=json_object, metavar="JSON", help="the new object of your own")


def _update(args: argparse.Namespace, console: Console) -> int:
    changes = {name: getattr(args, name) for name in ("title", "tags", "importance", "level", "metadata")}
    content = sys.stdin.read().strip() if args.text == "-" else args.text
    if content is None and all(value is None for value in changes.values()):
        raise UsageError("nothing to change", "give new words, --title, --tags, --importance or --metadata")
    with connect(args) as client:
        show_written(client.update(args.id, content=content, **changes), console)
    return 0


def _configure_supersede(parser: Parser) -> None:
    parser.add_argument("old", metavar="OLD", type=memory_id, help="the memory that no longer holds")
    parser.add_argument("new", metavar="NEW", type=memory_id, help="the one that stands for it now")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the history")


def _supersede(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        show_written(client.supersede(args.old, args.new, reason=args.reason), console)
    return 0


COMMANDS = {
    "update": Command(
        _configure_update,
        _update,
        ("reverie update 12 'Ada prefers green tea'", "reverie update 12 --title 'Tea' --tags ada,drinks"),
    ),
    "reinforce": _on_each(Client.reinforce, "reverie reinforce 12"),
    "demote": _on_each(Client.demote, "reverie demote 12 15"),
    "pin": _on_each(Client.pin, "reverie pin 12"),
    "unpin": _on_each(Client.unpin, "reverie unpin 12"),
    "tag": _with_tags(Client.tag, "reverie tag 12 tea ada", "reverie tag 12 tea,ada"),
    "untag": _with_tags(Client.untag, "reverie untag 12 tea"),
    "supersede": Command(
        _configure_supersede, _supersede, ("reverie supersede 12 40 --reason 'she changed her mind'",)
    ),
    "archive": _with_reason(
        lambda client, memory, reason: client.archive(memory, reason=reason),
        "reverie archive 12 --reason 'project ended'",
    ),
    "restore": _on_each(Client.restore, "reverie restore 12"),
    "delete": _with_reason(
        lambda client, memory, reason: client.delete(memory, reason=reason),
        "reverie delete 12",
        "reverie delete 12 15 --reason wrong",
    ),
}
