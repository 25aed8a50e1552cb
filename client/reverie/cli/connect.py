"""The client that a command uses, made from the shared flags."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack

from reverie.client import Client

PROMPT, PATIENT = 30.0, 600.0


def connect(args: argparse.Namespace, *, timeout: float = PROMPT) -> Client:
    """`timeout` is the command's own patience; the user's --timeout wins over it."""
    return Client(args.socket, namespace=args.namespace, name="cli", timeout=args.timeout or timeout)


def connect_to(args: argparse.Namespace, stack: ExitStack, *, timeout: float) -> Callable[[str], Client]:
    """One client for each namespace that comes up, all closed with the stack."""
    clients: dict[str, Client] = {}

    def client_for(namespace: str) -> Client:
        if namespace not in clients:
            client = Client(args.socket, namespace=namespace, name="cli", timeout=args.timeout or timeout)
            clients[namespace] = stack.enter_context(client)
        return clients[namespace]

    return client_for
