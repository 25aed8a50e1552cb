"""`reverie store`: from arguments, from a pipe, from a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reverie.cli.times import now_us
from unit.cli.conftest import Reverie
from unit.client.peer import Asked, Peer, ok, written

Start = Callable[[Callable[[Asked], Any]], Peer]


def storing(asked: Asked) -> Any:
    if asked["op"] == "store":
        return written(asked, 5, "stored")
    results = [{"id": n, "outcome": "stored", "seq": n} for n in range(1, len(asked["memories"]) + 1)]
    return ok(asked, {"results": results})


def test_words_become_one_memory_and_its_id_is_printed(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    assert reverie("store", "Ada", "prefers", "tea").out == "[id:5] stored\n"
    assert daemon.asked[0]["memory"] == {"content": "Ada prefers tea"}


def test_flags_describe_the_memory_wherever_they_stand(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    flags = ["--kind", "fact", "--tag", "a,b", "--tag", "#c", "--level", "4", "--title", "T", "--pin"]
    flags += ["--source", "chat", "--speaker", "Ada", "--session", "s"]
    before = now_us()
    reverie("store", "tea", *flags, "--metadata", '{"x":1}', "--expires", "7d", "--key", "k", "time")
    (asked,) = daemon.asked
    memory = asked["memory"]
    expires = memory.pop("expires_at")
    assert memory == {
        "content": "tea time",
        "kind": "fact",
        "tags": ["a", "b", "c"],
        "level": 4,
        "title": "T",
        "source": "chat",
        "speaker": "Ada",
        "session_id": "s",
        "pinned": True,
        "metadata": {"x": 1},
    }
    assert before <= expires - 7 * 86_400_000_000 <= now_us()
    assert asked["key"] == "k"


def test_a_script_gets_one_object_per_memory(peer: Start, reverie: Reverie) -> None:
    peer(storing)
    one = reverie("store", "tea", "--json").json
    assert (one["id"], one["outcome"], one["seq"], one["repeated"]) == (5, "stored", 5, False)
    many = reverie("store", "-", "--json", stdin=b"a\n\nb\n").lines
    assert [line["id"] for line in many] == [1, 2]


def test_each_line_of_a_pipe_is_a_memory_and_empty_lines_are_none(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    ran = reverie("store", "-", "--tag", "x", stdin="\ufeffone\n\n  two  \r\nthree".encode())
    assert ran.out == "[id:1] stored\n[id:2] stored\n[id:3] stored\n"
    assert [memory["content"] for memory in daemon.asked[0]["memories"]] == ["one", "two", "three"]
    assert daemon.asked[0]["memories"][2]["tags"] == ["x"]


def test_a_long_file_goes_in_batches_with_keys_that_a_second_run_repeats(
    peer: Start, reverie: Reverie, tmp_path: Path
) -> None:
    daemon = peer(storing)
    notes = tmp_path / "notes.txt"
    notes.write_text("\n".join(f"line {number}" for number in range(2_500)))
    for _ in range(2):
        reverie("store", "--file", str(notes), "--key", "notes")
    first, second = daemon.asked[:3], daemon.asked[3:]
    assert [len(asked["memories"]) for asked in first] == [1_000, 1_000, 500]
    assert [asked["key"] for asked in first] == ["notes", "notes-1", "notes-2"] == [asked["key"] for asked in second]


def test_no_batch_outgrows_a_frame(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    assert reverie("store", "-", stdin=b"\n".join([b"x" * 100_000] * 25)).code == 0
    assert sum(len(asked["memories"]) for asked in daemon.asked) == 25
    assert len(daemon.asked) > 1


def test_whole_keeps_the_lines_together(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    reverie("store", "-", "--whole", stdin=b"one\ntwo\n")
    assert daemon.asked[0]["memory"]["content"] == "one\ntwo"


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["-"], b"", "nothing to store"),
        (["-"], b"\n \n", "nothing to store"),
        (["-"], b"ok\n\xff\xfe\n", "line 2 is not UTF-8"),
        (["--file", "/no/such/file"], b"", "cannot read /no/such/file"),
        (["--file", "x", "tea"], b"", "not both"),
        (["\udcff"], b"", "UTF-8"),
    ],
)
def test_what_cannot_be_stored_is_a_usage_error(
    arguments: list[str], stdin: bytes, said: str, peer: Start, reverie: Reverie
) -> None:
    peer(storing)
    ran = reverie("store", *arguments, stdin=stdin)
    assert ran.code == 2
    assert said in ran.err
