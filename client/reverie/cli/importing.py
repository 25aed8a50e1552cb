"""`reverie import`: memories of another program, or of this one, into the daemon."""

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from reverie.cli.arguments import Command, Parser, UsageError
from reverie.cli.connect import PATIENT, connect_to
from reverie.cli.console import Console, visible
from reverie.cli.importing_progress import Progress
from reverie.transfer.catalog import EVENTS_HEADING, FORMATS, format_of
from reverie.transfer.receiving import Importer, Tally
from reverie.transfer.sources import Source, opened

_SAID = {
    "stored": "new",
    "repeated": "imported before",
    "duplicate": "known already",
    "refuted": "let go of here, left so",
    "passed by": "passed by",
    "links": "links",
    "open links": "links to memories that did not come along",
    "bad": "bad",
}


def _configure(parser: Parser) -> None:
    parser.set_defaults(namespace="")
    parser.add_argument("path", metavar="FILE|DIR|-", help="what to read; `-` is standard input")
    parser.add_argument("--format", choices=[*FORMATS], metavar="NAME", help="; ".join(FORMATS) + " (default: by look)")
    parser.add_argument("--dry-run", action="store_true", help="read everything, send nothing, say what would go")


def _import(args: argparse.Namespace, console: Console) -> int:
    used: Counter[str] = Counter()
    with ExitStack() as stack, Progress(console, args.path) as progress:
        client_for = None if args.dry_run else connect_to(args, stack, timeout=PATIENT)
        importer = Importer(client_for, args.namespace or None)
        for source, format_ in _sources(args):
            used[format_] += 1
            for item in FORMATS[format_].read(source):
                importer.take(item)
                progress.show(source, importer.tally.counts)
            progress.done(source)
        importer.finish()
    if not used:
        raise UsageError(
            f"nothing in {args.path} is of a known format", f"name one with --format: {', '.join(FORMATS)}"
        )
    _report(importer.tally, used, args, console)
    return 1 if importer.tally.problems else 0


def _sources(args: argparse.Namespace) -> Iterator[tuple[Source, str]]:
    alone = None
    try:
        for source in opened(args.path):
            alone = source.path.name == source.name or source.name == "-"
            if source.head().startswith(EVENTS_HEADING):
                raise UsageError(
                    f"{source.name} is a raw event log, which only an empty directory can take",
                    f"reveried --data DIRECTORY --restore-events {args.path}",
                )
            format_ = args.format or format_of(source)
            if format_ is not None and (args.format is None or alone or FORMATS[format_].takes(source)):
                yield source, format_
    except OSError as error:
        raise UsageError(f"cannot read {error.filename or args.path}: {error.strerror}") from error


def _report(tally: Tally, used: Counter[str], args: argparse.Namespace, console: Console) -> None:
    if console.as_json:
        console.emit(_fields(tally, used, args.dry_run))
        return
    for problem in tally.problems:
        console.note(f"{visible(problem.place)}: {visible(problem.reason)}")
    files = ", ".join(f"{count:,} {name}" for name, count in used.items())
    total = tally.counts["read"]
    verb = "would send" if args.dry_run else "read"
    console.line(f"{verb} {console.bold(f'{total:,}')} memories  {console.dim(f'from files: {files}')}")
    for name, words in _SAID.items():
        if tally.counts[name]:
            console.line(f"  {tally.counts[name]:>9,}  {words}")
    for reason, count in tally.passed_by.most_common(5):
        console.note(f"  {count:,} × {visible(reason)}")


def _fields(tally: Tally, used: Counter[str], dry_run: bool) -> dict[str, Any]:
    counts = {name.replace(" ", "_"): tally.counts[name] for name in ("read", *_SAID)}
    problems = [{"place": problem.place, "reason": problem.reason} for problem in tally.problems]
    return {"dry_run": dry_run, "files": dict(used), **counts, "problems": problems}


COMMANDS = {
    "import": Command(
        _configure,
        _import,
        (
            "reverie import ~/.claude/projects/-home-ada-app/memory --dry-run",
            "reverie import conversations.json --namespace chats",
            "reverie import memory.jsonl --format mcp",
            "reverie export --all | reverie --socket other.sock import -",
        ),
    )
}
