"""A few seeded lives against the model; `make prove` runs many more."""

from pathlib import Path

import pytest

from simulation import Simulation


@pytest.mark.parametrize("seed", range(3))
async def test_a_life_of_commands_faults_and_restarts_ends_as_the_model_says(tmp_path: Path, seed: int) -> None:
    simulation = Simulation(tmp_path, seed)
    await simulation.run(50)
    assert sum(simulation.done[act] for act in ("kill", "restart", "renew", "torn")) > 0
