"""The socket in front of the use cases: who may speak, how much, and how the daemon comes and goes."""
