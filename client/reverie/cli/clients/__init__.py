"""The configuration files of agents: read with care, changed in one place, and left alone when in doubt."""
