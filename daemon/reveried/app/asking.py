"""What a caller asks of a recall, checked, with the configured values where it is silent."""

from collections.abc import Sequence

from msgspec import Struct

from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.requests import Recall
from reveried.app.places import Place
from reveried.app.readers import Readers
from reveried.domain import drafts
from reveried.domain.memory import LIVE_STATES, SYSTEMS
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.ranking import checked_profile
from reveried.errors import InvalidField
from reveried.state.reads import Filter

MAX_QUERY = 10_000


MAX_NAMESPACES = 16


class Asked(Struct, frozen=True):
    namespaces: tuple[str, ...]
    profile: str
    limit: int
    budget: int
    floor: float


def asked(request: Recall, namespace: str, policy: RecallPolicy) -> Asked:
    profile = checked_profile(request.profile or policy.profile, policy)
    limit = policy.limit if request.limit is None else request.limit
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidField(f"limit is {limit}; it must be 1 to {MAX_PAGE}", field="limit")
    budget = policy.token_budget if request.token_budget is None else request.token_budget
    if budget < 1:
        raise InvalidField(f"token_budget is {budget}; it must be at least 1", field="token_budget")
    if len(request.query) > MAX_QUERY:
        raise InvalidField(f"query has {len(request.query)} characters; the limit is {MAX_QUERY}", field="query")
    for system in request.systems:
        if system not in SYSTEMS:
            raise InvalidField(f"system {system[:64]!r} is not known", field="systems", hint=", ".join(SYSTEMS))
    floor = policy.floor if request.floor is None else request.floor
    if not 0.0 <= floor <= 1.0:
        raise InvalidField(f"floor is {floor}; it must lie between 0 and 1", field="floor")
    return Asked(_namespaces(request, namespace), profile, limit, budget, floor)


def _namespaces(request: Recall, own: str) -> tuple[str, ...]:
    if request.namespaces is None:
        return (own,)
    named = tuple(dict.fromkeys(request.namespaces))
    if not 1 <= len(named) <= MAX_NAMESPACES:
        raise InvalidField(
            f"namespaces has {len(named)} names; it must have 1 to {MAX_NAMESPACES}",
            field="namespaces",
            hint="leave it out to search the connection's own",
        )
    return named


def places_of(request: Recall, namespaces: Sequence[str], readers: Readers) -> list[Place]:
    """The files to look in, and what may come from each; every namespace by itself, so that none mixes with another."""
    states = LIVE_STATES if request.include_stale else ("active",)
    places = []
    for namespace in namespaces:
        if not request.only_archived:
            places.append(Place(readers.live, _filter(request, namespace, states), readers.kept_live))
        if request.only_archived or request.include_archived:
            places.append(Place(readers.archive, _filter(request, namespace, ()), readers.kept_archive))
    return places


def _filter(request: Recall, namespace: str, states: tuple[str, ...]) -> Filter:
    return Filter(
        namespace=namespace,
        kinds=tuple(kind for name in request.kinds if (kind := drafts.checked_kind(name))),
        systems=tuple(request.systems),
        tags=tuple(tag.strip().lower() for tag in request.tags),
        states=states,
        since=request.since,
        until=request.until,
        replaced=request.include_replaced,
        compressed=request.include_compressed,
    )
