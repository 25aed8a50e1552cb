"""`reverie store`: one memory from the arguments, or one per line from a file or a pipe."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import IO

import msgspec

from reverie.cli.arguments import Command, Parser, UsageError, add_list_flag, json_object
from reverie.cli.conflicts import MODES
from reverie.cli.connect import connect
from reverie.cli.console import Console
from reverie.cli.times import ahead
from reverie.cli.written import show_written
from reverie.client import Client
from reverie.protocol.limits import MAX_BATCH, MAX_FRAME
from reverie.protocol.requests import Draft, Store
from reverie.protocol.results import Written
from reverie.protocol.session import Call

ROOM = MAX_FRAME - 64 * 1024


def _configure(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the words; `-` reads standard input")
    parser.add_argument("--file", metavar="FILE", help="read from a file, one memory per line")
    parser.add_argument("--whole", action="store_true", help="with FILE or `-`: one memory of all its lines")
    parser.add_argument("--kind", help="fact, preference, decision, event, plan, context, …")
    add_list_flag(parser, "--tag", "a tag; repeat it, or separate with commas")
    weight = parser.add_mutually_exclusive_group()
    weight.add_argument("--importance", type=float, metavar="0..1", help="default: read off the words")
    weight.add_argument("--level", type=int, metavar="1..5", help="importance in five steps")
    parser.add_argument("--title", help="default: the first sentence")
    parser.add_argument("--source", default="agent", help="where it comes from (default: agent)")
    parser.add_argument("--speaker", help="who said it")
    parser.add_argument("--session", metavar="ID", help="the session it belongs to")
    parser.add_argument("--expires", type=ahead, metavar="TIME", help="e.g. 7d, 12h, 2026-12-31")
    parser.add_argument("--pin", action="store_true", help="never let it fade")
    parser.add_argument("--metadata", type=json_object, default={}, metavar="JSON", help="an object of your own")
    parser.add_argument("--key", help="idempotency key: the same key again stores nothing new")
    parser.add_argument("--no-dedup", action="store_true", help="keep it even if the same is known already")
    parser.add_argument("--on-conflict", choices=MODES, metavar="MODE", help="if it contradicts what is known")
    parser.add_argument("--wait", choices=("durable", "projected", "enriched"), help="when to answer")


def _store(args: argparse.Namespace, console: Console) -> int:
    if args.file is None and args.text != ["-"]:
        return _store_one(" ".join(args.text), args, console)
    if args.file is not None and args.text:
        raise UsageError("give either TEXT or --file, not both")
    with _opened(args.file) as source:
        lines = _decoded(source)
        if args.whole:
            return _store_one("".join(lines), args, console)
        return _store_lines(lines, args, console)


def _store_one(content: str, args: argparse.Namespace, console: Console) -> int:
    if not content.strip():
        raise UsageError("there is nothing to store", "e.g. reverie store 'Ada prefers tea'")
    with connect(args) as client:
        request = Store(id=0, memory=_draft(content.strip(), args), wait=args.wait or "enriched", key=args.key)
        show_written(client.call(Call(request, Written)), console)
    return 0


def _store_lines(lines: Iterable[str], args: argparse.Namespace, console: Console) -> int:
    drafts = (_draft(line.strip(), args) for line in lines if line.strip())
    with connect(args) as client:
        count = sum(_store_batch(client, batch, number, args, console) for number, batch in enumerate(_batches(drafts)))
    if not count:
        raise UsageError("there is nothing to store: every line is empty")
    if count > 1 and not console.as_json:
        console.note(f"{count:,} lines read")
    return 0


def _store_batch(client: Client, batch: list[Draft], number: int, args: argparse.Namespace, console: Console) -> int:
    # The same file under the same key gives the same batches, so a run that broke off can simply be repeated.
    key = f"{args.key}-{number}" if args.key and number else args.key
    for written in client.store_many(batch, wait=args.wait or "durable", key=key).results:
        show_written(written, console)
    console.flush()
    return len(batch)


def _batches(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    """As many as one frame and the daemon take."""
    batch: list[Draft] = []
    size = 0
    for draft in drafts:
        weight = len(msgspec.msgpack.encode(draft))
        if batch and (len(batch) == MAX_BATCH or size + weight > ROOM):
            yield batch
            batch, size = [], 0
        batch.append(draft)
        size += weight
    if batch:
        yield batch


def _draft(content: str, args: argparse.Namespace) -> Draft:
    return Draft(
        content=content,
        title=args.title,
        kind=args.kind,
        importance=args.importance,
        level=args.level,
        pinned=args.pin,
        source=args.source,
        speaker=args.speaker,
        session_id=args.session,
        tags=args.tag,
        expires_at=args.expires,
        metadata=args.metadata,
        dedup=not args.no_dedup,
        on_conflict=args.on_conflict,
    )


def _opened(file: str | None) -> IO[bytes]:
    if file is None or file == "-":
        return sys.stdin.buffer
    try:
        return open(file, "rb")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error


def _decoded(source: IO[bytes]) -> Iterator[str]:
    for number, line in enumerate(source, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"line {number} is not UTF-8 text") from error


COMMANDS = {
    "store": Command(
        _configure,
        _store,
        (
            "reverie store Ada prefers tea in the afternoon --kind preference --tag ada",
            "reverie store --file notes.txt --source migration --key notes-2026",
            "git log -1 --format=%B | reverie store - --whole --tag commit",
        ),
    )
}
