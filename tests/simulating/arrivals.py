"""Links come from elsewhere, between memories that are here, some of them again."""

from typing import Any

from modelled.links import TOGETHER, Bond, ends
from modelled.things import DAY
from reverie.protocol import requests as ask
from reveried.app.commands import Outcome
from simulating.documents import Documents
from simulating.stage import NAMESPACES

KINDS = (
    ("related_to", "asked"), ("related_to", "proposed"), ("similar_to", "verified"), ("related_to", "refused"),
    ("references", "asked"), ("follows", "asked"), (TOGETHER, "recalled"), ("supersedes", "superseded"),
)  # fmt: skip


class Arrivals(Documents):
    async def _bring(self) -> None:
        luck, now, namespace = self._luck, self._clock.now(), self._luck.choice(NAMESPACES)
        one, other, (kind, how) = self._some_id(), self._some_id(), luck.choice(KINDS)
        born = luck.choice((None, now - luck.randrange(40) * DAY))
        bond = Bond(how, now, now if born is None else luck.randrange(born, now + 1), luck.choice((0.2, 0.9)))
        if how in ("proposed", "verified"):
            bond.shared, bond.confidence = luck.randrange(4), luck.choice((0.2, 0.5))
        if how == "recalled":
            bond.together, bond.affirmed = luck.randrange(1, 5), luck.randrange(3)
        arrival = ask.LinkArrival(
            a=one, b=other, kind=kind, how=how, weight=bond.weight, confidence=bond.confidence, tags=bond.shared,
            created_at=born, verified_at=bond.seen, together=bond.together, affirmed=bond.affirmed,
        )  # fmt: skip
        caller, request = self._caller(namespace), ask.ImportLinks(id=0, links=[arrival])

        async def write(_: str) -> Any:
            report = await self._link_copies.import_links(request, caller)
            told = [name for name in ("linked", "unchanged", "rejected") if getattr(report, name)]
            return (Outcome(id=0, outcome="".join(told), seq=0),)

        told, _ = await self._written(write)
        expected = self._model.bring(ends(one, other, kind), namespace, bond, born, now)
        # Who asks again after a kill may be told that it is there.
        assert told == expected or (expected, told) == ("linked", "unchanged"), f"link {arrival}: {told}"
