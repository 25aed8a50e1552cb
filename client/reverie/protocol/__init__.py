"""The contract between clients and the daemon: frames, messages and the session, without any I/O."""
