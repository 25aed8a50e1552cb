"""Somebody tells where things stand, or takes it back."""

from reverie.protocol import requests as ask
from simulating.imports import Imports
from simulating.stage import NAMESPACES


class Narratives(Imports):
    async def _narrate(self) -> None:
        luck, namespace = self._luck, self._luck.choice(NAMESPACES)
        named = list(dict.fromkeys(self._some_id() for _ in range(luck.randrange(3))))
        request = ask.NarrativeAdd(id=0, summary=luck.choice(("All is well.", "It rains.")), topic="", memories=named)
        request.topic = luck.choice(("", "weather"))
        caller = self._caller(namespace)

        def write(key: str) -> object:
            request.key = key
            return self._narratives.add(request, caller)

        told, id_ = await self._written(write)
        expected = self._model.write(id_, namespace, request.summary, request.topic, named, self._clock.now())
        assert told == expected, f"narrative: {told}, not {expected}"

    async def _unsay(self) -> None:
        if self._model.narratives:
            id_, namespace = self._luck.choice(list(self._model.narratives)), self._luck.choice(NAMESPACES)
            caller = self._caller(namespace)
            told, _ = await self._written(
                lambda key: self._feedback.erase(ask.Erase(id=0, memory=id_, key=key), caller)
            )
            assert told == self._model.unsay(id_, namespace, self._clock.now())
