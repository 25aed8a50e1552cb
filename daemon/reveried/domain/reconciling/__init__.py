"""What is new against what is known: the same again, more of it, or its contradiction."""
