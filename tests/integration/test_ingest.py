"""A long text comes in whole, is cut into memories by itself, and ends the same however often it is interrupted."""

from collections.abc import Callable
from typing import Any

import pytest

import reverie
from book import book
from integration.test_erase import traces
from reverie.errors import InvalidField, KeyConflict, NotFound, WrongState
from reveried.domain.understanding.cleaning import FENCE, clean
from reveried.domain.understanding.text import estimate_tokens, sentences
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
# What names a moment, or the number of an event, differs between two runs; nothing else may.
OF_THE_RUN = ("id", "seq", "parent_id", "created_at", "updated_at", "stored_at")


def _memories(client: reverie.Client, **filters: Any) -> list[Any]:
    found, before = [], None
    while True:
        page = client.list(limit=200, before=before, **filters)
        found += page.memories
        if page.next is None:
            return found
        before = int(page.next)


def _chunks(client: reverie.Client, document: int) -> list[Any]:
    chunks = [memory for memory in _memories(client) if memory.parent_id == document]
    return sorted(chunks, key=lambda memory: memory.chunk_index)


def _state(client: reverie.Client) -> list[dict[str, Any]]:
    return [
        {name: getattr(memory, name) for name in memory.__struct_fields__ if name not in OF_THE_RUN}
        for memory in _memories(client)
    ]


@pytest.mark.parametrize("chunking", ["meaning", "document"])
def test_a_book_of_two_megabytes_is_kept_whole_and_cut_at_the_right_places(
    daemon: RunningDaemon, chunking: Any
) -> None:
    text = book(2_000_000)
    seen: list[int] = []
    with daemon.client(timeout=100) as client:
        report = client.ingest(
            text,
            title="The Harbour Book",
            source="upload",
            source_ref="books/harbour.md",
            tags=["harbour"],
            chunking=chunking,
            progress=lambda now: seen.append(now.handled),
        )
        chunks = _chunks(client, report.id)
        assert report.done
        assert report.outcome == "received"
        assert len(chunks) == report.stored == report.chunks - report.duplicates > 1000
        assert report.discarded == 0
        assert "novelty:no_embedder" in report.notes
        assert seen == sorted(seen)
        assert len(set(seen)) > 5
        _check(clean(text), chunks, chunking)
        before = client.ping().head
        again = client.ingest(text, source="upload")
        assert (again.id, again.outcome, again.stored, again.done) == (report.id, "duplicate", report.stored, True)
        assert client.ping().head == before
        assert client.verify().ok


def _check(text: str, chunks: list[Any], chunking: str) -> None:
    for chunk in chunks:
        at = chunk.metadata["position"]
        assert text[at : at + len(chunk.content)] == chunk.content
        assert chunk.metadata["original_length"] == len(text)
        assert (chunk.title, chunk.source, chunk.source_ref) == ("The Harbour Book", "upload", "books/harbour.md")
        assert chunk.tags_manual == ["harbour"]
        assert (estimate_tokens(chunk.content) <= 300) if chunking == "meaning" else (len(chunk.content) <= 1200)
    words = "\0".join(chunk.content for chunk in chunks)
    for whole in ([fence[0] for fence in FENCE.finditer(text)], sentences(FENCE.sub("\n\n", text))):
        at = 0
        for piece in whole:  # in order, for looking from the beginning each time would take minutes
            at = words.find(piece, max(0, at - 2_000))
            assert at >= 0, piece


def test_a_document_is_listed_and_shown_but_not_recalled(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        report = client.ingest("# Lighthouse\n\nThe lighthouse of Skagen was built in 1858.", source="upload")
        (document,) = client.list(kinds=["document"]).memories
        assert (document.id, document.title) == (report.id, "Lighthouse")
        assert client.get(report.id).kind == "document"
        (chunk,) = client.recall("when was the lighthouse built?").memories
        assert client.get(chunk.id).parent_id == report.id
        assert client.recall("lighthouse", kinds=["document"]).memories == []
        events = client.history(report.id).events
        assert [event.type for event in events] == ["document.received", "document.chunked"]
        assert events[0].payload is not None
        assert events[0].payload["text"] == "# Lighthouse\n\nThe lighthouse of Skagen was built in 1858."


def test_a_kill_in_the_middle_and_a_repeat_end_like_one_clean_run(start: Start, tmp_path_factory: Any) -> None:
    text = book(600_000)
    clean_run = RunningDaemon(tmp_path_factory.mktemp("clean"))
    clean_run.start()
    with clean_run.client(timeout=100) as client:
        expected, wanted = client.ingest(text, source="upload", created_at=1), _state(client)
    clean_run.end()
    daemon = start()
    in_the_middle = 0
    for _ in range(4):
        in_the_middle += _killed_while_ingesting(daemon, text)
        daemon.start()
    assert in_the_middle
    with daemon.client(timeout=100) as client:
        report = client.ingest(text, source="upload", created_at=1)
        assert report.done
        assert (report.chunks, report.stored, report.duplicates) == (
            expected.chunks,
            expected.stored,
            expected.duplicates,
        )
        assert len(client.list(kinds=["document"]).memories) == 1
        assert _state(client) == wanted
        assert client.verify().ok


def _killed_while_ingesting(daemon: RunningDaemon, text: str) -> bool:
    """Kill when the next chunks after those of earlier lives are there; whether more were to come."""
    with daemon.client() as client:
        report = client.ingest(text, source="upload", created_at=1, wait="durable")
        if not report.done:
            report = client.ingested(report.id, after=report.handled)
    daemon.kill()
    return not report.done


def test_the_daemon_finishes_a_document_by_itself_after_a_kill(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        id_ = client.ingest(book(300_000), wait="durable").id
    daemon.kill()
    daemon.start()
    with daemon.client(timeout=100) as client:
        report = client.ingested(id_)
        while not report.done:
            report = client.ingested(id_, after=report.handled)
        assert report.stored == len(_chunks(client, id_)) > 100


CANARIES = ("zqxfirstkvj", "zqxmiddlekvj", "zqxlastkvj", "zqxtitlekvj", "zqxdroppedkvj")


def _text_with_canaries() -> str:
    parts = [book(250_000, seed) for seed in (1, 2)]
    return f"The {CANARIES[0]} is here.\n\n{parts[0]}\n\nThe {CANARIES[1]} too.\n\n{parts[1]}\n\nAnd {CANARIES[2]}."


def test_erasing_a_document_erases_every_word_of_it_and_of_its_chunks(start: Start) -> None:
    daemon = start()
    with daemon.client(timeout=100) as client:
        kept = client.store("An unrelated note on tides").id
        id_ = client.ingest(_text_with_canaries(), title=CANARIES[3], source_ref=f"{CANARIES[4]}.md").id
        client.backup()
        archived = _chunks(client, id_)[0].id
        client.archive(archived)
        client.recall(f"where is {CANARIES[1]}?")
        assert {trace.split()[0] for trace in traces(daemon.data, CANARIES)} == set(CANARIES)
        assert client.erase(id_).outcome == "erased"
        assert traces(daemon.data, CANARIES) == []
        assert _chunks(client, id_) == []
        with pytest.raises(NotFound):
            client.get(archived)
        assert [memory.id for memory in _memories(client)] == [kept]
        assert client.verify().ok
    daemon.kill()
    daemon.start()
    with daemon.client(timeout=100) as client:
        assert traces(daemon.data, CANARIES) == []
        again = client.ingest(_text_with_canaries(), title=CANARIES[3])
        assert (again.outcome, again.done) == ("received", True)
        assert again.id != id_


def test_a_document_erased_while_it_is_cut_up_leaves_nothing(daemon: RunningDaemon) -> None:
    with daemon.client(timeout=100) as client:
        id_ = client.ingest(_text_with_canaries(), wait="durable").id
        client.erase(id_)
        client.ingest("Another text, whose end shows that the first one is over with.")
        assert traces(daemon.data, CANARIES) == []
        assert client.verify().ok


def test_a_credential_does_not_reach_the_log_even_across_two_parts(daemon: RunningDaemon) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    padding = "a quiet line.\n" * 14_285
    text = padding + "x" * (200_000 - len(padding) - 11) + " " + secret + " is the key."
    assert text.index(secret) < 200_000 < text.index(secret) + len(secret)
    with daemon.client() as client:
        report = client.ingest(text)
        assert "redacted:aws-key" in report.notes
    assert traces(daemon.data, (secret,)) == []


def test_what_belongs_to_a_document_cannot_be_changed_on_the_document(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.ingest("The pier is closed on Sundays.").id
        note = client.store("A note").id
        for refused in (
            lambda: client.update(id_, content="other"),
            lambda: client.delete(id_),
            lambda: client.archive(id_),
            lambda: client.supersede(id_, note),
        ):
            with pytest.raises(WrongState):
                refused()


def test_texts_that_cannot_be_taken_are_refused_with_a_reason(start: Start) -> None:
    daemon = start(config="ingest: {max_length: 250000}\n")
    with daemon.client() as client:
        with pytest.raises(InvalidField, match="empty"):
            client.ingest(" \n ")
        with pytest.raises(InvalidField, match="limit is 250000"):
            client.ingest("word " * 60_000)
        client.ingest("one text", key="k")
        assert client.ingest("one text", key="k").repeated
        with pytest.raises(KeyConflict):
            client.ingest("another text", key="k")
        with pytest.raises(WrongState):
            client.ingest_part("u", 3, "the fourth part first")
        with pytest.raises(InvalidField):
            client.ingested(99)


def test_another_namespace_sees_nothing_of_a_document(daemon: RunningDaemon) -> None:
    with daemon.client() as ours, daemon.client(namespace="theirs") as theirs:
        id_ = ours.ingest("The harbour opens at six.").id
        with pytest.raises(InvalidField):
            theirs.ingested(id_)
        with pytest.raises(NotFound):
            theirs.erase(id_)
        assert theirs.ingest("The harbour opens at six.").outcome == "received"


def test_a_caller_s_own_parent_numbers_do_not_make_a_memory_part_of_a_document(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        document = client.ingest("The harbour opens at six.").id
        mine = client.store("My own note", parent_id=document).id
        client.erase(document)
        assert client.get(mine).content == "My own note"


async def test_the_asyncio_client_takes_in_a_long_text_as_well(daemon: RunningDaemon) -> None:
    async with daemon.async_client() as client:
        report = await client.ingest(book(450_000), chunking="chat")
        assert report.done
        assert report.stored > 300


def test_documents_wait_for_each_other_and_each_can_be_asked_for(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        ids = [client.ingest(book(150_000, seed), wait="durable").id for seed in range(3)]
    daemon.kill()
    daemon.start()
    with daemon.client(timeout=100) as client:
        for id_ in reversed(ids):
            report, asked = client.ingested(id_), 1
            while not report.done:
                report, asked = client.ingested(id_, after=report.handled), asked + 1
            assert asked < 50, "each question waits for news"
            assert report.stored > 50


def test_a_chunk_is_held_against_what_is_known_and_the_document_is_not(start: Start) -> None:
    running = start(config="embedding: {runtime: none}\nreconciling: {deadline: 60}\n")
    with running.client(timeout=100) as client:
        known = client.store("Guests may park in the yard", wait="enriched").id
        document = client.ingest("Guests may not park in the yard", source="upload").id
        (chunk,) = _chunks(client, document)
        client.store("The printer is in the kitchen", wait="enriched")  # so the chunk, which came before it, is judged
        (found,) = client.conflicts(every=True).conflicts
        assert (found.new, found.known) == (chunk.id, known)
        client.erase(document)
        assert client.conflicts(every=True).conflicts == []
        assert not client.get(known).conflicted
        assert client.verify().ok
