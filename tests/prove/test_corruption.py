"""Bits flipped, files cut, pages swapped, files removed: found, mended, or refused, and never served in silence."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from corruption import HARMS, Damages
from openings import Openings

STATE = ("state.db", "archive.db", "vectors.db")
PLACES = [
    *(("stopped", name) for name in ("log.db", *STATE)),
    *(("killed", name) for name in ("log.db", *STATE, "log.db-wal", "state.db-wal", "archive.db-wal", "log.db-shm")),
]
ROUNDS, FULL_ROUNDS = 2, 18
# Without a process for each there can be many more.
OPENINGS, FULL_OPENINGS = 60, 1_000


@pytest.fixture(scope="module")
def damages(tmp_path_factory: pytest.TempPathFactory) -> Damages:
    return Damages(tmp_path_factory.mktemp("damages"))


def test_no_harm_to_a_file_is_served_in_silence(
    damages: Damages, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    for name in ("log.db", *STATE, "write-ahead logs and indexes"):
        places = [place for place in PLACES if place[1] == name or (" " in name and "-" in place[1])]
        ends: Counter[str] = Counter()
        for number in range(FULL_ROUNDS if full else ROUNDS):
            ends.update(damages.trial(*place, harm, number) for place in places for harm in HARMS)
        record_proof(f"harm to {name}", f"{ends.total()} harms, 0 served wrong in silence: {_told(ends)}")


@pytest.mark.parametrize(("source", "name"), PLACES)
def test_whatever_is_harmed_is_noticed_at_the_start_or_by_the_proof_behind_it(
    damages: Damages, source: str, name: str, tmp_path: Path, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    openings, luck = Openings(damages.home / source, tmp_path), random.Random(f"{source} {name}")
    harms = [luck.choice(("flip", "flip", "flip", "cut", "swap")) for _ in range(FULL_OPENINGS if full else OPENINGS)]
    ends = Counter(openings.trial(name, harm, seed) for seed, harm in enumerate([*harms, "remove"]))
    record_proof(f"openings of a harmed {name} ({source})", f"{ends.total()} harms: {_told(ends)}")


def test_harm_to_a_backup_or_the_configuration_stays_there(
    damages: Damages, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    rounds = FULL_ROUNDS if full else ROUNDS
    ends = Counter(damages.backup_trial(harm, number) for number in range(rounds) for harm in HARMS)
    ends.update(damages.config_trial(harm, number) for number in range(rounds) for harm in HARMS)
    record_proof("harm to backups and configuration", f"{ends.total()} harms: {_told(ends)}")


def _told(ends: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in ends.most_common())
