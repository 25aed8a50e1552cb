"""What strangers may send, one small function for each way in: bytes go in, a documented error comes out or nothing.

Run as a program (`fuzz_targets.py NAME RUNS SECONDS`) it is a coverage-guided fuzzer; imported, a catalogue.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

Target = Callable[[bytes], object]


def frames(data: bytes) -> None:
    """Any chunking of the same bytes gives the same frames, or the same refusal."""
    from reverie.protocol.framing import FrameReader, FrameTooLarge

    def read(step: int) -> list[bytes]:
        reader, found = FrameReader(limit=4096), []
        try:
            for at in range(0, len(data), step):
                found += reader.feed(data[at : at + step])
        except FrameTooLarge:
            found.append(b"too large")
        return found

    whole = read(max(1, len(data)))
    step = data[0] % 7 + 1 if data else 1
    assert whole[-1:] == [b"too large"] or read(step) == whole


def requests(data: bytes) -> None:
    from reveried.server.codec import Undecodable, decode_request, encode_error

    try:
        decode_request(data)
    except Undecodable as bad:
        assert len(encode_error(bad.id, bad.error)) < 16 * 1024  # noqa: PT017 (no test by itself)


def replies(data: bytes) -> None:
    from reverie.errors import BadReply
    from reverie.protocol.framing import frame
    from reverie.protocol.session import ClientSession

    with suppress(BadReply):
        ClientSession("fuzz", "default").receive(frame(data))
    with suppress(BadReply):
        ClientSession("fuzz", "default").receive(data)


def shapes(data: bytes) -> None:
    """What passes the check of the shape costs the decoder little, and breaks nothing that walks the value."""
    import msgspec

    from reverie.protocol.shape import BadShape, check_shape

    with suppress(BadShape, msgspec.MsgspecError, UnicodeDecodeError, TypeError):  # a map as the key of a map
        check_shape(data)
        repr(msgspec.msgpack.decode(data))


def config(data: bytes) -> None:
    from reveried.config.loader import load
    from reveried.errors import ConfigInvalid

    with suppress(ConfigInvalid):
        load(_text(data), "config.yaml")


def config_key(data: bytes) -> None:
    """A key is set in whatever file is there, and the file reads as before otherwise; or it is refused."""
    from reveried.config.editing import with_value
    from reveried.errors import ConfigInvalid

    with suppress(ConfigInvalid):
        assert "runtime: none" in with_value(_text(data), "embedding", "runtime", "none")


def foreign(format_: str, name: str, data: bytes) -> None:
    """A file of another program: memories that a message can carry, or the place and the reason."""
    from reverie.transfer.catalog import FORMATS
    from reverie.transfer.packing import Packed, Unfit, arrival_of
    from reverie.transfer.records import Found
    from reverie.transfer.sources import opened

    path = _scratch() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    for source in opened(str(path)):
        FORMATS[format_].detect(source, source.head())
        for item in FORMATS[format_].read(source):
            assert item.place
            if isinstance(item, Found):
                with suppress(Unfit):
                    Packed(item, arrival_of(item, {}, dedup=True))


def mcp_line(data: bytes) -> None:
    from reverie.mcp.jsonrpc import RpcError, decoded, encoded, failure, incoming

    try:
        message = incoming(decoded(data))
        assert message is None or b"\n" not in encoded({"echo": str(message)})[:-1]
    except RpcError as error:
        encoded(failure(None, error))


def exported_events(data: bytes) -> None:
    from reveried.errors import LogDamaged
    from reveried.log.restore import restore

    path = _scratch() / "restored.db"
    path.unlink(missing_ok=True)
    with suppress(LogDamaged):
        restore(data.splitlines(keepends=True), path)
    assert [found.name for found in path.parent.glob("restored*")] in ([], [path.name])


def payloads(data: bytes) -> None:
    """The stored form of an event, damaged in any way."""
    from reveried.domain.events import EVENTS
    from reveried.errors import LogDamaged
    from reveried.log.payload import unseal

    for type_ in EVENTS:
        with suppress(LogDamaged):
            unseal(type_, data)


def hooks(data: bytes) -> None:
    """What a harness tells, and the transcript that it wrote."""
    from io import BytesIO

    from reverie.cli.hooks import payload, transcript

    payload.read(BytesIO(data))
    path = _scratch() / "transcript.jsonl"
    path.write_bytes(data)
    transcript.read(str(path))


def settings_json(data: bytes) -> None:
    """Another program's settings: put in, taken out, and otherwise as they were."""
    from reverie.cli.clients.json_edit import drop, put
    from reverie.cli.clients.refusal import Unusable

    with suppress(Unusable):
        after = put(_text(data), ["mcpServers", "reverie"], {"command": "reverie", "args": ["mcp"]})
        drop(after, ["mcpServers", "reverie"])


def settings_toml(data: bytes) -> None:
    import tomllib

    from reverie.cli.clients.refusal import Unusable
    from reverie.cli.clients.toml_edit import drop, put

    path = ("mcp_servers", "reverie")
    with suppress(Unusable):
        after = put(_text(data), path, {"command": "reverie", "args": ["mcp"]})
        assert tomllib.loads(after)["mcp_servers"]["reverie"]["args"] == ["mcp"]
        drop(after, path)


def settings_yaml(data: bytes) -> None:
    from reverie.cli.clients.refusal import Unusable
    from reverie.cli.clients.yaml_edit import drop, put
    from reverie.plain_yaml import values_in

    path = ("extensions", "reverie")
    with suppress(Unusable):
        after = put(_text(data), path, {"cmd": "reverie", "args": ["mcp"]})
        assert values_in(after)["extensions"]["reverie"]["args"] == ["mcp"]
        drop(after, path)


def understanding(data: bytes) -> None:
    from reveried.domain.understanding.entities import entities_in
    from reveried.domain.understanding.relations import relations_in
    from reveried.domain.understanding.understand import understand

    text = understand(_text(data)).content
    found = entities_in(text)
    relations_in(text, found, "Ada")


def chunks(data: bytes) -> None:
    """Every character that is not space is in one of the chunks, and none exceeds its size."""
    from reveried.domain.understanding.chunking import ChunkingPolicy, chunks_of, profile_for
    from reveried.domain.understanding.cleaning import clean

    text = clean(_text(data))
    for name in ("meaning", "document", "chat"):
        end = 0
        for chunk in chunks_of(text, profile_for("agent", name, ChunkingPolicy())):
            assert text.startswith(chunk.text, chunk.position)
            assert not text[end : chunk.position].strip()
            end = max(end, chunk.position + len(chunk.text))
        assert not text[end:].strip()


def secrets(data: bytes) -> None:
    from reveried.domain.understanding.secrets import redact

    redact(_text(data))


def worth(data: bytes) -> None:
    from reveried.domain.understanding.worth import worth_of

    assert 0.0 <= worth_of(_text(data), 0.5).importance <= 1.0


def queries(data: bytes) -> None:
    """No query is an error in the index."""
    from reveried.domain.recalling.words import query_words, sought_terms
    from reveried.state.searching import _expressions

    text = _text(data)
    for sought in sought_terms(query_words(text)):
        for table, expression in _expressions(sought, text[:64]):
            _index().execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT 1", (expression,)).fetchall()


def blocks(data: bytes) -> None:
    """A memory stays inside its line of the block, whatever it says, and so it does in the answer of a tool."""
    from types import SimpleNamespace

    from reverie.mcp.wording import line
    from reveried.domain.recalling.block import prompt_block

    told = [
        SimpleNamespace(content=_text(data) or "x", system="semantic", kind="fact", trust=trust, created_at=0, id=7)
        for trust in ("normal", "low")
    ]
    block = prompt_block(told)
    assert len(block.splitlines()) == len(told) + 2
    assert block.lower().count("<memory>") == block.lower().count("</memory>") == 1
    assert all(len(line(memory).splitlines()) == 1 for memory in told)


FOREIGN = {
    "jsonl": "records.jsonl", "mcp": "graph.jsonl", "chatgpt": "conversations.json", "claude": "claude.json",
    "kore": "kore.json", "mem0": "mem0.json", "goose": "memory/goose.txt", "codex": ".codex/memories/MEMORY.md",
    "basic-memory": "note.md", "markdown": "MEMORY.md",
}  # fmt: skip
TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        frames, requests, replies, shapes, config, config_key, mcp_line, exported_events, payloads, hooks,
        settings_json, settings_toml, settings_yaml, understanding, chunks, secrets, worth, queries, blocks,
    )
} | {f"import {format_}": partial(foreign, format_, name) for format_, name in FOREIGN.items()}  # fmt: skip


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@cache
def _scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz"))


@cache
def _index() -> sqlite3.Connection:
    from reveried.state.fulltext import FullText
    from reveried.state.memories import Memories

    db = sqlite3.connect(":memory:")
    db.executescript(Memories.ddl + FullText.ddl)
    return db


def _guided(name: str, runs: str, seconds: str, corpus: str) -> None:
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["reverie", "reveried"]):
        TARGETS[name](b"{}")
    atheris.Setup(
        [sys.argv[0], f"-runs={runs}", f"-max_total_time={seconds}", "-max_len=4096", "-timeout=20",
         "-rss_limit_mb=2048", "-verbosity=0", corpus],
        TARGETS[name],
    )  # fmt: skip
    atheris.Fuzz()


if __name__ == "__main__":
    _guided(*sys.argv[1:])
