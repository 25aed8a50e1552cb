"""`reverie ingest` as a person types it, against a real daemon."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from book import book
from reverie.cli.main import main
from running import RunningDaemon

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(daemon: RunningDaemon, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typed:
    monkeypatch.setenv("REVERIE_SOCKET", daemon.socket)

    def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    shelf = tmp_path / "shelf"
    (shelf / "deep").mkdir(parents=True)
    (shelf / ".git").mkdir()
    (shelf / "tides.md").write_text("# Tides\n\nHigh water in Cuxhaven is at 6:12.")
    (shelf / "deep" / "sounding.py").write_text("# depth in metres\n\ndef sounding():\n    return 7\n")
    (shelf / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (shelf / "latin.txt").write_bytes("café".encode("latin-1"))
    (shelf / "empty.txt").write_text("\n")
    (shelf / ".git" / "config").write_text("hidden")
    (shelf / "link.md").symlink_to(shelf / "tides.md")
    return shelf


def test_a_directory_becomes_documents_and_what_is_no_text_is_named(typed: Typed, shelf: Path) -> None:
    code, out, err = typed("ingest", str(shelf), "--tag", "sea")
    assert code == 0
    told = [line.split("] ")[1].split(" (")[0] for line in out.splitlines()]
    assert told == [f"{shelf / 'tides.md'}: 1 memory", f"{shelf / 'deep' / 'sounding.py'}: 1 memory"]
    for name, reason in (("photo.png", "binary"), ("latin.txt", "not UTF-8"), ("empty.txt", "empty")):
        assert any(name in line and reason in line for line in err.splitlines())
    code, found, _ = typed("recall", "high water in Cuxhaven", "--tag", "sea", "--json")
    assert msgspec.json.decode(found)["memories"][0]["title"] == "Tides"


def test_a_second_run_changes_nothing_and_says_so(typed: Typed, shelf: Path, daemon: RunningDaemon) -> None:
    typed("ingest", str(shelf))
    with daemon.client() as client:
        head = client.ping().head
        code, out, _ = typed("ingest", str(shelf))
        assert code == 0
        assert all("was here already, as 1 memory" in line for line in out.splitlines())
        assert client.ping().head == head


def test_a_pipe_is_one_text_and_a_script_gets_an_object(typed: Typed) -> None:
    code, out, err = typed(
        "ingest", "-", "--title", "Log book", "--ref", "log.txt", "--json", stdin=book(30_000).encode()
    )
    report = msgspec.json.decode(out)
    assert (code, err) == (0, "")
    assert (report["outcome"], report["done"], report["file"]) == ("received", True, None)
    assert report["stored"] == report["chunks"] > 10
    code, listed, _ = typed("list", "--kind", "document", "--json")
    (document,) = msgspec.json.decode(listed)["memories"]
    assert (document["title"], document["source"], document["source_ref"]) == ("Log book", "upload", "log.txt")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ingest", "nowhere.md"), "there is no nowhere.md"),
        (("ingest", os.devnull), "nothing to take in"),
        (("ingest",), "required"),
    ],
)
def test_what_cannot_be_read_is_a_mistake_of_usage(typed: Typed, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = typed(*arguments)
    assert code == 2
    assert said in err


def test_a_text_that_the_daemon_refuses_does_not_stop_the_others(typed: Typed, shelf: Path) -> None:
    code, out, err = typed("ingest", str(shelf / "tides.md"), str(shelf / "deep"), "--speaker", "x" * 300)
    assert (code, out) == (1, "")
    assert err.count("speaker has 300 characters") == 2
