"""From a question to an ordered, budgeted answer."""
