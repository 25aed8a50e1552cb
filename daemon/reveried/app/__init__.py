"""The use cases: each takes a request, asks the domain, and lets the writer or the readers do the rest."""
