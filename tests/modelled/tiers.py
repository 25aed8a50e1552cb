"""Where a memory lies: the rules in the order in which the specification has them."""

from math import log

from modelled.things import DAY, SOURCES, Edges, Thing


def tier(thing: Thing, edges: Edges, now: int) -> str:
    every, recent = edges
    related, stale = every + 2 * recent, 1 - thing.retention(now, every)
    idle, weight = thing.idle(now), priority(thing, every + 2 * recent, now)
    rules = (
        ("hot", weight >= 0.65),  # high_priority
        ("hot", stale <= 0.25),  # low_decay
        ("hot", idle <= 3),  # recent_access
        ("hot", related >= 6),  # dense_graph
        ("hot", recent >= 4),  # active_connections
        ("hot", thing.pinned),  # manual_pin
        ("hot", thing.tier == "hot" and idle < 4),  # cooling
        ("warm", weight >= 0.3),  # moderate_priority
        ("warm", idle <= 21),  # recently_accessed
        ("warm", related >= 3),  # connected_graph
        ("warm", bool(thing.tags)),  # manual_tags_present
    )
    for where, holds in rules:
        if holds:
            return where
    cold = idle >= 30 and stale >= 0.6 and related <= 2 and not recent
    return "archive" if cold else thing.tier


def priority(thing: Thing, related: int, now: int) -> float:
    periods = max(max(now - thing.born, 0) / DAY / 30, 1)
    found = (
        0.2 * min(log(1 + thing.reads / periods) / log(21), 1)
        + 0.2 * min(related / 6, 1)
        + 0.1 / (1 + log(1 + thing.idle(now)))
        + 0.1 * SOURCES[thing.source]
    )
    return found / 0.6 if thing.priority is None else 0.4 * thing.priority + found
