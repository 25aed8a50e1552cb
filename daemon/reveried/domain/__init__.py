"""What Reverie knows about memory: pure values and functions. `now` is always an argument."""
