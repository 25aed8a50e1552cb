"""What a person or a script types: each command is a thin reading of arguments around one client call."""
