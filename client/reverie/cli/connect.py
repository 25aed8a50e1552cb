"""The client that a command uses, made from the shared flags."""

import argparse

from reverie.client import Client

PROMPT, PATIENT = 30.0, 600.0


def connect(args: argparse.Namespace, *, timeout: float = PROMPT) -> Client:
    """`timeout` is the command's own patience; the user's --timeout wins over it."""
    return Client(args.socket, namespace=args.namespace, name="cli", timeout=args.timeout or timeout)
