"""Who and what a namespace knows, summed up over its memories, and how they stand to each other."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.results import EntitiesReport, EntityView, RelationsReport, RelationView
from reveried.app.commands import Caller
from reveried.app.readers import Readers
from reveried.app.views import checked_limit
from reveried.domain.forgetting.units import days_since
from reveried.domain.understanding.entities import TYPES, key_of
from reveried.domain.understanding.relations import Related, Seen, seen_from, strength
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.entities import Mention, Said, mentions_of, most_mentioned, said_of

# Of an entity that is named everywhere the newest mentions are enough to say what it is.
MOST_ROWS = 20_000
MOST_ALIASES = 10
MEMORIES_SHOWN = 20


class Entities:
    def __init__(self, readers: Readers, clock: Clock) -> None:
        self._readers = readers
        self._clock = clock

    async def entities(self, request: ask.Entities, caller: Caller) -> EntitiesReport:
        limit = checked_limit(request.limit)
        if request.type is not None and request.type not in TYPES:
            raise InvalidField(f"type {request.type[:64]!r} is not known", field="type", hint=", ".join(TYPES))
        await self._readers.up_to_date(caller)
        keys = await most_mentioned(
            self._readers.live, caller.namespace, request.type, key_of(request.name or ""), limit
        )
        groups: dict[str, list[Mention]] = {key: [] for key in keys}
        for mention in await mentions_of(self._readers.live, caller.namespace, keys, MOST_ROWS):
            groups[mention.key].append(mention)
        return EntitiesReport(entities=[_entity(group) for group in groups.values() if group])

    async def relations(self, request: ask.Relations, caller: Caller) -> RelationsReport:
        limit = checked_limit(request.limit)
        await self._readers.up_to_date(caller)
        key = key_of(request.entity)
        said = await said_of(self._readers.live, caller.namespace, key, MOST_ROWS)
        groups: dict[Seen, list[Said]] = {}
        for one in said:
            groups.setdefault(_seen(key, one), []).append(one)
        now = self._clock.now()
        views = sorted((_relation(seen, group, now) for seen, group in groups.items()), key=lambda view: -view.strength)
        return RelationsReport(entity=request.entity, relations=views[:limit])


def _entity(mentions: Sequence[Mention]) -> EntityView:
    names = Counter(mention.name for mention in mentions)
    ((name, _),) = names.most_common(1)
    written = [*names, *(alias for mention in mentions for alias in msgspec.json.decode(mention.aliases))]
    return EntityView(
        name=name,
        type=_type(mentions),
        aliases=[alias for alias in dict.fromkeys(written) if alias != name][:MOST_ALIASES],
        salience=max(mention.salience for mention in mentions),
        mentions=sum(mention.mentions for mention in mentions),
        memories=len(mentions),
        last_seen_at=max(mention.at for mention in mentions),
    )


def _type(mentions: Sequence[Mention]) -> str:
    """What most memories take it for; one that knew nothing better does not count."""
    votes = Counter(mention.type for mention in mentions if mention.type != "other")
    return votes.most_common(1)[0][0] if votes else "other"


def _seen(key: str, said: Said) -> Seen:
    ends = Related(said.subject_key, said.relation, said.object_key)  # type: ignore[arg-type]
    seen = seen_from(key, ends)
    return msgspec.structs.replace(seen, other=said.object if seen.other == said.object_key else said.subject)


def _relation(seen: Seen, said: Sequence[Said], now: int) -> RelationView:
    last = max(one.at for one in said)
    confidence = max(one.confidence for one in said)
    return RelationView(
        relation=seen.relation,
        other=seen.other,
        inverse=seen.inverse,
        strength=round(strength(len(said), days_since(last, now), confidence), 4),
        count=len(said),
        confidence=confidence,
        last_seen_at=last,
        memories=sorted({one.memory_id for one in said}, reverse=True)[:MEMORIES_SHOWN],
    )
