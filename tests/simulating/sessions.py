"""Sessions begin, go on and end, with an account of what was said or with somebody's own."""

from typing import Any

from reverie.protocol import requests as ask
from reveried.app.commands import Outcome
from simulating.arrivals import Arrivals
from simulating.commands import SESSIONS
from simulating.stage import NAMESPACES


class Sessions(Arrivals):
    async def _begin(self) -> None:
        namespace, name = self._luck.choice(NAMESPACES), self._luck.choice(SESSIONS)
        caller = self._caller(namespace)

        async def write(key: str) -> Any:
            begun = await self._sessions.begin(ask.SessionBegin(id=0, session_id=name, key=key), caller)
            return (Outcome(id=0, outcome=begun.outcome, seq=begun.seq),)

        told, _ = await self._written(write)
        assert told == self._model.begin(namespace, name, self._clock.now())

    async def _end(self) -> None:
        namespace, name = self._luck.choice(NAMESPACES), self._luck.choice(SESSIONS)
        given, caller = self._luck.choice((None, None, "All is told.")), self._caller(namespace)
        request = ask.SessionEnd(id=0, session_id=name, summary=given)

        async def write(key: str) -> Any:
            request.key = key
            return await self._sessions.end(request, caller)

        told, id_ = await self._written(write)
        expected = self._model.end(namespace, name, given, id_, self._clock.now())
        assert (told, id_) == expected, f"end of {name}: {told} {id_}, not {expected}"
        if id_:  # which six of its words become tags is nobody's business
            self._model.things[id_].chosen = {*(await self._life.memories())[id_].tags_auto}
