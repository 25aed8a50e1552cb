"""Every command as plain data, read off the catalogue and the parsers: what generators of any kind need to know."""

import argparse
from importlib import import_module
from typing import NamedTuple

from reverie.cli.arguments import Command, Parser, add_shared_flags, parser_for
from reverie.cli.catalog import COMMANDS
from reverie.cli.shells.words import SUGGESTED

ANY, FILE, LIST = "any", "file", "list"


class Option(NamedTuple):
    """A flag; `value` is the name of what it takes, empty when it takes nothing."""

    names: tuple[str, ...]
    value: str
    form: str
    words: tuple[str, ...]
    help: str
    shared: bool = False


class Place(NamedTuple):
    """A word without a flag; the last one may be `repeated`."""

    name: str
    form: str
    words: tuple[str, ...]
    help: str
    repeated: bool
    optional: bool


class Described(NamedTuple):
    name: str
    summary: str
    options: tuple[Option, ...]
    places: tuple[Place, ...]
    actions: "tuple[Described, ...]"
    examples: tuple[str, ...]


def every_command() -> list[Described]:
    return [described(name) for name in COMMANDS]


def described(name: str) -> Described:
    entry = COMMANDS[name]
    if name == "service":
        return _service(entry.summary)
    command: Command = import_module(f"reverie.cli.{entry.module}").COMMANDS[name]
    parser = parser_for(name, entry.summary, command)
    return of_parser(name, entry.summary, parser, examples=command.examples)


def _service(summary: str) -> Described:
    from reverie.cli import service

    top = argparse.ArgumentParser()
    parser = service.add_parser(top.add_subparsers())
    found = of_parser("service", summary, parser, examples=service.EXAMPLES)
    return found._replace(options=(*found.options, *shared_options(short=False)))


def shared_options(*, short: bool = True) -> list[Option]:
    parser = Parser(add_help=False)
    add_shared_flags(parser, short=short)
    return [_option(action, shared=True) for action in parser._actions]


def of_parser(name: str, summary: str, parser: argparse.ArgumentParser, *, examples: tuple[str, ...] = ()) -> Described:
    ours = {option.names[-1] for option in shared_options()}
    actions, options, places = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            actions = [of_parser(sub, helps.get(sub, ""), inner) for sub, inner in action.choices.items()]
        elif action.option_strings:
            options.append(_option(action, shared=action.option_strings[-1] in ours))
        else:
            places.append(_place(name, action))
    return Described(name, summary, tuple(options), tuple(places), tuple(actions), examples)


def _option(action: argparse.Action, *, shared: bool) -> Option:
    names = tuple(action.option_strings)
    takes = action.nargs != 0
    value = _name(action) if takes else ""
    words = _words(action, next((name for name in names if name in SUGGESTED), "")) if takes else ()
    return Option(names, value, _form(action, value), words, action.help or "", shared)


def _place(command: str, action: argparse.Action) -> Place:
    name = _name(action)
    words = _words(action, f"{command} {name}")
    repeated, optional = action.nargs in ("+", "*"), action.nargs in ("?", "*")
    return Place(name, _form(action, name), words, action.help or "", repeated, optional)


def _name(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper().replace("_", "-")


def _words(action: argparse.Action, suggested: str) -> tuple[str, ...]:
    return tuple(map(str, action.choices)) if action.choices else SUGGESTED.get(suggested, ())


def _form(action: argparse.Action, name: str) -> str:
    """How the value is found: among files, as several between commas, or however one likes."""
    if any(part.startswith(("FILE", "PATH", "DIR")) for part in name.split("|")):
        return FILE
    return LIST if isinstance(action, argparse._ExtendAction) else ANY
