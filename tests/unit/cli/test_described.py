"""The program describes itself truly: its examples can be typed, its flags say what they do, its manual is current."""

import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from reverie.cli.arguments import UsageError, parser_for
from reverie.cli.catalog import COMMANDS
from reverie.cli.main import _split
from reverie.cli.shells.described import described, every_command
from unit.cli.conftest import Reverie

REPO = Path(__file__).parents[3]


def typed(example: str) -> list[list[str]]:
    """The commands of ours in a line of shell: what stands around pipes, redirections and substitutions."""
    plain = example.replace('"$(', " ( ").replace(')"', " ) ")
    commands: list[list[str]] = [[]]
    words = shlex.shlex(plain, posix=True, punctuation_chars="|&<>()")
    words.whitespace_split = True
    for word in words:
        if word.strip("|&<>()"):
            commands[-1].append(word)
        else:
            commands.append(["(redirected)"] if word[0] in "<>" else [])
    return [words[1:] for words in commands if words and words[0] == "reverie"]


EXAMPLES = [(name, example) for name in COMMANDS for example in described(name).examples]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_can_be_typed(name: str, example: str) -> None:
    found = typed(example)
    assert found or "reverie mcp" in example, "an example shows how this program is called"
    for words in found:
        flags, command, rest = _split(words)
        assert command is not None
        if command == "service":
            continue
        entry = COMMANDS[command]
        parser = parser_for(command, entry.summary, import_module(f"reverie.cli.{entry.module}").COMMANDS[command])
        try:
            parser.parse_intermixed_args([*flags, *rest])
        except UsageError as error:
            pytest.fail(f"{example}: {error}")


def test_examples_of_service_are_understood(reverie: Reverie) -> None:
    for example in described("service").examples:
        assert reverie(*shlex.split(example)[1:], "--help").code == 0


def test_every_flag_says_what_it_does() -> None:
    silent = [
        f"{command.name} {option.names[-1]}"
        for command in every_command()
        for one in (command, *command.actions)
        for option in one.options
        if not option.help
    ]
    assert silent == []


def test_the_manual_is_current(tmp_path: Path) -> None:
    subprocess.run([sys.executable, REPO / "docs" / "manual.py", tmp_path], check=True)
    for page in ("reverie.1", "reveried.1"):
        assert (tmp_path / page).read_text() == (REPO / "docs" / "man" / page).read_text(), "run `make man`"


def test_the_manual_names_every_command(reverie: Reverie) -> None:
    page = reverie("man").out
    assert [name for name in COMMANDS if f".B reverie {name}" not in page] == []
