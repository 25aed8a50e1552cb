"""What the real shells offer when somebody presses Tab."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.cli.catalog import COMMANDS
from reverie.cli.shells import bash, fish, words, zsh
from reverie.cli.shells.described import every_command
from reveried.domain.memory import KINDS, STATES, SYSTEM_OF_KIND
from reveried.domain.recalling.ranking import PROFILES
from reveried.jobs.catalog import JOBS

# What stands before the cursor, and what must be among the offers.
TYPED = [
    (["rec"], {"recall"}),
    (["-n", "team", "rec"], {"recall"}),
    (["recall", "tea", "--expl"], {"--explain"}),
    (["recall", "--prof"], {"--profile"}),
    (["recall", "--profile", "hist"], {"historical"}),
    (["resolve", "12", "--mode", "use"], {"use_new"}),
    (["config", "re"], {"reload"}),
    (["run", "--limit", "5", "dec"], {"decay"}),
    (["service", "unin"], {"uninstall"}),
    (["service", "install", "--dry"], {"--dry-run"}),
    (["service", "install", "--sandbox", "st"], {"strict"}),
    (["setup", "cl"], {"claude"}),
    (["completion", "fi"], {"fish"}),
    (["store", "--file", "notes.t"], {"notes.txt"}),
    (["list", "--kind", "fact,pref"], {"fact,preference"}),
]


@pytest.fixture
def shell(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    name = request.param.__name__.rpartition(".")[2]
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} on this machine")
    (tmp_path / "notes.txt").touch()
    script = tmp_path / f"reverie.{name}"
    script.write_text(request.param.script(every_command()))
    return script


@pytest.mark.parametrize("shell", [bash], indirect=True, ids=["bash"])
def test_bash_offers_what_fits(shell: Path) -> None:
    asked = "".join(
        f'COMP_WORDS=(reverie {" ".join(typed)}); COMP_CWORD={len(typed)}; _reverie; echo "${{COMPREPLY[*]}}"\n'
        for typed, _ in TYPED
    )
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"source {shell}\n{asked}"],
        cwd=shell.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    for (typed, offered), line in zip(TYPED, ran.stdout.splitlines(), strict=True):
        assert set(line.split()) == offered, typed


@pytest.mark.parametrize("shell", [fish], indirect=True, ids=["fish"])
def test_fish_offers_what_fits(shell: Path) -> None:
    asked = "".join(
        f"complete -C 'reverie {' '.join(typed)}' | string split -f1 \\t | string join ' '\necho\n"
        for typed, _ in TYPED
    )
    environ = {**os.environ, "HOME": str(shell.parent)}
    ran = subprocess.run(
        ["fish", "-N", "-c", f"source {shell}\n{asked}"],
        cwd=shell.parent, env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stderr == ""
    offers = [set(line.split()) for line in ran.stdout.replace("\n\n", "\n").splitlines()]
    for (typed, offered), found in zip(TYPED, offers, strict=True):
        assert offered <= found, typed


@pytest.fixture
def zsh_line(shell: Path) -> Iterator[int]:
    """A terminal with zsh in it that has loaded the script and waits for keys."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(shell.parent)
        os.environ.update(HOME=str(shell.parent), TERM="dumb", PS1="> ")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    shutil.copy(shell, shell.parent / "_reverie")
    os.write(
        terminal, f"fpath=({shell.parent} $fpath); autoload -Uz compinit; compinit -u -D; print REA''DY\n".encode()
    )
    assert "READY" in _read_until(terminal, "READY", 20)
    yield terminal
    os.close(terminal)
    os.waitpid(child, 0)


def _read_until(terminal: int, wanted: str, seconds: float) -> str:
    seen, end = "", time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65_536).decode(errors="replace")
    return seen


@pytest.mark.parametrize("shell", [zsh], indirect=True, ids=["zsh"])
def test_zsh_completes_what_fits(zsh_line: int) -> None:
    for typed, (offered,) in [case for case in TYPED if case[0][-1] not in ("cl", "re")]:
        os.write(zsh_line, f"reverie {' '.join(typed)}\t".encode())
        seen = _read_until(zsh_line, offered, 15)
        assert offered in seen, typed
        os.write(zsh_line, b"\x15")  # Ctrl-U empties the line


@pytest.mark.parametrize("generate", [bash.script, zsh.script, fish.script])
def test_every_command_is_known_to_every_shell(generate: object) -> None:
    assert callable(generate)
    script = generate(every_command())
    assert [name for name in COMMANDS if name not in script] == []


def test_what_is_suggested_is_what_the_daemon_knows() -> None:
    assert words.KINDS == KINDS
    assert words.STATES == STATES
    assert set(words.SYSTEMS) == set(SYSTEM_OF_KIND.values())
    assert words.PROFILES == PROFILES
    assert tuple(JOBS) == words.JOBS
