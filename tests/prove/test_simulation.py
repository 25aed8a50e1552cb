"""Thousands of seeded lives against a model of the whole semantics; a seed that fails is named, and fails again."""

import os
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from simulation import Simulation

STEPS = 60
SHARED_MEMORY = Path("/dev/shm")  # no seed is about the disk, and a sync would take most of the time


async def test_every_seeded_life_ends_as_the_model_says(full: bool, record_proof: Callable[[str, str], None]) -> None:
    """SEED=n runs that one alone."""
    seeds = [int(os.environ["SEED"])] if "SEED" in os.environ else range(2_000 if full else 200)
    done: Counter[str] = Counter()
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as home:
            simulation = Simulation(Path(home), seed)
            try:
                await simulation.run(STEPS)
            except AssertionError as error:
                raise AssertionError(f"SEED={seed} replays it: {error}") from error
        done += simulation.done
    lives = sum(done[act] for act in ("kill", "restart", "renew", "torn"))
    faults = sum(count for act, count in done.items() if act.startswith("fault")) + done["stall"]
    record_proof(
        "simulation against a model",
        f"{len(seeds)} seeds x {STEPS} acts: {lives} restarts, {faults} faults, 0 differences",
    )
