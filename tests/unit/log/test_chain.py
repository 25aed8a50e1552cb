"""A chain value depends on everything it covers, and stays what it always was."""

from typing import Any

import pytest

from reveried.log.chain import GENESIS, link

COLUMNS: dict[str, Any] = {
    "previous": GENESIS,
    "seq": 1,
    "at": 2,
    "type_": "memory.stored",
    "namespace": "default",
    "subject": 1,
    "actor": "cli",
    "key": None,
    "digest": b"d" * 32,
}


def test_the_chain_value_of_an_event_never_changes_between_versions() -> None:
    assert GENESIS.hex() == "f0a9d62b9120830289a77f5f42ab57f392c08e80947fec739cf35a919232b24a"
    assert link(**COLUMNS).hex() == "02942b8cc7658d4da98de2f5810f9723380bdff1f60b5c23d82349f56ea10feb"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("previous", b"x" * 32),
        ("seq", 2),
        ("at", 3),
        ("type_", "memory.pinned"),
        ("namespace", "other"),
        ("subject", None),
        ("actor", "mcp"),
        ("key", ""),
        ("digest", b"e" * 32),
    ],
)
def test_every_column_changes_the_chain_value(column: str, value: object) -> None:
    assert link(**{**COLUMNS, column: value}) != link(**COLUMNS)


def test_text_cannot_move_from_one_column_to_its_neighbour() -> None:
    assert link(**{**COLUMNS, "type_": "ab", "namespace": "c"}) != link(**{**COLUMNS, "type_": "a", "namespace": "bc"})
