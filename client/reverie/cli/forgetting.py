"""Commands that show how memories fade."""

import argparse
from pathlib import Path

from reverie.cli.arguments import Command, Parser, UsageError, memory_id
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.drawing import drawn
from reverie.protocol.results import CurveReport

PICTURES = (".svg", ".png")


def _configure_stats(parser: Parser) -> None:
    parser.add_argument("--days", type=float, default=7.0, metavar="N", help="how far to look ahead (default: 7)")


def _stats(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.stats(days=args.days)
    if console.as_json:
        console.emit(report)
        return 0
    if not report.states:
        console.note("there is no memory yet")
        return 0
    for title, counts in (("states", report.states), ("tiers", report.tiers), ("kinds", report.kinds)):
        console.line(console.bold(title))
        for line in _bars(counts):
            console.line(f"  {line}")
    console.line(console.bold(f"within {report.days:g} days"))
    for change in report.coming:
        console.line(f"  {change.count:>7,} {change.before} → {change.after} {console.dim(visible(change.reason))}")
    if not report.coming:
        console.line("  nothing will change")
    return 0


def _bars(counts: dict[str, int]) -> list[str]:
    most = max(counts.values(), default=0)
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return [f"{visible(name):<12} {number:>7,} {'█' * round(40 * number / most)}" for name, number in ordered]


def _configure_curve(parser: Parser) -> None:
    parser.add_argument("id", metavar="ID", type=memory_id, nargs="?")
    parser.add_argument("--kind", help="of any memory of this kind instead")
    parser.add_argument("--days", type=float, metavar="N", help="how far to draw")
    parser.add_argument("--out", metavar="FILE.svg|.png", help="write a picture instead")


def _curve(args: argparse.Namespace, console: Console) -> int:
    if (args.id is None) == (args.kind is None):
        raise UsageError("name a memory or --kind", "see `reverie curve --help`")
    if args.out and Path(args.out).suffix not in PICTURES:
        raise UsageError(f"{args.out} is no name of a picture", "end it with .svg or .png")
    with connect(args) as client:
        report = client.curve(args.id, kind=args.kind, days=args.days)
    if args.out:
        _write(Path(args.out), report)
        console.note(f"written to {visible(args.out)}")
    elif console.as_json:
        console.emit(report)
    else:
        for line in drawn(report, console.width or 100):
            console.line(line)
    return 0


def _write(path: Path, report: CurveReport) -> None:
    from reverie.cli import picture, raster  # here, not above: few commands draw, and every one of them starts

    try:
        path.write_bytes(picture.svg(report) if path.suffix == ".svg" else raster.png(report))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


COMMANDS = {
    "stats": Command(_configure_stats, _stats, ("reverie stats", "reverie stats --days 30")),
    "curve": Command(
        _configure_curve, _curve, ("reverie curve 12", "reverie curve --kind plan", "reverie curve 12 --out 12.png")
    ),
}
