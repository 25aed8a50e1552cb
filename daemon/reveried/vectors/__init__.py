"""Searching by meaning: vectors in memory, one block for each namespace."""
