"""What a chunk of a longer text is worth keeping: how new it is here, and how much it says. Each part has a name."""

import re
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.understanding.chunking import ChunkingPolicy
from reveried.domain.understanding.cues import DATE
from reveried.domain.understanding.kinds import states_a_preference
from reveried.domain.understanding.salience import NAME
from reveried.domain.understanding.words import Reading, read


class IngestPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    novelty: Annotated[float, Meta(ge=0.0, le=1.0, description="Share of novelty in a chunk's importance")] = 0.6
    salience: Annotated[float, Meta(ge=0.0, le=1.0, description="Share of what it says by itself")] = 0.4
    entity: Annotated[float, Meta(ge=0.0, le=1.0, description="What a name adds to the salience")] = 0.3
    number: Annotated[float, Meta(ge=0.0, le=1.0, description="What a number or a date adds")] = 0.2
    preference: Annotated[float, Meta(ge=0.0, le=1.0, description="What a stated preference adds")] = 0.4
    technical: Annotated[float, Meta(ge=0.0, le=1.0, description="What a technical term adds")] = 0.1
    discard_below: Annotated[
        float, Meta(ge=0.0, le=1.0, description="A chunk of less importance is not kept; the log says so")
    ] = 0.3
    max_length: Annotated[
        int,
        Meta(ge=1_000, le=1_000_000_000, description="Longest text of one ingest", extra={"unit": "characters"}),
    ] = 50_000_000
    chunking: Annotated[ChunkingPolicy, Meta(description="How a text is cut into chunks.")] = ChunkingPolicy()


DEFAULT = IngestPolicy()
_CODE_LIKE = re.compile(r"`[^`\n]+`|\b(?:[a-z]+[A-Z]\w*|[A-Za-z]\w*_\w+|[A-Z]{2,}[0-9]*|[a-z]+[0-9]+|\w+\(\))(?!\w)")
_TECHNICAL = frozenset(
    """
    algorithm api async authentication backend backup bandwidth binary bug byte bytes cache certificate checksum class
    client cluster commit compiler concurrency config configuration container cpu crash cron daemon database dataset
    debug dependency deploy deployment directory dns docker embedding encryption endpoint event exception filesystem
    firewall framework frontend function gateway git gpu hash header hostname http https index inference interface
    iterator json kernel kubernetes latency library linux load log login lookup macro malloc memory merge metadata
    metric middleware migration model module mutex namespace network node nullable oauth offset package packet parser
    patch payload pipeline pointer port postgres primary process processor protocol proxy python query queue race
    recursion redis refactor regex regression release repository request rollback router rust schema script sdk
    semaphore server shard shell socket sql sqlite ssh ssl stack stderr stdout storage stream struct subnet syntax
    systemd table tcp thread throughput timeout timestamp tls token traceback transaction tuple udp unicode upstream
    url variable vector version vm webhook websocket worker yaml
    """.split()
)


class Worth(Struct, frozen=True):
    """`signals` are the parts of the salience that were found."""

    importance: float
    novelty: float
    salience: float
    signals: dict[str, float]


def worth_of(text: str, novelty: float, policy: IngestPolicy = DEFAULT) -> Worth:
    signals = _signals(read(text), policy)
    salience = min(1.0, sum(signals.values()))
    importance = min(1.0, policy.novelty * novelty + policy.salience * salience)
    return Worth(round(importance, 4), round(novelty, 4), round(salience, 4), signals)


def novelty_of(cosine: float) -> float:
    """The less a text resembles the middle of what is known, the newer it is."""
    return min(1.0, max(0.0, 1.0 - cosine))


def _signals(reading: Reading, policy: IngestPolicy) -> dict[str, float]:
    found = (
        ("entity", policy.entity, NAME.search(reading.text) is not None),
        ("number", policy.number, bool(reading.numbers) or DATE.search(reading.text) is not None),
        ("preference", policy.preference, states_a_preference(reading)),
        ("technical", policy.technical, _is_technical(reading)),
    )
    return {name: weight for name, weight, there in found if there}


def _is_technical(reading: Reading) -> bool:
    return not _TECHNICAL.isdisjoint(reading.vocabulary) or _CODE_LIKE.search(reading.text) is not None
