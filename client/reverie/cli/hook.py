"""`reverie hook`: answers an agent's hook in a moment or not at all, and always ends with 0: 2 would block it."""

import argparse
import os
import signal
import sys
import time
from types import FrameType, TracebackType
from typing import Final, NoReturn

import msgspec

from reverie.cli.arguments import Command, Parser, positive
from reverie.cli.console import Console
from reverie.cli.hooks import harness as harnesses
from reverie.cli.hooks.harness import EVENTS, HARNESSES, Event, Harness

DEADLINE_MS: Final = 150
# A machine so busy that starting took all the time still gets a moment to answer.
LEAST_S: Final = 0.05
# What is printed after the last answer from the daemon takes no longer than this.
MARGIN_S: Final = 0.01
BUDGETS: Final = {"session-start": 1_000, "prompt-submit": 400}


def _configure(parser: Parser) -> None:
    parser.error = _bad_usage  # type: ignore[method-assign]
    parser.add_argument("event", metavar="EVENT", help=f"{', '.join(EVENTS)}, or the harness's own name for it")
    parser.add_argument("--harness", default="claude", metavar="NAME", help=", ".join(HARNESSES))
    parser.add_argument("--budget", type=positive, metavar="TOKENS", help="at most this much context")
    parser.add_argument(
        "--deadline", type=positive, default=DEADLINE_MS, metavar="MS", help="from the start of the process (150)"
    )


def _bad_usage(message: str) -> NoReturn:
    sys.stderr.write(f"reverie hook: {message}; see `reverie hook --help`\n")
    raise SystemExit(0)


def _hook(args: argparse.Namespace, console: Console) -> int:
    sys.excepthook = _give_way
    event = harnesses.event_named(args.event)
    if event is None or args.harness not in HARNESSES:
        console.note(f"reverie hook: {args.event!r} of {args.harness!r} is not known; see `reverie hook --help`")
        return 0
    whole = args.deadline / 1000
    left = min(max(whole - _age(), LEAST_S), whole)
    signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, left)
    context = _carried_out(event, args.harness, args, time.monotonic() + left - MARGIN_S)
    said = harnesses.answer(event, args.harness, context)
    if said is not None:
        console.line(msgspec.json.encode(said).decode())
        console.flush()
    signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _carried_out(event: Event, harness: Harness, args: argparse.Namespace, deadline: float) -> str:
    """The context to give, if any; a daemon that is away or slow is no business of the agent's."""
    from reverie.cli.hooks import payload
    from reverie.client import Client
    from reverie.errors import ReverieError

    said = payload.read(sys.stdin.buffer)
    try:
        with Client(args.socket, namespace=args.namespace, name=harness, timeout=deadline - time.monotonic()) as client:
            if event in BUDGETS:
                from reverie.cli.hooks import giving

                give = giving.at_start if event == "session-start" else giving.at_prompt
                return give(client, said, args.budget or BUDGETS[event], deadline)
            from reverie.cli.hooks import keeping

            keep = keeping.at_stop if event == "stop" else keeping.before_compaction
            keep(client, said, harness, deadline)
    except ReverieError as error:
        sys.stderr.write(f"reverie hook: {error.message}\n")
    return ""


def _age() -> float:
    """Seconds since this process began; loading Python counts too."""
    with open("/proc/self/stat", "rb") as file:
        began = int(file.read().rpartition(b")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began / os.sysconf("SC_CLK_TCK")


def _too_late(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(0)


def _give_way(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> NoReturn:
    """A defect of ours is told, and does not stop the agent."""
    sys.__excepthook__(kind, error, trace)
    sys.stderr.flush()
    os._exit(0)


COMMANDS = {
    "hook": Command(
        _configure,
        _hook,
        ("reverie hook session-start --harness claude", "reverie hook stop --harness codex < payload.json"),
    )
}
