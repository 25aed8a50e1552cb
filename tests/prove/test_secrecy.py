"""Erased words are in no file, and credentials never reach one, by whatever field or operation they came."""

import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from integration.test_erase import traces
from reverie.errors import ReverieError
from reverie.protocol.requests import Arrival, Draft
from running import RunningDaemon
from wire import Wire, store

Record = Callable[[str, str], None]
Start = Callable[..., RunningDaemon]
LOUD = "log: {level: debug}\n"
EMBEDDED = LOUD + "embedding: {runtime: auto}\n"
FIELDS = ("content", "title", "summary", "source", "source_ref", "speaker", "session_id", "task_id")


def _word(name: str) -> str:
    return f"zq{name.replace('_', '')}xkvj"


WORDS = tuple(map(_word, (*FIELDS, "tag", "entity", "metadata", "key", "later", "query", "merged", "reason", "chunk")))


def _told_everywhere(client: reverie.Client) -> list[int]:
    """The words in every place that a caller can put them; the ids whose erasure must reach them all."""
    for number in range(20):
        client.store(f"an unrelated remark, number {number}, on the weather of the coast")
    told = {field: f"about {_word(field)} here" for field in FIELDS}
    id_ = client.store(
        **told, tags=[_word("tag")], entities=[_word("entity")], metadata={_word("key"): [_word("metadata")]}
    ).id
    client.update(id_, content=f"the harbour opens at {_word('later')} in winter", title=_word("title"))
    client.recall(f"harbour {_word('query')} winter")
    client.context(f"harbour {_word('query')} winter")
    merged = client.store(f"the harbour opens at {_word('later')} in winter, {_word('merged')} too").id
    client.backup()
    client.archive(id_, reason=f"because of {_word('reason')}")
    client.restore(id_)
    sentences = ". ".join(f"Ada said in March {number} that the {_word('chunk')} bell rings" for number in range(40))
    document = client.ingest(sentences, title=f"notes of {_word('chunk')}", source="upload").id
    client.verify()
    _until_asked_is_recorded(client)
    return [id_, *({merged} - {id_}), document]


def _until_asked_is_recorded(client: reverie.Client) -> None:
    """What was asked goes to the log a moment behind the answer."""
    ends = time.monotonic() + 30
    while not any(event.type == "memory.recalled" for event in client.events(limit=200).events):
        assert time.monotonic() < ends
        time.sleep(0.02)


@pytest.mark.parametrize("config", [LOUD, EMBEDDED], ids=["words", "vectors"])
def test_no_word_of_what_was_erased_is_left(start: Start, config: str, record_proof: Record) -> None:
    daemon = start(config=config)
    with daemon.client(timeout=120) as client:
        ids = _told_everywhere(client)
        before = {trace.split()[0] for trace in traces(daemon.data, WORDS)}
        assert set(WORDS) - before == set(), "the search must find what it looks for"
        for id_ in ids:
            client.erase(id_)
        assert traces(daemon.data, WORDS) == []
        client.rebuild()
    daemon.stop()
    assert traces(daemon.data, WORDS) == []
    assert traces(daemon.journal.parent, WORDS) == []
    daemon.start()
    with daemon.client(timeout=120) as client:
        assert client.verify().ok
    files = sum(1 for path in daemon.data.rglob("*") if path.is_file())
    record_proof("erasure", f"{len(WORDS)} places, 8 spellings: 0 left in {files} files and the journal")


# Made up, each of the shape that its issuer gives them.
SECRETS = {
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "aws": "AKIA" + "Q3EGRIZ5XK7MWT2B",
    "anthropic": "sk-ant-api03-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe" * 2,
    "password": "password=" + "Tr0ub4dor&3xkcd",
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "url": "postgres://ada:" + "S3cr3tPa55w0rd" + "@db.example.org/x",
}
VALUES = tuple(
    value.removeprefix("password=").removeprefix("postgres://ada:").removesuffix("@db.example.org/x")
    for value in SECRETS.values()
)


def _left(root: Path, said: list[str]) -> list[str]:
    found = traces(root, VALUES)
    return found + [f"{value} in a reply" for value in VALUES if any(value in reply for reply in said)]


def _stored_by(client: reverie.Client) -> object:
    with client:
        return client.store("who says this, and where")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_credential_reaches_no_file_and_no_reply(start: Start, secret: str, record_proof: Record) -> None:
    daemon = start(config=LOUD)
    value, said = SECRETS[secret], list[str]()
    with daemon.client(timeout=60) as client:
        id_ = client.store("a plain remark on the bell").id
        other = client.store("another plain remark on the lamp").id
        attempts: list[Callable[[], object]] = [
            lambda: client.store(f"use {value} for it"),
            lambda: client.store("with a title", title=f"it is {value}", summary=f"it is {value}"),
            lambda: client.store("with tags", tags=[value[:64]], metadata={"note": value, "deep": [{"x": value}]}),
            lambda: client.store("with a speaker", speaker=value, source_ref=value, source=value),
            lambda: client.store_many([f"many: {value}", f"more: {value}"]),
            lambda: client.update(id_, content=f"now {value}", title=value, metadata={"x": value}),
            lambda: client.tag(id_, [value[:64]]),
            lambda: client.recall(f"what is {value} for"),
            lambda: client.context(f"what is {value} for"),
            lambda: client.why(f"what is {value} for", id_),
            lambda: client.supersede(other, id_, reason=f"it was {value}"),
            lambda: client.archive(id_, reason=f"it was {value}"),
            lambda: client.restore(id_),
            lambda: client.delete(id_, reason=f"it was {value}"),
            lambda: client.ingest(f"A text. The secret is {value} here. And more of it."),
            lambda: client.store("in a session", session_id=value),
            lambda: client.store("for a task", task_id=value),
            lambda: client.store("with a key", key=value),
            lambda: client.session_begin(value),
            lambda: client.session_end(value),
            lambda: client.import_many([Arrival(key=value, memory=Draft(content="from elsewhere"))]),
            lambda: _stored_by(reverie.Client(daemon.socket, namespace=value[:64])),
            lambda: _stored_by(reverie.Client(daemon.socket, name=value[:64])),
            lambda: client.ingest("A text. " * 40, session_id=value),
            lambda: client.ingest("A text. " * 40, task_id=value),
            lambda: client.get(10**12),
            lambda: client.verify(),
        ]
        for attempt in attempts:
            try:
                said.append(str(attempt()))
            except ReverieError as error:
                said.append(f"{error} {error.hint}")
    with Wire(daemon.socket) as wire:  # what is refused is not repeated in the refusal, nor in the journal
        for bad in ({"op": value, "id": 1}, {"op": "get", "id": 1, "memory": value}, store(1, value, kind=value[:40])):
            said.append(str(wire.ask(bad)))
    daemon.stop()
    assert _left(daemon.journal.parent, said) == []
    record_proof(f"a credential ({secret})", f"{len(attempts)} ways in: not in any file, the journal or a reply")


def test_the_search_knows_the_spellings(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"xx" + b64encode(b"yy" + WORDS[0].encode() * 2))
    (tmp_path / "two").write_bytes(WORDS[1].encode("utf-16-le"))
    assert len(traces(tmp_path, WORDS)) == 2
