"""Summaries from a model that somebody else runs. Nothing here is needed: without it the first sentences do."""
