"""Commands that ask a question, and those that ask how it was answered."""

import argparse

from reverie.cli.arguments import Command, Parser, add_list_flag, add_period, memory_id, positive, share
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible, visible_lines
from reverie.cli.memories import show_recalled
from reverie.cli.signals import bar_lines, signal_lines
from reverie.client import Client
from reverie.protocol.results import ContextBlock, Recalled, WhyReport

INDENT = "       "


def _configure_recall(parser: Parser) -> None:
    _add_question(parser)
    parser.add_argument("--profile", help="how to rank (default: the configured one, adaptive)")
    add_list_flag(parser, "--kind", "only this kind")
    add_list_flag(parser, "--system", "only semantic, procedural, episodic or working memory")
    add_list_flag(parser, "--tag", "only with this tag")
    add_period(parser)
    parser.add_argument("--archived", action="store_true", help="also look in the archive")
    parser.add_argument("--only-archived", action="store_true", help="look only in the archive")
    parser.add_argument("--include-compressed", action="store_true", help="also what an account stands for")
    parser.add_argument("--include-replaced", action="store_true", help="also what newer memories took the place of")
    parser.add_argument("--floor", type=share, metavar="X", help="evidence needed to answer at all; 0 always answers")
    parser.add_argument("--min-score", type=float, default=0.0, metavar="X", help="leave out what ranks lower")
    parser.add_argument("--expand", action="store_true", help="also what the answers are linked to")
    parser.add_argument("--explain", action="store_true", help="show what each score is made of")


def _add_question(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="+", help="a question or some words")
    parser.add_argument("--limit", type=positive, metavar="N", help="at most this many (default: 5)")
    parser.add_argument("--budget", type=positive, metavar="TOKENS", help="at most this many tokens in all")


def _recall(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        found = client.recall(
            " ".join(args.query),
            limit=args.limit,
            token_budget=args.budget,
            profile=args.profile,
            kinds=args.kind,
            systems=args.system,
            tags=args.tag,
            since=args.since,
            until=args.until,
            include_archived=args.archived,
            only_archived=args.only_archived,
            include_compressed=args.include_compressed,
            include_replaced=args.include_replaced,
            min_score=args.min_score,
            floor=args.floor,
            explain=args.explain,
            expand_links=args.expand,
        )
    if console.as_json:
        console.emit(found)
    else:
        _show_found(found, console)
    _say_doubt(client, console)
    return 0


def _say_doubt(client: Client, console: Console) -> None:
    """What the daemon itself said against taking this answer for the last word; beside the answer, also in a pipe."""
    if client.doubt is not None:
        console.note(f"doubtful: {visible(client.doubt)}")


def _show_found(found: Recalled, console: Console) -> None:
    for memory in found.memories:
        show_recalled(memory, console)
        if memory.contributions:
            for line in signal_lines(memory.signals, memory.contributions, found.weights):
                console.line(f"{INDENT}{console.dim(line)}")
    if not found.memories:
        console.note(_silence(found))
    _say_how(found, console)


def _silence(found: Recalled) -> str:
    nearest = found.evidence > 0 or found.semantic  # else there was nothing to come near
    if found.evidence >= found.floor or not nearest:
        return "nothing found"
    return (
        f"nothing answers this well enough: the evidence is {found.evidence:.2f}, the floor {found.floor:.2f}; "
        "--floor 0 shows what comes nearest"
    )


def _say_how(found: Recalled | ContextBlock | WhyReport, console: Console) -> None:
    if not found.semantic:
        console.note(f"keywords only: {visible(found.semantic_reason or 'no embedder')}")
    elif found.semantic_reason:
        console.note(visible(found.semantic_reason))
    if isinstance(found, Recalled) and found.rerank_reason:
        console.note(f"not ranked again: {visible(found.rerank_reason)}")


def _context(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        found = client.context(" ".join(args.query), limit=args.limit, token_budget=args.budget)
    _say_doubt(client, console)
    if console.as_json:
        console.emit(found)
        return 0
    console.line(visible_lines(found.block))
    _say_how(found, console)
    return 0


def _configure_why(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", help="the question as it was asked")
    parser.add_argument("id", metavar="ID", type=memory_id)
    parser.add_argument("--limit", type=positive, metavar="N", help="how many were asked for (default: 5)")


def _why(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.why(args.query, args.id, limit=args.limit)
    _say_doubt(client, console)
    if console.as_json:
        console.emit(report)
    else:
        _show_reason(report, console)
    return 0


def _show_reason(report: WhyReport, console: Console) -> None:
    label = f"[id:{report.memory}]"
    verdict = console.good("returned") if report.returned else console.warning("not returned")
    console.line(f"{console.bold(label)} {verdict}: {visible(report.reason)}")
    if report.rank is not None:
        console.line(f"  {console.dim('place     ')} {report.rank}")
    console.line(
        f"  {console.dim('evidence  ')} {report.evidence:.2f} of the best one, where {report.floor:.2f} is needed"
    )
    if any(report.parts.values()):
        parts = ", ".join(f"{name} {value:+.2f}" for name, value in report.parts.items() if value)
        console.line(f"  {console.dim('relevance ')} {parts}")
    for line in bar_lines(report.signals, report.contributions):
        console.line(f"  {console.dim(line)}")
    _say_how(report, console)


COMMANDS = {
    "recall": Command(
        _configure_recall,
        _recall,
        ("reverie recall 'what does Ada drink?'", "reverie recall deploy --kind decision --since 30d --explain"),
    ),
    "context": Command(
        _add_question,
        _context,
        ("reverie context 'plan the release' --budget 800", "reverie context deploy --json"),
    ),
    "why": Command(
        _configure_why,
        _why,
        ("reverie why 'what does Ada drink?' 12", "reverie why deploy '[id:12]' --limit 10 --json"),
    ),
}
