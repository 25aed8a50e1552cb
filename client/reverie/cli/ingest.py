"""`reverie ingest`: files and directories as documents, cut into memories. A second run goes on, or changes nothing."""

import argparse
import os

from reverie.cli.arguments import Command, Parser, UsageError, add_list_flag
from reverie.cli.connect import PATIENT, connect
from reverie.cli.console import Console, visible
from reverie.cli.progress import Line
from reverie.cli.remarks import remarks, some
from reverie.cli.texts import Source, Unreadable, sources, text_of
from reverie.cli.times import ago
from reverie.client import Client
from reverie.errors import DaemonUnavailable, ReverieError
from reverie.protocol.requests import Chunking
from reverie.protocol.results import Ingested

# A reference longer than the daemon takes keeps its end, where the file's name is.
_LONGEST_REFERENCE = 256
# Of a long path the end stands before the bar, so that both fit a line.
_LABEL = 40
# Text with headings and sentences; everything else that can be read is taken for code, and cut at its blank lines.
_PROSE = ("", ".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".org", ".adoc", ".tex", ".html", ".htm")


def _configure(parser: Parser) -> None:
    parser.add_argument("sources", metavar="FILE|DIR|-", nargs="+", help="text, markdown, code; `-` is standard input")
    parser.add_argument("--title", help="default: the first sentence, or the first heading")
    add_list_flag(parser, "--tag", "a tag for every chunk; repeat it, or separate with commas")
    parser.add_argument("--source", default="upload", help="upload, connector, chat, … (default: upload)")
    parser.add_argument("--ref", metavar="TEXT", help="where it comes from (default: the path)")
    parser.add_argument("--speaker", help="who wrote it")
    parser.add_argument("--session", metavar="ID", help="the session it belongs to")
    parser.add_argument("--at", type=ago, metavar="TIME", help="when it was written (default: now)")
    parser.add_argument("--chunking", choices=("meaning", "document", "chat"), help="default: by source and file name")
    parser.add_argument("--no-wait", action="store_true", help="return when the text is on disk, before it is cut")


def _ingest(args: argparse.Namespace, console: Console) -> int:
    found = list(sources(args.sources))
    if args.title and len(found) > 1:
        raise UsageError("--title names one text, and here are several")
    line = Line(quiet=console.as_json)
    failed = taken = 0
    with connect(args, timeout=PATIENT) as client:
        for source in found:
            try:
                _show(_taken(client, source, args, line), source, console)
                taken += 1
            except Unreadable as reason:
                line.clear()
                console.note(f"skipped {visible(source.name)}: {reason}")
            except DaemonUnavailable:
                raise
            except ReverieError as error:
                line.clear()
                failed += 1
                console.fail(error.code, f"{source.name}: {error.message}", field=error.field, hint=error.hint)
            console.flush()
    if not taken and not failed:
        raise UsageError("there is nothing to take in", "text, markdown and code are; binaries are not")
    return 1 if failed else 0


def _taken(client: Client, source: Source, args: argparse.Namespace, line: Line) -> Ingested:
    text = text_of(source)
    reference = args.ref or source.path
    result = client.ingest(
        text,
        title=args.title,
        tags=args.tag,
        source=args.source,
        source_ref=reference and reference[-_LONGEST_REFERENCE:],
        speaker=args.speaker,
        session_id=args.session,
        created_at=args.at,
        chunking=args.chunking or _chunking(source, args.source),
        wait="durable" if args.no_wait else "chunked",
        progress=lambda now: line.draw(_label(source), now.handled, now.chunks),
    )
    line.clear()
    return result


def _label(source: Source) -> str:
    return visible(source.name[-_LABEL:])


def _chunking(source: Source, kind: str) -> Chunking | None:
    extension = os.path.splitext(source.path or "")[1].lower()
    return "meaning" if kind == "upload" and extension not in _PROSE else None


def _show(result: Ingested, source: Source, console: Console) -> None:
    if console.as_json:
        console.emit({**{name: getattr(result, name) for name in result.__struct_fields__}, "file": source.path})
        return
    said = remarks(result.notes)
    about = console.dim(f" ({visible('; '.join(said))})") if said else ""
    console.line(f"{console.bold(f'[id:{result.id}]')} {visible(source.name)}: {_became(result)}{about}")


def _became(result: Ingested) -> str:
    if not result.done:
        return "received; its memories follow"
    counts = [some(result.stored, "memory", "memories")]
    rest = ((result.duplicates, "known already"), (result.discarded, "discarded"))
    counts += [f"{number:,} {name}" for number, name in rest if number]
    known = "was here already, as " if result.outcome == "duplicate" else ""
    return known + ", ".join(counts)


COMMANDS = {
    "ingest": Command(
        _configure,
        _ingest,
        (
            "reverie ingest notes/harbour.md --tag harbour",
            "reverie ingest docs/ src/ --source connector",
            "pdftotext report.pdf - | reverie ingest - --title 'Annual report' --ref report.pdf",
        ),
    )
}
