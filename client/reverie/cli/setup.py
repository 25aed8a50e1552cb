"""`reverie setup`: shows how an agent's configuration would change, and changes it only when told to."""

import argparse
import os
import shutil
import sys
from typing import NamedTuple

from reverie.cli.arguments import Command, Parser, UsageError
from reverie.cli.clients import files
from reverie.cli.clients.catalog import AGENTS, Agent, instructions
from reverie.cli.clients.files import Change, Style
from reverie.cli.clients.parts import Part, Wanted
from reverie.cli.clients.refusal import Unusable
from reverie.cli.console import Console, visible, visible_lines


class Plan(NamedTuple):
    """What is to become of one file: a change, or the reason why it is left alone."""

    part: Part
    change: Change | None
    refusal: str | None = None


def _configure(parser: Parser) -> None:
    parser.add_argument("client", metavar="CLIENT", nargs="?", help=", ".join(AGENTS))
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="make the changes; the old files are kept as .bak")
    action.add_argument("--print", action="store_true", help="print what to paste by hand")
    parser.add_argument("--remove", action="store_true", help="take the connection out again")
    parser.add_argument("--no-hooks", action="store_true", help="only the tools")
    parser.add_argument("--prompts", action="store_true", help="also answer every prompt with what is remembered")
    parser.add_argument(
        "--instructions",
        metavar="FILE",
        nargs="?",
        const="",
        help="also write a note on memory into FILE (default: the agent's own AGENTS.md or the like)",
    )


def _setup(args: argparse.Namespace, console: Console) -> int:
    if args.client is None:
        return _overview(console)
    if args.client not in AGENTS:
        raise UsageError(f"{args.client!r} is not known here", f"one of {', '.join(AGENTS)}; or paste from --print")
    agent = AGENTS[args.client]
    parts = _parts(agent, args)
    if args.print:
        return _print(parts, console)
    plans = [_planned(part, remove=args.remove) for part in parts]
    refused = [plan for plan in plans if plan.refusal is not None]
    if refused:
        return _refuse(refused, console)
    if not args.write:
        return _show(plans, console)
    return _write(agent, plans, console, removed=args.remove)


def _parts(agent: Agent, args: argparse.Namespace) -> list[Part]:
    flags = ["--namespace", args.namespace] if args.namespace != "default" else []
    flags += ["--socket", os.path.abspath(args.socket)] if args.socket else []
    parts = agent.parts(Wanted(_program(), tuple(flags), hooks=not args.no_hooks, prompts=args.prompts))
    if args.instructions is None:
        return parts
    file = args.instructions or agent.instructions
    if file is None:
        raise UsageError(f"{agent.title} has no file of its own for this", "name one: --instructions AGENTS.md")
    at = os.path.join(os.path.expanduser("~"), file) if not args.instructions else os.path.abspath(file)
    return [*parts, instructions(at)]


def _program() -> str:
    """The reverie that runs now: agents are started with other paths than a shell's."""
    beside = [os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), "reverie")]
    for candidate in beside:
        if os.path.basename(candidate) == "reverie" and os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    return os.path.abspath(shutil.which("reverie") or beside[1])


def _planned(part: Part, *, remove: bool) -> Plan:
    try:
        before = files.read(part.path)
        style = Style.of(before or "")
        bare = style.bare(before or "")
        after = part.drop(bare) if remove else part.put(bare)
    except Unusable as refusal:
        return Plan(part, None, str(refusal))
    return Plan(part, Change(part.path, before, style.dressed(after)))


def _overview(console: Console) -> int:
    for name, agent in AGENTS.items():
        plans = [_planned(part, remove=False) for part in agent.parts(Wanted(_program()))]
        if any(plan.refusal for plan in plans):
            state = "its configuration cannot be read"
        elif not any(plan.change and plan.change.made for plan in plans):
            state = "connected"
        else:
            state = "not connected" if any(plan.change and plan.change.before for plan in plans) else "not found here"
        if console.as_json:
            console.emit({"client": name, "title": agent.title, "state": state})
        else:
            console.line(f"{name:<10} {agent.title:<13} {state}")
    if not console.as_json:
        console.note("`reverie setup CLIENT` shows what would change")
    return 0


def _print(parts: list[Part], console: Console) -> int:
    for part in parts:
        if console.as_json:
            console.emit({"path": part.path, "paste": part.paste})
        else:
            console.line(console.bold(f"into {part.path}:"))
            console.line(part.paste.rstrip("\n") + "\n")
    return 0


def _refuse(refused: list[Plan], console: Console) -> int:
    """Nothing is written at all: half a connection is harder to understand than none."""
    for plan in refused:
        console.fail(
            "config_invalid",
            f"{plan.part.path} was left alone: {plan.refusal}",
            hint=None if console.as_json else "mend it and try again, or paste this into it by hand:",
        )
        if not console.as_json:
            console.line(plan.part.paste.rstrip("\n"))
    return 1


def _show(plans: list[Plan], console: Console) -> int:
    made = [plan.change for plan in plans if plan.change is not None and plan.change.made]
    for change in made:
        if console.as_json:
            console.emit({"path": change.path, "diff": change.diff(), "written": False})
        else:
            console.line(visible_lines(change.diff()).rstrip("\n"))
    if not console.as_json:
        console.note("nothing written yet: add --write" if made else "nothing to change")
    return 0


def _write(agent: Agent, plans: list[Plan], console: Console, *, removed: bool) -> int:
    made = [plan.change for plan in plans if plan.change is not None and plan.change.made]
    for change in made:
        try:
            backup = files.write(change)
        except (Unusable, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            console.fail("config_invalid", f"{change.path} was left alone: {reason}")
            return 1
        if console.as_json:
            console.emit({"path": change.path, "backup": backup, "written": True})
        else:
            kept = f" (the old one is {visible(backup)})" if backup else ""
            console.line(f"wrote {visible(change.path)}{kept}")
    if not console.as_json:
        console.note(f"{agent.title} sees it when it is started anew" if made else "nothing to change")
        if made and agent.hint and not removed:
            console.note(agent.hint)
    return 0


COMMANDS = {
    "setup": Command(
        _configure,
        _setup,
        (
            "reverie setup claude",
            "reverie setup claude --write --instructions",
            "reverie setup codex --write --namespace work",
            "reverie setup cursor --remove --write",
        ),
    )
}
