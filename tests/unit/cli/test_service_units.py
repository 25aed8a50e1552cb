"""Where an install finds its unit files and the program they start."""

from pathlib import Path

import pytest

from reverie.cli import service_systemd, service_units


def _program_in(directory: Path) -> Path:
    directory.mkdir()
    program = directory / "reveried"
    program.write_text("")
    program.chmod(0o755)
    return program


def test_the_program_beside_this_one_comes_before_the_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, on_path = _program_in(tmp_path / "venv"), _program_in(tmp_path / "bin")
    monkeypatch.setattr("sys.argv", [str(beside.with_name("reverie"))])
    monkeypatch.setattr("sys.executable", str(tmp_path / "elsewhere/python"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert service_systemd.find_program() == str(beside)
    beside.unlink()
    assert service_systemd.find_program() == str(on_path)
    on_path.unlink()
    with pytest.raises(service_systemd.ServiceFailed, match="neither beside"):
        service_systemd.find_program()


@pytest.mark.parametrize("name", ['a"b', "a'b", "a\\b", "a\nb"])
def test_a_program_systemd_would_refuse_is_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("sys.argv", [str(_program_in(tmp_path / name))])
    with pytest.raises(service_systemd.ServiceFailed, match="quotes or backslashes"):
        service_systemd.find_program()


def test_units_are_found_in_an_installed_package_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "reverie"
    (installed / "systemd").mkdir(parents=True)
    (installed / "systemd/reveried.service").touch()
    monkeypatch.setattr(service_units, "__file__", str(installed / "cli/service_units.py"))
    assert service_units.source_dir() == str(installed / "systemd")


def test_an_installation_without_units_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_units, "__file__", str(tmp_path / "a/reverie/cli/service_units.py"))
    with pytest.raises(service_units.UnitsMissing, match="incomplete"):
        service_units.source_dir()
