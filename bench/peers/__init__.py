"""Other memories on the same machine, each in an environment of its own, given the same work in the same run."""
