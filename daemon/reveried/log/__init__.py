"""The event log: the only truth there is. Everything else can be deleted and made again from it."""
