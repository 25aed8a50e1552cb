"""Commands that make the daemon's files anew or copy them."""

import argparse
import os

from reverie.cli.arguments import Command, Parser, no_arguments
from reverie.cli.connect import PATIENT, connect
from reverie.cli.console import Console, visible
from reverie.cli.health import size
from reverie.cli.times import ago


def _configure_rebuild(parser: Parser) -> None:
    parser.add_argument("--to", metavar="SEQ|TIME", help="as it was after this event, or at this time")
    parser.add_argument("--out", metavar="FILE", help="write it there and leave the live state alone")


def _rebuild(args: argparse.Namespace, console: Console) -> int:
    is_seq = args.to is not None and args.to.isdigit()
    # The daemon runs in another directory: a relative path would land there.
    out = None if args.out is None else os.path.abspath(args.out)
    with connect(args, timeout=PATIENT) as client:
        done = client.rebuild(
            to=int(args.to) if is_seq else None,
            to_time=ago(args.to) if args.to is not None and not is_seq else None,
            out=out,
        )
    if console.as_json:
        console.emit(done)
    else:
        console.line(f"rebuilt from {done.events:,} events (up to {done.upto:,}) in {done.seconds:.2f} s")
        console.line(f"  {console.dim('digest')} {done.digest}")
        if done.out:
            console.line(f"  {console.dim('file  ')} {visible(done.out)}")
    return 0


def _backup(args: argparse.Namespace, console: Console) -> int:
    with connect(args, timeout=PATIENT) as client:
        done = client.backup()
    if console.as_json:
        console.emit(done)
    else:
        console.line(f"{visible(done.path)}  {console.dim(f'{done.events:,} events, {size(done.bytes)}')}")
    return 0


COMMANDS = {
    "rebuild": Command(
        _configure_rebuild, _rebuild, ("reverie rebuild", "reverie rebuild --to 2026-01-31 --out january.db")
    ),
    "backup": Command(no_arguments, _backup, ("reverie backup",)),
}
