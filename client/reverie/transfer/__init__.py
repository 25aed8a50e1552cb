"""Memories from elsewhere and to elsewhere. Files are read and written here, by the client; the daemon sees drafts."""
