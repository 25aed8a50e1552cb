"""Those who read the log behind the writer and add what they find."""
