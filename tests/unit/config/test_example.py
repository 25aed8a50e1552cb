"""The example file and the documentation page say what the schema says."""

import subprocess
import sys
from pathlib import Path

import pytest

from reveried.config.example import example, written
from reveried.config.keys import every_key
from reveried.config.loader import load, load_file
from reveried.config.schema import Config

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "configuration.md").read_text()


def test_the_example_file_is_what_the_schema_writes():
    assert (ROOT / "config.example.yaml").read_text() == example()


def test_the_example_loads_to_exactly_the_defaults():
    assert load_file(ROOT / "config.example.yaml") == Config()


def test_the_module_prints_the_example():
    printed = subprocess.run([sys.executable, "-m", "reveried.config.example"], capture_output=True, check=True)
    assert printed.stdout.decode() == example()


@pytest.mark.parametrize("key", every_key().values(), ids=lambda key: key.name)
def test_the_example_shows_every_key_with_meaning_and_default(key):
    lines = example().splitlines()
    *sections, leaf = key.name.split(".")
    at = 0
    for depth, section in enumerate(sections):
        at = lines.index(f"{'  ' * depth}{section}:", at)
    indent = "  " * len(sections)
    at = lines.index(f"{indent}{leaf}: {written(key.default)}", at)
    assert lines[at - 1].startswith(f"{indent}# {key.description}.")
    assert lines[at - 1].endswith("(restart)") == key.restart


def test_a_line_changed_in_the_example_changes_that_key():
    assert load(example().replace("max_lag: 2000", "max_lag: 7"), "example").storage.max_lag == 7


@pytest.mark.parametrize("key", every_key().values(), ids=lambda key: key.name)
def test_the_page_on_configuration_has_every_key_with_default_and_restart(key):
    rows = [line for line in DOCS.splitlines() if line.startswith(f"| `{key.name}` |")]
    assert len(rows) == 1
    assert f"| `{written(key.default)}` |" in rows[0]
    assert key.description in rows[0]
    assert rows[0].endswith("| restart |") == key.restart


def test_the_page_on_configuration_has_no_key_that_is_gone():
    listed = {line.split("`")[1] for line in DOCS.splitlines() if line.startswith("| `")}
    assert listed == set(every_key())
