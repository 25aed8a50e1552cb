"""What the daemon does by itself: each job plans from what readers see, and writes through the one writer."""
