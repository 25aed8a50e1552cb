"""Client and daemon find each other by these rules alone."""

import os
import subprocess
import sys

import pytest

from reverie import paths

UID = os.getuid()
VARIABLES = ("REVERIE_SOCKET", "REVERIE_DATA", "REVERIE_CONFIG", "XDG_RUNTIME_DIR", "XDG_DATA_HOME")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "XDG_CONFIG_HOME", "TMPDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/someone")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"REVERIE_SOCKET": "/a/b.sock", "XDG_RUNTIME_DIR": "/run/x"}, "/a/b.sock"),
        ({"XDG_RUNTIME_DIR": "/run/x"}, "/run/x/reverie/reverie.sock"),
        ({"REVERIE_SOCKET": "", "XDG_RUNTIME_DIR": "/run/x"}, "/run/x/reverie/reverie.sock"),
    ],
)
def test_the_socket_is_where_the_environment_says(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert paths.socket_path() == expected


@pytest.mark.parametrize(
    ("owner", "tmpdir", "expected"),
    [
        (UID, None, f"/run/user/{UID}/reverie/reverie.sock"),
        (UID + 1, None, f"/tmp/reverie-{UID}/reverie.sock"),
        (None, None, f"/tmp/reverie-{UID}/reverie.sock"),
        (None, "/scratch", f"/scratch/reverie-{UID}/reverie.sock"),
        (None, "relative", f"/tmp/reverie-{UID}/reverie.sock"),
    ],
)
def test_without_a_runtime_variable_only_a_run_directory_of_ours_counts(
    owner: int | None, tmpdir: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stat(path: str) -> os.stat_result:
        assert path == f"/run/user/{UID}"
        if owner is None:
            raise FileNotFoundError(path)
        return os.stat_result((0o40700, 1, 1, 1, owner, 0, 0, 0, 0, 0))

    if tmpdir is not None:
        monkeypatch.setenv("TMPDIR", tmpdir)
    monkeypatch.setattr("os.stat", stat)
    found = paths.socket_path()
    monkeypatch.undo()
    assert found == expected


def test_the_default_socket_ignores_the_override(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_SOCKET", "/elsewhere.sock")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/x")
    assert paths.default_socket_path() == "/run/x/reverie/reverie.sock"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "/home/someone/.local/share/reverie"),
        ({"XDG_DATA_HOME": "/d"}, "/d/reverie"),
        ({"XDG_DATA_HOME": "not/absolute"}, "/home/someone/.local/share/reverie"),
        ({"XDG_DATA_HOME": "/d", "REVERIE_DATA": "/mine"}, "/mine"),
    ],
)
def test_the_data_directory(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert paths.data_dir() == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "/home/someone/.config/reverie/config.yaml"),
        ({"XDG_CONFIG_HOME": "/c"}, "/c/reverie/config.yaml"),
        ({"XDG_CONFIG_HOME": "c"}, "/home/someone/.config/reverie/config.yaml"),
        ({"REVERIE_CONFIG": "/x.yaml"}, "/x.yaml"),
    ],
)
def test_the_config_file(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert paths.config_path() == expected


def test_finding_the_socket_loads_nothing_heavy() -> None:
    heavy = "{'pathlib', 'msgspec', 'subprocess', 'socket', 'tempfile', 'reverie.protocol'}"
    code = f"import sys; from reverie import paths; paths.socket_path(); print({heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=_with_source())
    assert found.stdout.strip() == "set()", found.stderr


def _with_source() -> dict[str, str]:
    return {"PYTHONPATH": os.path.dirname(os.path.dirname(paths.__file__))}
