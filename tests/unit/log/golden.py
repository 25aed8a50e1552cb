"""One pinned example of every event: the line as stored, and the value it must always decode to."""

import json
from pathlib import Path
from typing import NamedTuple

from reveried.domain import events as e
from reveried.domain.events import Event

FILE = Path(__file__).parents[2] / "golden" / "events.jsonl"


class GoldenEvent(NamedTuple):
    name: str
    type: str
    payload: bytes
    digest: bytes


def golden_events() -> list[GoldenEvent]:
    lines = [json.loads(line) for line in FILE.read_text().splitlines()]
    return [
        GoldenEvent(line["name"], line["type"], line["payload"].encode(), bytes.fromhex(line["digest"]))
        for line in lines
    ]


GOLDEN: dict[str, Event] = {
    "stored, everything said": e.MemoryStored(
        content="Ada prefers tea — 東京 at 9",
        title="Ada prefers tea",
        content_hash="9f" * 32,
        kind="preference",
        importance=0.8,
        confidence=0.95,
        created_at=1_700_000_000_000_000,
        summary="Tea.",
        priority=0.5,
        pinned=True,
        source="conversation",
        source_ref="chat/7",
        speaker="Ada",
        session_id="s-1",
        narrative_id=4,
        task_id="t-2",
        parent_id=3,
        chunk_index=0,
        tags_auto=("tea",),
        tags_manual=("drinks", "旅行"),
        entities=("Ada",),
        trust="low",
        valid_from=1_600_000_000_000_000,
        valid_to=1_800_000_000_000_000,
        expires_at=1_900_000_000_000_000,
        metadata={"room": 7, "nested": {"list": [1, 2.5, None, True]}},
        notes=("redacted: password",),
        request="0123456789abcdef0123456789abcdef",
    ),
    "stored, little said": e.MemoryStored(
        content="x", title="x", content_hash="00", kind="fact", importance=0.6, confidence=0.8, created_at=0
    ),
    "imported, everything said": e.MemoryImported(
        state="archived",
        tier="archive",
        score=-2,
        access_count=5,
        last_accessed_at=1_700_000_000_000_001,
        updated_at=1_700_000_000_000_002,
        reinforced_at=1_700_000_000_000_003,
        stored_at=1_700_000_000_000_004,
        stale_since=1_700_000_000_000_005,
        archived_at=1_700_000_000_000_006,
        deleted_at=1_700_000_000_000_007,
        superseded_by=0,
        compressed_into=3,
        request="r",
    ),
    "imported, little said": e.MemoryImported(),
    "repeated": e.MemoryRepeated(request="r"),
    "updated": e.MemoryUpdated(
        content="new words",
        content_hash="aa",
        title="new",
        tags_manual=(),
        tags_auto=("auto",),
        importance=1.0,
        metadata={},
        trust="normal",
        notes=("n",),
        request="r",
    ),
    "updated, one field": e.MemoryUpdated(title="only the title"),
    "reinforced": e.MemoryReinforced(amount=3, request="r"),
    "demoted": e.MemoryDemoted(amount=-1),
    "recalled": e.MemoryRecalled(query="what does Ada drink?", ids=(7, 2), profile="hebbian"),
    "recalled, redacted": e.MemoryRecalled(query="", ids=(7, 2), profile="hebbian"),
    "accessed": e.MemoryAccessed(ids=(1, 2), how="timeline"),
    "pinned": e.MemoryPinned(),
    "unpinned": e.MemoryUnpinned(request="r"),
    "tagged": e.MemoryTagged(tags=("a", "b")),
    "untagged": e.MemoryUntagged(tags=("a",), request="r"),
    "superseded": e.MemorySuperseded(by=9, reason="newer", request="r"),
    "merged": e.MemoryMerged(
        into=3, how="merged", added="In the morning, too.", similarity=0.91, tags=("tea",), importance=0.8
    ),
    "merged, redacted": e.MemoryMerged(into=3, how="subset", added=""),
    "conflict detected": e.ConflictDetected(
        against=3, rule="negation", confidence=0.8, mode="temporal", outcome="new_used", similarity=0.9
    ),
    "conflict resolved": e.ConflictResolved(conflict=5, new=4, known=3, mode="use_new", winner=4, request="r"),
    "erased, with ties": e.MemoryErased(reason="asked", others=(3, 9)),
    "stored, with wishes": e.MemoryStored(
        content="x",
        title="x",
        content_hash="00",
        kind="fact",
        importance=0.6,
        confidence=0.8,
        created_at=0,
        dedup=False,
        on_conflict="ask",
    ),
    "archived": e.MemoryArchived(reason="asked"),
    "restored": e.MemoryRestored(reason="asked"),
    "deleted": e.MemoryDeleted(reason="wrong"),
    "erased": e.MemoryErased(reason="asked", request="r"),
    "transitioned": e.MemoryTransitioned(
        ids=(4, 5), what="tier", before="hot", after="warm", reason="recently_accessed"
    ),
    "document received, everything said": e.DocumentReceived(
        text="# Tides — 潮\n\nHigh at 6.",
        text_hash="document:" + "9f" * 32,
        length=400_000,
        title="Tides",
        opening="# Tides — 潮",
        importance=0.6,
        confidence=0.8,
        created_at=1_700_000_000_000_000,
        profile="document",
        most=1200,
        least=0,
        overlap=120,
        discard_below=0.3,
        parts=2,
        source="upload",
        source_ref="tides.md",
        speaker="Ada",
        session_id="s-1",
        task_id="t-2",
        tags_auto=("tides",),
        tags_manual=("harbour",),
        trust="low",
        metadata={"page": 7},
        notes=("redacted:aws-key",),
        request="r",
    ),
    "document received, little said": e.DocumentReceived(
        text="x",
        text_hash="document:00",
        length=1,
        title="x",
        opening="x",
        importance=0.4,
        confidence=0.8,
        created_at=0,
        profile="meaning",
        most=300,
        least=50,
    ),
    "document continued": e.DocumentContinued(part=1, text="Low at noon."),
    "document chunked": e.DocumentChunked(
        chunks=9, stored=6, duplicates=1, discarded=2, notes=("novelty:measured",), request="document:3/"
    ),
    "chunk discarded": e.ChunkDiscarded(
        chunk_index=4,
        position=4800,
        length=1100,
        reason="unimportant",
        importance=0.22,
        novelty=0.3,
        salience=0.1,
        request="document:3/4",
    ),
    "linked, proposed": e.MemoryLinked(
        links=(e.Link(to=3, kind="similar_to", weight=0.61, confidence=0.61, tags=2, entities=1, cosine=0.92),),
        how="proposed",
    ),
    "linked, with a life elsewhere": e.MemoryLinked(
        links=(
            e.Link(to=9, kind="co_recalled", weight=0.0, created_at=1, verified_at=2, together=4, affirmed=1),
            e.Link(to=12, kind="references"),
        ),
        how="asked",
        request="r",
    ),
    "unlinked": e.MemoryUnlinked(links=((3, 9, "related_to"), (12, 3, "precedes")), reason="asked", request="r"),
    "job ran": e.JobRan(job="decay", started=1, finished=2, reason="schedule", scheduled=0, changed={"stale": 3}),
    "stored, with relations": e.MemoryStored(
        content="x",
        title="x",
        content_hash="00",
        kind="fact",
        importance=0.6,
        confidence=0.8,
        created_at=0,
        relations=(("Ada", "works_at", "Acme"),),
    ),
    "compressed": e.MemoryCompressed(ids=(3, 4), session_id="s-1", by="a-model"),
    "summarised": e.MemorySummarised(summary="Tea.", by="a-model"),
    "retagged": e.MemoryRetagged(tags_auto=("tea", "旅行")),
    "reviewed": e.MemoryReviewed(ids=(3, 4), what="tags"),
    "erased, an account": e.MemoryErased(reason="asked", others=(3, 4), released=(3, 4)),
    "session started": e.SessionStarted(session_id="s-1", request="r"),
    "session ended": e.SessionEnded(session_id="s-1", ids=(3, 4), by="extractive", request="r"),
    "session ended, nothing said": e.SessionEnded(session_id="s-1"),
    "narrative written": e.NarrativeWritten(
        summary="The tides are in.",
        topic="harbour",
        memories=(3, 4),
        previous=7,
        trust="low",
        notes=("redacted:aws-key",),
        request="r",
    ),
    "narrative written, little said": e.NarrativeWritten(summary="x"),
    "config changed": e.ConfigChanged(changed={"recall.limit": [5, 7]}),
}
