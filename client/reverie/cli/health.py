"""Commands that ask how the daemon is."""

import argparse
import time

from reverie.cli.arguments import Command, Parser, no_arguments
from reverie.cli.connect import PATIENT, connect
from reverie.cli.console import Console, visible
from reverie.cli.times import local
from reverie.protocol.results import StatusReport, VerifyReport


def _status(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.status()
    if console.as_json:
        console.emit(report)
        return 0
    console.line(f"{console.bold(f'reveried {report.version}')} pid {report.pid}, up {span(report.uptime_s)}")
    for name, value in _status_lines(report):
        console.line(f"  {console.dim(f'{name:<10}')} {visible(value)}")
    for degradation in report.degraded:
        console.line(f"  {console.warning('degraded  ')} {visible(degradation)}")
    return 0


def _status_lines(report: StatusReport) -> list[tuple[str, str]]:
    behind = report.head - report.projected
    return [
        ("log", f"{report.head:,} events, " + (f"{behind:,} not yet projected" if behind else "all projected")),
        ("memories", " · ".join(f"{count:,} {state}" for state, count in report.memories.items()) or "none"),
        ("sizes", " · ".join(f"{name} {size(count)}" for name, count in report.sizes.items())),
        ("embedder", _embedder(report.embedder)),
        ("config", _config(report.config)),
        ("clients", f"{report.connections} connected, {report.queue} writes waiting"),
        (
            "verified",
            _verified(report.last_verified) if report.last_verified else "not since the daemon started",
        ),
    ]


def with_local_times(values: dict[str, object]) -> dict[str, object]:
    return {name: local(value) if name == "at" and isinstance(value, int) else value for name, value in values.items()}


def _embedder(about: dict[str, object]) -> str:
    model = f"{about['model']} ({about.get('runtime')})" if about.get("model") else "no model"
    parts = [model, str(about.get("state") or "none"), f"{about.get('embedded', 0):,} memories embedded"]
    parts += [f"{about['to_do']:,} to do"] if about.get("to_do") else []
    parts += [f"started again {about['restarts']} times"] if about.get("restarts") else []
    return " · ".join(parts)


def _config(about: dict[str, object]) -> str:
    waiting = about.get("needs_restart")
    after = [f"in force after the next start: {', '.join(waiting)}"] if isinstance(waiting, list) and waiting else []
    return " · ".join([str(about.get("path")), *([str(about["problem"])] if about.get("problem") else []), *after])


def _verified(about: dict[str, object]) -> str:
    return f"{'ok' if about.get('ok') else 'NOT OK, see `reverie doctor`'}, {with_local_times(about)['at']}"


def _verify_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--expect", metavar="HEAD:CHAIN", help="what an earlier run printed: still there, and the same?"
    )


def _verify(args: argparse.Namespace, console: Console) -> int:
    with connect(args, timeout=PATIENT) as client:
        report = client.verify(expect=args.expect)
    if console.as_json:
        console.emit(report)
    else:
        _show_verified(report, console)
    return 0 if report.ok else 1


def _show_verified(report: VerifyReport, console: Console) -> None:
    console.line(console.good("ok") if report.ok else console.bad("NOT OK"))
    for name, value in (
        ("events", f"{report.events:,} (head {report.head:,}, {report.erased:,} erased)"),
        ("chain", report.chain),
        ("live", report.live_digest),
        ("replayed", report.replayed_digest),
    ):
        console.line(f"  {console.dim(f'{name:<9}')} {visible(value)}")
    for problem in report.problems:
        console.line(f"  {console.bad('problem  ')} {visible(problem)}")


def _ping(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        client.ping()
        started = time.perf_counter()
        pong = client.ping()
        took = time.perf_counter() - started
    if console.as_json:
        console.emit({"head": pong.head, "took_us": round(took * 1_000_000)})
    else:
        console.line(f"pong: {pong.head:,} events, {took * 1_000:.2f} ms")
    return 0


def size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1_000:
            return f"{count:.3g} {unit}"
        count /= 1_000
    return f"{count:.3g} TB"


def span(seconds: float) -> str:
    minutes, hours, days = seconds // 60, seconds // 3_600, seconds // 86_400
    if days:
        return f"{days:.0f} d {hours % 24:.0f} h"
    if hours:
        return f"{hours:.0f} h {minutes % 60:.0f} min"
    return f"{minutes:.0f} min" if minutes else f"{seconds:.0f} s"


COMMANDS = {
    "status": Command(no_arguments, _status, ("reverie status", "reverie status --json")),
    "verify": Command(
        _verify_arguments,
        _verify,
        ("reverie verify", "reverie verify --json && echo sound", "reverie verify --expect 9:0dc2659c"),
    ),
    "ping": Command(no_arguments, _ping, ("reverie ping",)),
}
