"""The steps of sleep, each a small job of its own."""
