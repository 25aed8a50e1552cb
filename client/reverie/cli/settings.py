"""`reverie config`: what the daemon runs with, and whether a file would do."""

import argparse
import sys
from typing import Any

from reverie import paths
from reverie.cli.arguments import Command, Parser, UsageError
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.protocol.results import ConfigReport

ACTIONS = ("show", "check", "path", "example", "reload")


def _configure(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="show", metavar="|".join(ACTIONS))
    parser.add_argument("file", metavar="FILE", nargs="?", help="for check (default: the file of `config path`)")


def _config(args: argparse.Namespace, console: Console) -> int:
    if args.file is not None and args.action != "check":
        raise UsageError(f"`config {args.action}` takes no file")
    match args.action:
        case "path":
            console.line(paths.config_path())
            return 0
        case "example":
            return _daemon_module("reveried.config.example", console)
        case "check":
            return _daemon_module("reveried.config.check", console, args.file or paths.config_path())
    with connect(args) as client:
        report = client.reload() if args.action == "reload" else client.config()
    if console.as_json:
        console.emit(report)
    else:
        _show(report, console, with_values=args.action == "show")
    return 1 if args.action == "reload" and report.problem else 0


def _daemon_module(module: str, console: Console, *arguments: str) -> int:
    """The client knows nothing of the daemon's settings, so the daemon's own program answers, without a daemon."""
    import subprocess

    console.flush()
    return subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode


def _show(report: ConfigReport, console: Console, *, with_values: bool) -> None:
    origin = "" if report.loaded else " (absent: defaults)"
    console.line(console.dim(f"# {visible(report.path)}{origin}"))
    if report.problem:
        console.line(console.bad(f"# not in force: {visible(report.problem)}"))
    if report.needs_restart:
        console.line(console.warning(f"# in force after a restart: {visible(', '.join(report.needs_restart))}"))
    if with_values:
        _show_values(report.values, console, "")
    elif not report.problem:
        console.line("in force")


def _show_values(values: dict[str, Any], console: Console, indent: str) -> None:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            console.line(f"{indent}{visible(str(name))}:")
            _show_values(value, console, indent + "  ")
        else:
            console.line(f"{indent}{visible(str(name))}: {visible(_plain(value))}")


def _plain(value: Any) -> str:
    """As YAML would write it; strings stay as they are, which is what a person wants to read."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


COMMANDS = {
    "config": Command(
        _configure, _config, ("reverie config show", "reverie config check config.yaml", "reverie config example")
    )
}
