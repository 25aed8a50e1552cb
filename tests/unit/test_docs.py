"""The documentation keeps up with the code: what can be typed, asked, recorded, set or refused is on its page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

# Imported for their errors: the tree knows only what has been loaded.
import reveried.app.directory
import reveried.embed.errors
import reveried.server.listener
import reveried.server.server
import reveried.summarising.errors
from reverie.cli.catalog import COMMANDS
from reverie.protocol import results
from reverie.protocol.requests import REQUESTS, Arrival, Draft, Life, LinkArrival, Request, op_of
from reveried.config.keys import every_key
from reveried.domain.events import EVENTS
from reveried.errors import every_error

ROOT = Path(__file__).resolve().parents[2]
README_LINES = 150
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CODES = sorted({error.code for error in every_error()})
# The envelope says what these two are; they are not repeated for each operation.
OF_EVERY_REQUEST = {"id", "op"}
# Filled in by every event that a command led to, and explained once.
OF_EVERY_EVENT = {"request"}
RESULTS = {
    "hello": results.Welcome,
    "ping": results.Pong,
    "store": results.Written,
    "store_many": results.WrittenMany,
    "import_many": results.WrittenMany,
    "ingest": results.Ingested,
    "ingest_part": results.PartReceived,
    "recall": results.Recalled,
    "get": results.MemoryView,
    "list": results.Page,
    "timeline": results.Page,
    "entities": results.EntitiesReport,
    "relations": results.RelationsReport,
    "related": results.RelatedReport,
    "path": results.PathReport,
    "graph": results.GraphReport,
    "links": results.LinkPage,
    "import_links": results.LinksImported,
    "history": results.EventPage,
    "events": results.EventPage,
    "raw_events": results.RawEventPage,
    "namespaces": results.NamespacesReport,
    "subscribe": results.Subscribed,
    "unsubscribe": results.Done,
    "status": results.StatusReport,
    "doctor": results.DoctorReport,
    "verify": results.VerifyReport,
    "rebuild": results.Rebuilt,
    "backup": results.BackedUp,
    "jobs": results.JobsReport,
    "run": results.RunReport,
    "stats": results.StatsReport,
    "curve": results.CurveReport,
    "config": results.ConfigReport,
}

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")


def _page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _section(page: str, heading: str) -> str:
    """What stands below a heading, up to the next one of the same or a higher rank; empty when there is none."""
    level = heading.index(" ")
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{level}}} |\Z)", page, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _missing(names: set[str] | tuple[str, ...], text: str) -> list[str]:
    return [name for name in names if f"`{name}`" not in text]


def _row(page: str, name: str) -> str:
    """The row of a table that begins with this name."""
    return next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), "")


def _links(page: Path) -> Iterator[str]:
    for target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in target:
            yield target


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str) -> None:
    assert f"reverie {command}" in _section(_page("docs/cli.md"), f"### {command}")


@pytest.mark.parametrize("request_type", REQUESTS, ids=op_of)
def test_every_operation_is_described_with_its_fields_and_result(request_type: type[Request]) -> None:
    op = op_of(request_type)
    section = _section(_page("docs/protocol.md"), f"### `{op}`")
    assert section, f"docs/protocol.md has no section on {op}"
    assert "→" in section
    assert _missing(set(request_type.__struct_fields__) - OF_EVERY_REQUEST, section) == []
    assert _missing(RESULTS[op].__struct_fields__ if op in RESULTS else (), section) == []


SHAPES = [Arrival, Draft, Life, results.RecalledMemory, results.EventView, results.RawEvent, results.Check]
LINK_SHAPES = [LinkArrival, results.LinkView, results.PathStep, results.GraphNode, results.GraphLink]


@pytest.mark.parametrize("shape", [*SHAPES, *LINK_SHAPES, results.JobStatus])
def test_every_field_of_a_nested_shape_is_in_the_protocol(shape: type[Draft]) -> None:
    assert _missing(shape.__struct_fields__, _page("docs/protocol.md")) == []


@pytest.mark.parametrize("type_", EVENTS)
def test_every_event_is_described_with_its_fields(type_: str) -> None:
    row = _row(_page("docs/events.md"), type_)
    assert row, f"docs/events.md has no row for {type_}"
    assert _missing(set(EVENTS[type_].__struct_fields__) - OF_EVERY_EVENT, row) == []


@pytest.mark.parametrize("key", every_key())
def test_every_configuration_key_is_described(key: str) -> None:
    assert _row(_page("docs/configuration.md"), key), f"docs/configuration.md has no row for {key}"


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_says_what_to_do(code: str) -> None:
    cells = [cell.strip() for cell in _row(_page("docs/operations.md"), code).split("|")]
    assert len(cells) == 6, f"docs/operations.md has no row for {code}"
    assert cells[2], "its meaning"
    assert cells[4], "what to do"


@pytest.mark.parametrize("error", every_error(), ids=lambda error: error.__name__)
def test_the_table_of_errors_knows_which_are_worth_trying_again(error: type[reveried.errors.ReverieError]) -> None:
    row = _row(_page("docs/operations.md"), error.code)
    assert (row.split("|")[3].strip() == "yes") is error.retryable


def test_no_error_code_is_documented_that_does_not_exist() -> None:
    table = _section(_page("docs/operations.md"), "## Error codes")
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(CODES)


def test_no_event_is_documented_that_does_not_exist() -> None:
    table = _section(_page("docs/events.md"), "## The types")
    assert set(re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)) == set(EVENTS)


def test_no_operation_is_documented_that_does_not_exist() -> None:
    described = re.findall(r"^### `(\w+)`$", _page("docs/protocol.md"), re.MULTILINE)
    assert described == list(dict.fromkeys(described))
    assert set(described) == {op_of(request) for request in REQUESTS}


def test_the_readme_can_be_read_in_one_sitting() -> None:
    assert len(_page("README.md").splitlines()) <= README_LINES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in _links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} does not exist"
        assert file.is_relative_to(ROOT), f"{target} leaves the project"
        assert not anchor or anchor in _anchors(file), f"{path or page.name} has no heading {anchor}"


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.name)
def test_the_index_lists_every_page(page: Path) -> None:
    assert page.name == "README.md" or f"({page.name})" in _page("docs/README.md")


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/adr/0*.md")), ids=lambda page: page.name)
def test_every_decision_is_listed_and_complete(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert f"({page.name})" in _page("docs/adr/README.md")
    assert all(f"**{part}.**" in text for part in ("Context", "Decision", "Consequences"))


def test_every_guarantee_names_a_test_that_exists() -> None:
    table = _section(_page("README.md"), "## What is guaranteed")
    rows = re.findall(r"^\| (?!guarantee)(.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert rows, "README.md has no table of guarantees"
    for claim, proof in rows:
        targets = _LINK.findall(proof)
        assert targets, f"nothing proves: {claim}"
        for target in targets:
            assert target.startswith("tests/")
            assert re.search(r"^(async )?def test_", _page(target), re.MULTILINE), f"{target} has no test"


def test_what_must_never_happen_names_tests_that_exist() -> None:
    table = _section(_page("docs/guarantees.md"), "## What must never happen")
    rows = re.findall(r"^\| (?!promise)(.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert rows, "docs/guarantees.md has no such table"
    for promise, proof in rows:
        named = re.findall(r"`(?:tests/\w+/)?(test_\w+\.py)`", proof)
        assert named, f"nothing proves: {promise}"
        for name in named:
            assert any(ROOT.glob(f"tests/**/{name}")), f"{name} does not exist"
