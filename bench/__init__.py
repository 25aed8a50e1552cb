"""Measurements as ratios: ours and a floor in the same run, on the same machine, with the same rows."""
