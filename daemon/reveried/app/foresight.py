"""What `get` says of a memory beyond its record: how much is left, how fast it fades, what comes next."""

from reverie.protocol.results import MemoryView, NextTransition
from reveried.app.views import memory_view
from reveried.config.schema import Config
from reveried.domain.forgetting.lifecycle import forecast
from reveried.domain.forgetting.retention import retention_at, stability_days
from reveried.domain.memory import Memory


def foreseen(memory: Memory, now: int, config: Config, links: int) -> MemoryView:
    view = memory_view(memory)
    view.retention = retention_at(memory, now, config.retention, links)
    view.stability_days = stability_days(memory, links, config.retention)
    view.next_transition = next_transition(memory, now, config, links)
    return view


def next_transition(memory: Memory, now: int, config: Config, links: int) -> NextTransition | None:
    coming = forecast(memory, memory.stale_since, now, config.retention, config.forgetting, links)
    return None if coming is None else NextTransition(state=coming.state, at=coming.at, reason=coming.reason)
