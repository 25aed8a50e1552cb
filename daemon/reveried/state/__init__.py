"""The projections: tables folded from the log, disposable at any time. One module per projection."""
