"""Tries everything once, and names with each trouble what mends it. A check that cannot be made is a trouble itself."""

import os
import time
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from reverie.protocol import requests as ask
from reverie.protocol.results import Check, DoctorReport
from reveried.app.commands import Caller, Outcomes
from reveried.app.doctor_files import file_checks
from reveried.app.doctor_memories import MEMORY_CHECKS
from reveried.app.feedback import Feedback
from reveried.app.health import Parts
from reveried.app.recall import Recall
from reveried.app.remember import Remember
from reveried.errors import ReverieError, Unavailable

SCRATCH = "reverie-doctor"


class Hands(Struct, frozen=True):
    """What the doctor tries things with: the very use cases that everybody's requests go to."""

    remember: Remember
    recall: Recall
    feedback: Feedback


class Doctor:
    def __init__(self, parts: Parts, hands: Hands, job_troubles: Callable[[], Awaitable[list[str]]]) -> None:
        self._parts = parts
        self._hands = hands
        self._job_troubles = job_troubles

    async def examine(self) -> DoctorReport:
        checks = [await _made("round trip", self._round_trip), *file_checks(self._parts)]
        for name, check in MEMORY_CHECKS.items():
            checks.append(await _made(name, lambda check=check: check(self._parts)))  # type: ignore[misc]
        checks.append(await _made("jobs", self._jobs))
        return DoctorReport(ok=all(check.status != "fail" for check in checks), checks=checks)

    async def _round_trip(self) -> Check:
        """Store, recall, reinforce and erase for real, in a namespace of its own."""
        hands, caller = self._hands, Caller(SCRATCH, "doctor")
        started = time.monotonic()
        draft = ask.Draft(content=f"doctor trial quokka {os.urandom(6).hex()}", kind="ephemeral")
        stored = _seen(caller, await hands.remember.store(ask.Store(id=0, memory=draft), caller))
        found = await hands.recall.recall(ask.Recall(id=0, query=draft.content), caller)
        if stored not in [memory.id for memory in found.memories]:
            raise ReverieError("what was just stored was not found", hint="`reverie rebuild`, then `reverie verify`")
        _seen(caller, await hands.feedback.reinforce(ask.Reinforce(id=0, memory=stored), caller))
        _seen(caller, await hands.feedback.erase(ask.Erase(id=0, memory=stored), caller))
        took = (time.monotonic() - started) * 1000
        return Check(name="round trip", status="ok", detail=f"stored, recalled, reinforced and erased in {took:.0f} ms")

    async def _jobs(self) -> Check:
        troubles: Sequence[str] = await self._job_troubles()
        if troubles:
            return Check(name="jobs", status="warn", detail="; ".join(troubles), fix="reverie jobs")
        return Check(name="jobs", status="ok", detail="each ran when it was due, or will")


async def _made(name: str, check: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await check()
    except Unavailable as error:  # a busy daemon is not a sick one
        return Check(name=name, status="warn", detail=error.message, fix=error.hint or "reverie doctor, a little later")
    except ReverieError as error:
        return Check(name=name, status="fail", detail=error.message, fix=error.hint or "reverie service logs")


def _seen(caller: Caller, outcomes: Outcomes) -> int:
    caller.written = outcomes[-1].seq
    return outcomes[0].id
