"""From a text of any length to the events that record it, and from one of its chunks to a draft like any other."""

from hashlib import sha256
from itertools import islice

from reverie.protocol.requests import Draft, Ingest
from reveried.domain import drafts
from reveried.domain.drafting import Redactor
from reveried.domain.events import ChunkDiscarded, DocumentContinued, DocumentReceived, Event
from reveried.domain.memory import DOCUMENT_HASH
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.chunking import Chunk, Profile, profile_for
from reveried.domain.understanding.cleaning import clean
from reveried.domain.understanding.text import first_sentences, sentence_spans
from reveried.domain.understanding.understand import UnderstandingPolicy, Understood, understand
from reveried.domain.understanding.worth import IngestPolicy, Worth
from reveried.errors import InvalidField

# Every event must fit one frame of the protocol, whatever its letters are.
PART = 200_000
OPENING_SENTENCES, OPENING = 3, 1_000
CHUNK_SENTENCES = 2

Received = tuple[DocumentReceived, *tuple[Event, ...]]


def text_hash(text: str) -> str:
    """Of every character: for code, and for much else, space is not nothing."""
    return DOCUMENT_HASH + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def received(
    about: Ingest,
    text: str,
    limits: ContentLimits,
    understanding: UnderstandingPolicy,
    policy: IngestPolicy,
    now: int,
    request: str,
) -> Received:
    """The whole text, cleaned of credentials, as one event or as several where it is too long for one."""
    drafts.checked_times(now, about.created_at, None, None)
    safe = Redactor(understanding)
    whole = safe.text(_checked(text, policy)) or ""
    source = safe.text(drafts.checked_name("source", about.source)) or "agent"
    source_ref = safe.text(drafts.checked_name("source_ref", about.source_ref))
    read = _understood(about, whole, source, source_ref, understanding)
    profile = profile_for(source, about.chunking, policy.chunking)
    first = DocumentReceived(
        text=whole[:PART],
        text_hash=text_hash(whole),
        length=len(whole),
        parts=-(-len(whole) // PART),
        title=read.title,
        opening=read.content,
        importance=read.importance,
        confidence=drafts.default_confidence(source),
        created_at=now if about.created_at is None else about.created_at,
        profile=profile.name,
        most=profile.most,
        least=profile.least,
        overlap=profile.overlap,
        discard_below=policy.discard_below,
        source=source,
        source_ref=source_ref,
        speaker=safe.text(drafts.checked_name("speaker", about.speaker)),
        session_id=safe.name("session_id", about.session_id),
        task_id=safe.name("task_id", about.task_id),
        tags_auto=read.tags_auto,
        tags_manual=safe.tags(about.tags, limits),
        trust=read.trust,
        metadata=safe.json(drafts.checked_metadata(about.metadata, limits)),
        notes=safe.notes_with(read),
        request=request,
    )
    rest = range(PART, len(whole), PART)
    return (first, *(DocumentContinued(part=at // PART, text=whole[at : at + PART]) for at in rest))


def _checked(text: str, policy: IngestPolicy) -> str:
    text = clean(text)
    if not text:
        raise InvalidField("the text is empty", field="text", hint="give it at least one visible character")
    hint = "split it, or raise ingest.max_length"
    return drafts.checked_length("text", text, policy.max_length, hint=hint)


def _understood(
    about: Ingest, text: str, source: str, source_ref: str | None, policy: UnderstandingPolicy
) -> Understood:
    *_, (_, end) = islice(sentence_spans(text, 0, len(text)), OPENING_SENTENCES)
    opening = text[: min(end, OPENING)]
    title = drafts.checked_title(about.title)
    return understand(opening, kind="document", title=title, source=source, source_ref=source_ref, policy=policy)


def profile_of(document: DocumentReceived) -> Profile:
    name = document.profile
    return Profile(
        name="document" if name == "document" else "chat" if name == "chat" else "meaning",
        most=document.most,
        least=document.least,
        overlap=document.overlap,
    )


def draft_of(document: DocumentReceived, id_: int, chunk: Chunk, worth: Worth) -> Draft:
    """A chunk inherits what is said of the whole: title, source, tags, time; and knows its place in it."""
    opening = first_sentences(chunk.text, CHUNK_SENTENCES + 1)
    return Draft(
        content=chunk.text,
        title=document.title,
        summary=" ".join(opening[:CHUNK_SENTENCES]) if len(opening) > CHUNK_SENTENCES else None,
        importance=worth.importance,
        confidence=document.confidence,
        source=document.source,
        source_ref=document.source_ref,
        speaker=document.speaker,
        session_id=document.session_id,
        task_id=document.task_id,
        parent_id=id_,
        chunk_index=chunk.index,
        tags=list(document.tags_manual),
        created_at=document.created_at,
        metadata={"position": chunk.position, "original_length": document.length},
    )


def discarded(chunk: Chunk, worth: Worth, reason: str, request: str) -> ChunkDiscarded:
    return ChunkDiscarded(
        chunk_index=chunk.index,
        position=chunk.position,
        length=len(chunk.text),
        reason=reason,
        importance=worth.importance,
        novelty=worth.novelty,
        salience=worth.salience,
        request=request,
    )
