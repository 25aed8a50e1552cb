"""Commands about what the daemon does by itself."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from reverie.cli.arguments import Command, Parser, no_arguments, positive
from reverie.cli.connect import PATIENT, connect
from reverie.cli.console import Console, visible
from reverie.cli.health import span
from reverie.cli.progress import bar, on_terminal, shown
from reverie.cli.remarks import some
from reverie.cli.times import age, local, now_us
from reverie.protocol.results import JobChange, JobStatus, RunReport


def _jobs(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.jobs()
    if console.as_json:
        console.emit(report)
        return 0
    for job in report.jobs:
        _show_job(job, console)
    return 0


def _show_job(job: JobStatus, console: Console) -> None:
    coming = "never by itself" if job.next_run is None else f"next {local(job.next_run)}"
    console.line(f"{console.bold(f'{job.job:<12}')} {visible(job.summary)}")
    console.line(f"{'':<12} {console.dim(f'{visible(job.schedule)} · {coming} · {_last(job)}')}")
    for note in job.notes:
        console.line(f"{'':<12} {console.dim(visible(note))}")
    if job.failed:
        console.line(f"{'':<12} {console.bad('failed')} {visible(job.failed)}")


def _last(job: JobStatus) -> str:
    if job.running:
        return "running now"
    if job.started is None or job.finished is None:
        return "never run"
    took = span((job.finished - job.started) / 1_000_000)
    return f"last {age(job.started, now_us())} ({job.reason}), {took}: {_counts(job.changed)}"


def _counts(changed: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {visible(name)}" for name, number in changed.items() if number) or "nothing changed"


def _configure_run(parser: Parser) -> None:
    parser.add_argument("job", metavar="JOB", help="decay, sleep, consolidate, prune, purge, snapshot or maintain")
    parser.add_argument("--dry-run", action="store_true", help="only say what it would change, and why")
    parser.add_argument("--limit", type=positive, default=1000, metavar="N", help="list at most this many changes")


def _run(args: argparse.Namespace, console: Console) -> int:
    visibly = on_terminal() and not console.as_json
    with connect(args, timeout=PATIENT) as client, _progress_shown(args) if visibly else nullcontext():
        report = client.run(args.job, dry_run=args.dry_run, limit=args.limit)
    if console.as_json:
        console.emit(report)
    else:
        _show_run(report, console)
    return 1 if report.failed else 0


@contextmanager
def _progress_shown(args: argparse.Namespace) -> Iterator[None]:
    """One connection waits for the end of the job; this other one asks how far it is."""
    with connect(args) as onlooker, shown(lambda: _progress(args.job, onlooker.jobs().jobs)):
        yield


def _progress(wanted: str, jobs: Sequence[JobStatus]) -> str:
    now = next((job for job in jobs if job.running), None)
    if now is None:
        return bar(visible(wanted), 0, 0)
    line = bar(visible(now.job), now.done, now.total)
    return line if now.job == wanted else f"{line}, then {visible(wanted)}"


def _show_run(report: RunReport, console: Console) -> None:
    if report.dry_run:
        for change in report.changes:
            console.line(_line(change, console))
        if report.total > len(report.changes):
            console.note(f"and {report.total - len(report.changes):,} more")
        console.line(
            f"{report.job} would change {some(report.total, 'memory', 'memories')}"
            if report.total
            else "nothing would change"
        )
    else:
        console.line(f"{report.job}: {_counts(report.changed)} {console.dim(f'in {report.seconds:.2f} s')}")
    for note in report.notes:
        console.line(console.dim(visible(note)))
    if report.failed:
        console.line(f"{console.bad('failed')} {visible(report.failed)}")


def _line(change: JobChange, console: Console) -> str:
    label = console.bold(f"[id:{change.id}]")
    return f"{label} {change.what} {change.before} → {change.after} {console.dim(visible(change.reason))}"


COMMANDS = {
    "jobs": Command(no_arguments, _jobs, ("reverie jobs", "reverie jobs --json")),
    "run": Command(_configure_run, _run, ("reverie run decay --dry-run", "reverie run prune")),
}
