"""Sessions begin and end, and an account tells what was said in them, for as long as all of it may be told."""

from dataclasses import dataclass

from modelled.documents import Documents
from modelled.things import Thing

TOLD = 10  # sentences of an account
IMPORTANCE = 0.6  # of an account of nothing that was stored


@dataclass
class Session:
    started: int | None = None
    ended: int | None = None
    account: int | None = None


class Sessions(Documents):
    def __init__(self, worth: float) -> None:
        super().__init__(worth)
        self.sessions: dict[tuple[str, str], Session] = {}

    def begin(self, namespace: str, name: str, now: int) -> str:
        known = self.sessions.get((namespace, name))
        if known is not None and known.started is not None and known.ended is None:
            return "unchanged"
        at = self.moment(now)
        session = self.sessions.setdefault((namespace, name), Session())
        session.started, session.ended = session.started or at, None
        return "started"

    def end(self, namespace: str, name: str, given: str | None, number: int, now: int) -> tuple[str, int]:
        """The number is that of the account, if there is one."""
        known, said = self.sessions.get((namespace, name)), self._said(namespace, name)
        if known is not None and known.ended is not None:
            return "wrong_state", 0
        if known is None and not said:
            return "not_found", 0
        at = self.moment(now)
        session = self.sessions.setdefault((namespace, name), Session())
        session.ended, session.account = at, None
        if said or given:
            session.account = number
            self.things[number] = self._account(number, namespace, name, given or told(said), said, now, at)
        return "ended", session.account or 0

    def _said(self, namespace: str, name: str) -> list[Thing]:
        there = [one for one in self.things.values() if (one.namespace, one.session) == (namespace, name)]
        return sorted((one for one in there if one.holds and not one.tells), key=lambda one: (one.born, one.id))

    def _account(
        self, number: int, namespace: str, name: str, text: str, said: list[Thing], now: int, at: int
    ) -> Thing:
        born = min(max((one.born for one in said), default=now), now)
        thing = Thing(number, namespace, text, "fact", born, at, born, source="session", session=name)
        thing.importance = max((one.importance for one in said), default=IMPORTANCE)
        thing.tells = [one.id for one in said]
        return thing

    def _gone(self, thing: Thing) -> None:
        super()._gone(thing)
        for session in self.sessions.values():
            if session.account == thing.id:
                session.account = None
        for account in [one for one in self.things.values() if thing.id in one.tells]:
            self._gone(account)


def told(said: list[Thing]) -> str:
    """What everybody said first, in order; of too many the most important."""
    best = sorted(said, key=lambda one: -one.importance)[:TOLD]
    return "\n".join(one.own for one in said if one in best)
