"""Setting agents up: on an empty home, on one with settings, and on one whose files must not be touched."""

import contextlib
import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reverie.cli.clients import json_edit, snippet, toml_edit, yaml_edit
from reverie.cli.clients.catalog import AGENTS
from reverie.cli.clients.jsonc import parse, plain
from reverie.cli.clients.parts import Wanted
from reverie.cli.clients.refusal import Unusable
from unit.cli.conftest import Ran, Reverie

NOISE = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "OPENCLAW_CONFIG_PATH", "REVERIE_NAMESPACE")
ENTRY = {"command": "/bin/reverie", "args": ["mcp"]}
COMMENTED = """\
// my settings
{
  "theme": "dark", // never light
  "mcpServers": {
    /* the files */
    "files": { "command": "npx", "args": ["-y", "files"] } // keep this
  },
}
"""
HOOKED = """\
{
\t"hooks": {
\t\t"Stop": [
\t\t\t{"hooks": [{"type": "command", "command": "say done"}]}
\t\t]
\t}
}
"""
CODEX = """\
model = "gpt-5" # the good one

[mcp_servers.files]
command = "npx"
args = ["-y", "files"]

[tui]
theme = '''
[mcp_servers.reverie]
'''
"""
GOOSE = """\
# goose
GOOSE_PROVIDER: anthropic
extensions:
    developer:   # built in
        enabled: true
        type: builtin
    # end of extensions
GOOSE_MODE: auto
"""


OPENCLAW = """\
{ mcp: { servers: { 'a b': { command: 'x' } } }, // five
  gateway: {port: 1} }
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NOISE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def tree(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def existing(home: Path, name: str, text: str) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def done(ran: Ran) -> Ran:
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.parametrize("agent", AGENTS)
def test_nothing_is_written_unless_asked(agent: str, home: Path, reverie: Reverie) -> None:
    shown = done(reverie("setup", agent))
    assert "+++" in shown.out
    assert "--write" in shown.err
    done(reverie("setup", agent, "--print"))
    assert tree(home) == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_second_run_changes_nothing(agent: str, home: Path, reverie: Reverie) -> None:
    done(reverie("setup", agent, "--write"))
    first = tree(home)
    assert first
    assert "nothing to change" in done(reverie("setup", agent, "--write")).err
    assert done(reverie("setup", agent)).out == ""
    assert tree(home) == first


EXISTING = [
    ("claude", ".claude.json", '{"numStartups": 3, "projects": {"/x": {"history": []}}}'),
    ("claude", ".claude/settings.json", HOOKED),
    ("codex", ".codex/config.toml", CODEX),
    ("codex", ".codex/hooks.json", HOOKED),
    ("cursor", ".cursor/mcp.json", COMMENTED),
    ("cursor", ".cursor/hooks.json", '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "./mine.sh"}]}\n}\n'),
    ("gemini", ".gemini/settings.json", COMMENTED),
    ("gemini", ".gemini/settings.json", COMMENTED.replace("\n", "\r\n")),
    ("gemini", ".gemini/settings.json", "\ufeff" + COMMENTED),
    ("goose", ".config/goose/config.yaml", GOOSE),
    ("openclaw", ".openclaw/openclaw.json", OPENCLAW),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "name", "text"), EXISTING)
def test_what_was_there_stays_and_comes_back_byte_for_byte(
    agent: str, name: str, text: str, home: Path, reverie: Reverie
) -> None:
    path = existing(home, name, text)
    done(reverie("setup", agent, "--write"))
    changed = path.read_bytes()
    assert changed != text.encode()
    assert all(word in changed.decode().split() for word in text.split() if word.startswith(("//", "#", "/*")))
    assert Path(f"{path}.bak").read_bytes() == text.encode()
    done(reverie("setup", agent, "--remove", "--write"))
    assert path.read_bytes() == text.encode()
    assert Path(f"{path}.bak2").read_bytes() == changed


MALFORMED = [
    ("claude", ".claude.json", '{"numStartups": 3,, }'),
    ("claude", ".claude/settings.json", '{"hooks": {"Stop": "none"}}'),
    ("claude", ".claude.json", '{"mcpServers": {}, "mcpServers": {}}'),
    ("codex", ".codex/config.toml", "model = \n"),
    ("codex", ".codex/config.toml", 'mcp_servers = {files = {command = "x"}}\n'),
    ("codex", ".codex/config.toml", '[mcp_servers.reverie]\ncommand = "old"\nenv = {A = "b"}\n'),
    ("codex", ".codex/config.toml", "mcp_servers = 1\n"),
    ("codex", ".codex/config.toml", f"limit = {'9' * 5_000}\n"),
    ("cursor", ".cursor/mcp.json", '{"mcpServers": ["files"]}'),
    ("cursor", ".cursor/mcp.json", "[1, 2"),
    ("gemini", ".gemini/settings.json", '{"a": "\xff'),
    ("goose", ".config/goose/config.yaml", "extensions:\n  - a list\n"),
    ("goose", ".config/goose/config.yaml", "extensions: {developer: {enabled: true}}\n"),
    ("goose", ".config/goose/config.yaml", "a: [\n"),
    ("goose", ".config/goose/config.yaml", "a: !!bool perhaps\n"),
    ("goose", ".config/goose/config.yaml", "a: &a [b]\nc: *a\n"),
    ("openclaw", ".openclaw/openclaw.json", "{ mcp: nothing }"),
]


@pytest.mark.parametrize(("agent", "name", "text"), MALFORMED)
def test_what_cannot_be_edited_is_left_alone_and_the_way_out_is_told(
    agent: str, name: str, text: str, home: Path, reverie: Reverie
) -> None:
    existing(home, name, text)
    before = tree(home)
    ran = reverie("setup", agent, "--write")
    assert ran.code == 1
    assert f"{name} was left alone" in ran.err
    assert "reverie" in ran.out, "what to paste"
    assert tree(home) == before, "the other files of this agent neither"


def test_a_file_that_is_not_text_is_left_alone(home: Path, reverie: Reverie) -> None:
    path = existing(home, ".gemini/settings.json", "")
    path.write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in reverie("setup", "gemini", "--write").err
    assert path.read_bytes() == b"\xff\xfe\x00"


def test_what_somebody_added_to_our_entry_stays(home: Path, reverie: Reverie) -> None:
    server = {"command": "/old/reverie", "args": ["mcp"], "env": {"REVERIE_NAMESPACE": "work"}}
    path = existing(home, ".cursor/mcp.json", json.dumps({"mcpServers": {"reverie": server}}))
    done(reverie("setup", "cursor", "--write"))
    now = json.loads(path.read_text())["mcpServers"]["reverie"]
    assert now["env"] == server["env"]
    assert now["command"] != server["command"]


def test_a_hook_of_an_earlier_installation_is_replaced_and_those_of_others_stay(home: Path, reverie: Reverie) -> None:
    def group(command: str) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": command}]}

    stops = [group("/old/bin/reverie hook stop --harness claude"), group("reverie-lint hook --all")]
    path = existing(home, ".claude/settings.json", json.dumps({"hooks": {"Stop": stops}}))
    done(reverie("setup", "claude", "--write"))
    now = [one["hooks"][0]["command"] for one in json.loads(path.read_text())["hooks"]["Stop"]]
    assert now[0] == "reverie-lint hook --all"
    assert now[1].endswith("reverie hook stop --harness claude")
    assert "/old/" not in now[1]
    assert len(now) == 2


def test_our_hook_in_one_group_with_others_is_not_torn_out(home: Path, reverie: Reverie) -> None:
    both = [{"command": "say done"}, {"command": "/old/reverie hook stop"}]
    existing(home, ".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": both}]}}))
    assert "by hand" in reverie("setup", "claude", "--remove", "--write").err


def test_a_link_stays_a_link(home: Path, reverie: Reverie) -> None:
    real = existing(home, "dotfiles/gemini.json", "{}\n")
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").symlink_to(real)
    done(reverie("setup", "gemini", "--write"))
    assert (home / ".gemini/settings.json").is_symlink()
    assert "reverie" in real.read_text()


def test_permissions_stay(home: Path, reverie: Reverie) -> None:
    path = existing(home, ".gemini/settings.json", "{}\n")
    path.chmod(0o640)
    done(reverie("setup", "gemini", "--write"))
    assert path.stat().st_mode & 0o777 == 0o640
    assert Path(f"{path}.bak").stat().st_mode & 0o777 == 0o640


def test_a_directory_that_cannot_be_written_is_told(home: Path, reverie: Reverie) -> None:
    existing(home, ".gemini", "a file in the place of a directory")
    ran = reverie("setup", "gemini", "--write")
    assert ran.code == 1
    assert "left alone" in ran.err


def test_namespace_and_prompts_and_hooks_are_chosen(home: Path, reverie: Reverie) -> None:
    done(reverie("setup", "claude", "--write", "--prompts", "-n", "work"))
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["reverie"]
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert server["args"] == ["mcp", "--namespace", "work"]
    assert os.path.isabs(server["command"])
    assert hooks["UserPromptSubmit"][0]["hooks"][0]["command"].endswith(
        "hook prompt-submit --harness claude --namespace work"
    )
    done(reverie("setup", "codex", "--write", "--no-hooks"))
    assert not (home / ".codex/hooks.json").exists()


def test_the_instructions_come_and_go_without_a_trace(home: Path, reverie: Reverie) -> None:
    path = existing(home, ".claude/CLAUDE.md", "# Mine\n\nBe brief.\n")
    done(reverie("setup", "claude", "--write", "--instructions"))
    assert path.read_text().startswith("# Mine\n\nBe brief.\n\n" + snippet.BEGIN)
    done(reverie("setup", "claude", "--write", "--instructions", "--remove"))
    assert path.read_text() == "# Mine\n\nBe brief.\n"


def test_an_agent_without_a_file_for_instructions_asks_for_one(home: Path, reverie: Reverie) -> None:
    assert reverie("setup", "cursor", "--instructions").code == 2
    done(reverie("setup", "cursor", "--write", "--instructions", str(home / "AGENTS.md")))
    assert snippet.BEGIN in (home / "AGENTS.md").read_text()


def test_without_a_client_it_says_which_are_connected(home: Path, reverie: Reverie) -> None:
    done(reverie("setup", "gemini", "--write"))
    existing(home, ".cursor/mcp.json", "{")
    states = {one["client"]: one["state"] for one in done(reverie("setup", "--json")).lines}
    assert states["gemini"] == "connected"
    assert states["goose"] == "not found here"
    assert states["cursor"] == "its configuration cannot be read"


def test_an_unknown_client_is_told_which_there_are(home: Path, reverie: Reverie) -> None:
    ran = reverie("setup", "emacs")
    assert ran.code == 2
    assert "openclaw" in ran.err


def test_what_is_written_is_what_the_agents_read(home: Path, reverie: Reverie) -> None:
    for agent in AGENTS:
        done(reverie("setup", agent, "--write"))
    codex = tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["reverie"]
    goose = yaml.safe_load((home / ".config/goose/config.yaml").read_text())["extensions"]["reverie"]
    openclaw = json.loads((home / ".openclaw/openclaw.json").read_text())["mcp"]["servers"]["reverie"]
    assert codex["args"] == goose["args"] == openclaw["args"] == ["mcp"]
    assert codex["command"] == goose["cmd"] == openclaw["command"]
    assert (goose["type"], goose["enabled"]) == ("stdio", True)
    assert json.loads((home / ".cursor/hooks.json").read_text())["version"] == 1


SCALARS = st.one_of(st.integers(), st.booleans(), st.none(), st.text('ab"\\/{}[],: é\n', max_size=8))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", max_size=3), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["mcpServers", "hooks", "a", "b"]), VALUES, max_size=4)


@given(OBJECTS, st.sampled_from([None, 1, 2, "\t"]), st.booleans())
def test_any_json_is_changed_in_one_place_only(before: dict[str, Any], indent: Any, commented: bool) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    if commented and indent is not None:
        text = "// top\n" + text.replace("\n}", " // last\n}")
    try:
        after = json_edit.put(text, ("mcpServers", "reverie"), ENTRY)
    except Unusable:
        assert not isinstance(before.get("mcpServers", {}), dict)
        return
    expected = before | {"mcpServers": before.get("mcpServers", {}) | {"reverie": ENTRY}}
    written = json.dumps(expected)
    assert plain(after, parse(after)) == plain(written, parse(written))
    assert json_edit.put(after, ("mcpServers", "reverie"), ENTRY) == after
    assert after.count("// last") == text.count("// last")
    gone = json_edit.drop(after, ("mcpServers", "reverie"))
    rest = {key: value for key, value in before.items() if key != "mcpServers" or value}
    bare = json.dumps(rest)
    assert plain(gone, parse(gone)) == plain(bare, parse(bare))


@given(st.text('{}[]",:/*\n 1a\\', max_size=40))
def test_any_text_is_either_edited_or_refused(text: str) -> None:
    for edit in (
        lambda: json_edit.put(text, ("a", "reverie"), ENTRY),
        lambda: toml_edit.put(text, ("a", "reverie"), ENTRY),
        lambda: yaml_edit.put(text, ("a", "reverie"), ENTRY),
        lambda: snippet.put(text),
    ):
        with contextlib.suppress(Unusable):
            assert "everie" in edit()


@pytest.mark.parametrize("text", [snippet.BEGIN, snippet.END, snippet.END + snippet.BEGIN, snippet.TEXT * 2])
def test_damaged_markers_are_left_alone(text: str) -> None:
    with pytest.raises(Unusable):
        snippet.put(text)


def test_a_program_with_spaces_in_its_path_is_quoted_for_the_shell() -> None:
    wanted = Wanted("/home/ada lovelace/bin/reverie")
    assert wanted.hook("stop", "claude") == "'/home/ada lovelace/bin/reverie' hook stop --harness claude"
    (_, hooks) = AGENTS["claude"].parts(wanted)
    written = hooks.put("{}")
    assert hooks.put(written) == written
    bare = hooks.drop(written)
    assert plain(bare, parse(bare)) == {}
