"""Links over the socket and on the command line: made, followed, kept through archive and kill, gone when erased."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from reverie.errors import InvalidField, NotFound
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
NOTES = ("green cups", "blue bowls", "red plates", "an otter swims", "old forks")


def run(daemon: RunningDaemon, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "reverie.cli", *arguments]
    return subprocess.run(command, env=daemon.environ, capture_output=True, text=True, check=False)


def seen(client: reverie.Client, memory: int) -> list[tuple[int, str, bool]]:
    return [(link.other, link.kind, link.inverse) for link in client.related(memory).links]


def test_a_link_is_made_read_from_both_ends_followed_and_cut(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        a, b, c, d, _ = [client.store(text).id for text in NOTES]
        assert client.link(a, b, kind="references").outcome == "linked"
        assert client.link(a, b, kind="references").outcome == "unchanged"
        assert client.link(c, b, kind="follows", weight=0.5).outcome == "linked"
        assert seen(client, a) == [(b, "references", False)]
        assert seen(client, b) == [(a, "references", True), (c, "precedes", False)]
        assert seen(client, c) == [(b, "follows", False)]
        way = client.path(a, c)
        assert [(step.memory, step.kind) for step in way.steps] == [(a, None), (b, "references"), (c, "precedes")]
        assert client.path(a, d).steps == []
        assert client.path(a, c, hops=1).steps == []
        graph = client.graph(a, hops=1)
        assert ([node.id for node in graph.nodes], len(graph.links), graph.complete) == ([a, b], 1, False)
        assert {node.id for node in client.graph().nodes} == {a, b, c}
        assert client.unlink(b, a).outcome == "unlinked"
        assert client.unlink(b, a).outcome == "unchanged"
        assert seen(client, a) == []
        with pytest.raises(InvalidField):
            client.link(a, a)
        with pytest.raises(InvalidField):
            client.link(a, b, kind="co_recalled")
        with pytest.raises(NotFound):
            client.link(a, 9_999)
        assert client.verify().ok


def test_links_outlast_a_kill_and_an_archive_and_go_with_an_erasure(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        a, b, c, *_ = [client.store(text).id for text in NOTES]
        client.link(a, b)
        client.link(b, c, kind="part_of")
        client.archive(b)
    daemon.kill()
    daemon = start()
    with daemon.client() as client:
        assert [link.state for link in client.related(a).links] == ["archived"]
        client.restore(b)
        assert seen(client, b) == [(a, "related_to", False), (c, "part_of", False)]
        client.erase(b)
        assert seen(client, a) == seen(client, c) == []
        assert client.links().links == []
        assert client.verify().ok


def test_nobody_sees_or_links_what_is_in_another_namespace(daemon: RunningDaemon) -> None:
    with daemon.client() as mine, daemon.client("theirs") as theirs:
        a, b = mine.store("green cups").id, mine.store("blue bowls").id
        foreign = theirs.store("red plates").id
        mine.link(a, b)
        for ask in (lambda: theirs.related(a), lambda: mine.link(a, foreign), lambda: theirs.path(a, b)):
            with pytest.raises(NotFound):
                ask()
        assert theirs.graph().nodes == theirs.links().links == []


def test_links_slow_fading_and_a_recall_may_follow_them(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        a, b, *_ = [client.store(text).id for text in NOTES]
        before = client.get(a).stability_days
        client.link(a, b)
        after = client.get(a)
        assert before is not None
        assert after.stability_days is not None
        assert after.stability_days > before
        assert client.curve(a).stability_days > before
        found = client.recall("cups", expand_links=True)
        assert [(one.id, one.linked_to, one.link) for one in found.memories] == [(a, None, None), (b, a, "related_to")]


def test_what_shares_something_is_linked_behind_the_store(start: Start) -> None:
    daemon = start(config="links: {propose: true}\n")
    with daemon.client() as client:
        events = client.subscribe()
        for text in ("Ada Lovelace keeps oolong tea", "Ada Lovelace keeps green cups"):
            client.store(text, tags=["kitchen"])
        linked = next(event for event in events if event.type == "memory.linked")
        events.close()
        assert linked.subject is not None
        assert len(client.links().links) == 1  # which waits until everything can be seen
        (link,) = client.related(linked.subject).links
        assert (link.how, "kitchen" in link.tags, link.entities) == ("proposed", True, ["Ada Lovelace"])


def test_an_export_carries_the_links(start: Start, tmp_path: Path) -> None:
    first = start()
    with first.client() as client:
        a, b, c, *_ = [client.store(text).id for text in NOTES]
        client.link(a, b, kind="references", weight=0.25)
        client.link(b, c)
        client.unlink(b, c)
        before = [(link.kind, link.weight, link.how, link.created_at) for link in client.links().links]
    assert run(first, "export", "--out", str(tmp_path / "all.jsonl")).returncode == 0
    other = RunningDaemon(tmp_path / "other")
    try:
        other.start()
        with other.client() as client:
            client.store("somebody was here before")
            told = json.loads(run(other, "import", str(tmp_path / "all.jsonl"), "--json").stdout)
            assert told["links"] == 2
            assert [(link.kind, link.weight, link.how, link.created_at) for link in client.links().links] == before
            assert json.loads(run(other, "import", str(tmp_path / "all.jsonl"), "--json").stdout)["links"] == 0
            assert client.verify().ok
    finally:
        other.end()


def test_every_command_about_links_works_as_typed(daemon: RunningDaemon, tmp_path: Path) -> None:
    with daemon.client() as client:
        a, b, c, *_ = [str(client.store(text).id) for text in NOTES]
    assert run(daemon, "link", a, f"[id:{b}]", "--kind", "references").returncode == 0
    assert "references" in run(daemon, "related", a).stdout
    assert run(daemon, "path", a, b).stdout.count("[id:") == 2
    assert run(daemon, "path", a, c).returncode == 1
    picture, data = tmp_path / "graph.svg", tmp_path / "graph.json"
    assert run(daemon, "graph", a, "--out", str(picture)).returncode == 0
    assert picture.read_text().startswith("<svg")
    assert run(daemon, "graph", "--out", str(data)).returncode == 0
    assert len(json.loads(data.read_text())["links"]) == 1
    assert run(daemon, "graph", "--out", str(tmp_path / "graph.txt")).returncode == 2
    assert run(daemon, "unlink", a, b).returncode == 0
    assert "stands alone" in run(daemon, "related", a).stderr
