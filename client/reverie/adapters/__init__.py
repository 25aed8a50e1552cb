"""Reverie in the shapes that agent frameworks expect. None of them has to be installed for these to work."""
