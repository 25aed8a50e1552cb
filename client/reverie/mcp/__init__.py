"""The bridge between the Model Context Protocol and the daemon, written against the wire: no SDK, no event loop."""
