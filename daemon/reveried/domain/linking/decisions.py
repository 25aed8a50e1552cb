"""What becomes of a wish, a proposal or a doubt about links, judged where everything before it is known."""

from collections.abc import Callable, Sequence

from reveried.domain.decide import UNCHANGED, Decision, present
from reveried.domain.events import Link, MemoryLinked, MemoryUnlinked
from reveried.domain.linking.kinds import Ends, ends_of
from reveried.domain.linking.proposing import comparable, linkable
from reveried.domain.memory import Memory
from reveried.errors import InvalidField

Get = Callable[[int], Memory | None]
ASKED = "asked"


def link(memory: Memory, other: Memory, wanted: Link, asked_before: Sequence[Ends], request: str) -> Decision:
    """`asked_before` are the links of these two that somebody asked for already."""
    present(memory)
    present(other)
    if memory.id == other.id:
        raise InvalidField("a memory cannot be linked to itself", field="other")
    if ends_of(memory.id, other.id, wanted.kind) in asked_before:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    fact = MemoryLinked(links=(wanted,), how=ASKED, request=request)
    return Decision(outcome="linked", subject=memory.id, events=(fact,))


def unlink(memory: Memory, known: Sequence[Ends], request: str) -> Decision:
    """`known` are the links that stand and are meant."""
    if not known:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    gone = tuple((ends.a, ends.b, ends.kind) for ends in sorted(known))
    fact = MemoryUnlinked(links=gone, reason=ASKED, request=request)
    return Decision(outcome="unlinked", subject=memory.id, events=(fact,))


def proposed(memory: Memory, links: Sequence[Link], get: Get, how: str = "proposed") -> Decision:
    """What was found, as far as the memory still says the same and both still stand."""
    current = get(memory.id)
    if current is None or current.content_hash != memory.content_hash or not linkable(current):
        return Decision(outcome=UNCHANGED, subject=memory.id)
    kept = tuple(one for one in links if (other := get(one.to)) is not None and comparable(current, other))
    if not kept:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return Decision(outcome="linked", subject=memory.id, events=(MemoryLinked(links=kept, how=how),))
