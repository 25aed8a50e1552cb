"""The Reverie daemon: an event log, its projections, and a socket in front of them."""

__version__ = "0.1.0"
