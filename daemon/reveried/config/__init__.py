"""What a person may set: its schema, how the file is read, and how it is watched."""
