"""Turning texts into vectors, in a process of its own: the daemon stays small and starts at once."""
