"""What `top` shows: a few looks at the daemon as lines for people, or as one object for scripts. No I/O."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reverie.cli.console import visible
from reverie.cli.health import size, span
from reverie.cli.rates import Rate
from reverie.cli.screen import Line
from reverie.cli.telling import sentence
from reverie.cli.times import time_of
from reverie.protocol.results import EventView, JobStatus, StatusReport

OPERATIONS = 6
_AROUND = 40
_HEALTHY = ("ready", "cold", "none", "starting", "looking")


def condition(status: StatusReport, jobs: Sequence[JobStatus], whole: Rate, each: Mapping[str, Rate]) -> list[Line]:
    return [
        [("bold", f"reveried {visible(status.version)}"), ("dim", f"  pid {status.pid}, up {span(status.uptime_s)}")],
        [],
        [*_label("requests"), *_numbers(whole), ("dim", f"   {_connected(status.connections)}")],
        *([("dim", f"  {visible(op):<9}"), *_numbers(rate)] for op, rate in [*each.items()][:OPERATIONS]),
        [*_label("writer"), *_writer(status)],
        [*_label("embedder"), *_embedder(status.embedder)],
        [*_label("memories"), ("", " · ".join(f"{n:,} {state}" for state, n in status.memories.items()) or "none")],
        [*_label("sizes"), ("", " · ".join(f"{name} {size(count)}" for name, count in status.sizes.items()))],
        *_jobs(jobs),
        *([*_label("degraded"), ("warning", visible(what))] for what in status.degraded),
        [],
    ]


def _label(name: str) -> Line:
    return [("dim", f"{name:<11}")]


def _numbers(rate: Rate) -> Line:
    refused: Line = [("warning", f"   {rate.refused_per_s:.1f}/s refused")] if rate.refused_per_s else []
    return [
        ("", f"{rate.per_s:>8,.1f}/s"),
        ("dim", "   p50 "), ("", f"{_duration(rate.p50_us):>7}"),
        ("dim", "   p99 "), ("", f"{_duration(rate.p99_us):>7}"),
        *refused,
    ]  # fmt: skip


def _duration(micros: int | None) -> str:
    if micros is None:
        return "–"
    if micros < 1_000:
        return f"{micros} µs"
    return f"{micros / 1e3:.3g} ms" if micros < 1_000_000 else f"{micros / 1e6:.3g} s"


def _connected(count: int) -> str:
    return f"{count} client{'' if count == 1 else 's'} connected"


def _writer(status: StatusReport) -> Line:
    behind = status.head - status.projected
    waiting = ("warning" if status.queue > 100 else "", f"{status.queue:,} waiting")
    lag = f", {behind:,} not yet projected" if behind else ""
    return [waiting, ("dim", f" · {status.head:,} events{lag}")]


def _embedder(embedder: Mapping[str, Any]) -> Line:
    state = str(embedder.get("state", "none"))
    told = [str(embedder[name]) for name in ("model", "reason") if embedder.get(name)]
    if embedder.get("embedded") or embedder.get("to_do"):
        told.append(f"{embedder.get('embedded', 0):,} embedded, {embedder.get('to_do', 0):,} to do")
    style = "good" if state == "ready" else "" if state in _HEALTHY else "bad"
    return [(style, visible(state)), ("dim", visible("".join(f" · {part}" for part in told)))]


def _jobs(jobs: Sequence[JobStatus]) -> Iterator[Line]:
    running = [job for job in jobs if job.running]
    for job in running:
        far = f" {job.done:,} of {job.total:,}" if job.total else ""
        yield [*_label("running"), ("good", f"{visible(job.job)}{far}")]
    coming = sorted((job.next_run, job.job) for job in jobs if job.next_run is not None)
    named = " · ".join(f"{visible(name)} {time_of(at)[:5]}" for at, name in coming[:4])
    yield [*_label("next jobs"), ("", named or "none by themselves")]
    for job in jobs:
        if job.failed:
            yield [*_label("failed"), ("bad", visible(f"{job.job}: {job.failed}"))]


def lately(events: Sequence[EventView], columns: int = 100) -> Iterator[Line]:
    for event in events:
        yield [("dim", f"{time_of(event.at)}  "), ("", sentence(event, max(columns - _AROUND, 20)))]


def as_object(status: StatusReport, jobs: Sequence[JobStatus], whole: Rate, each: Mapping[str, Rate]) -> dict[str, Any]:
    return {
        "requests": whole,
        "operations": dict(each),
        "queue": status.queue,
        "head": status.head,
        "projected": status.projected,
        "connections": status.connections,
        "embedder": status.embedder,
        "memories": status.memories,
        "sizes": status.sizes,
        "jobs": [
            {"job": job.job, "running": job.running, "next_run": job.next_run, "done": job.done, "total": job.total}
            for job in jobs
        ],
        "degraded": status.degraded,
        "uptime_s": status.uptime_s,
    }
