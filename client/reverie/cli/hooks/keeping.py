"""What was said is kept before the agent loses it: the last exchange when it stops, the latest before compaction."""

import time
from hashlib import blake2b
from typing import Final

from reverie.cli.hooks import transcript
from reverie.cli.hooks.payload import Payload
from reverie.cli.hooks.transcript import Exchange
from reverie.client import Client
from reverie.protocol.requests import Draft, Store
from reverie.protocol.results import Written
from reverie.protocol.session import Call

LATEST: Final = 8
PROMPT, REPLY = 600, 1_200
# What was merely said counts less than what somebody chose to save.
IMPORTANCE: Final = 0.3


def at_stop(client: Client, payload: Payload, harness: str, deadline: float) -> None:
    said = transcript.read(payload.transcript)[-1:] if payload.transcript else []
    if payload.reply:
        said = [Exchange(exchange.prompt, payload.reply) for exchange in said]
    _keep(client, payload, harness, said, deadline)


def before_compaction(client: Client, payload: Payload, harness: str, deadline: float) -> None:
    said = transcript.read(payload.transcript)[-LATEST:] if payload.transcript else []
    _keep(client, payload, harness, said[::-1], deadline)


def _keep(client: Client, payload: Payload, harness: str, said: list[Exchange], deadline: float) -> None:
    for exchange in said:
        client.timeout = deadline - time.monotonic()
        if client.timeout <= 0:
            return
        if exchange.reply:
            client.call(kept(payload, harness, exchange))


def kept(payload: Payload, harness: str, exchange: Exchange) -> Call[Written]:
    """The key is made of the words, so the same exchange is stored once, whichever hook comes by how often."""
    content = f"{_cut(exchange.prompt, PROMPT)}\n→ {_cut(exchange.reply, REPLY)}"
    tags = [harness, *([payload.project.lower()[:64]] if payload.project else [])]
    session = payload.session[:256] if payload.session else None
    named = blake2b("\0".join([content, session or "", *tags]).encode("utf-8", "replace"), digest_size=16)
    draft = Draft(content=content, kind="activity", importance=IMPORTANCE, source="hook", tags=tags, session_id=session)
    return Call(Store(id=0, memory=draft, wait="durable", key=f"hook-{named.hexdigest()}"), Written)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
