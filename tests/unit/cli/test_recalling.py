"""What a person and a script see of a question, of its answer, and of the reasons for it."""

from collections.abc import Callable
from typing import Any

import pytest

from unit.cli.conftest import Reverie
from unit.cli.samples import THEN, THEN_ISO, recalled, recalled_memory
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]
SIGNALS = {"relevance": 1.0, "recency": 0.5, "semantic": 0.25}
EXPLAINED = {"signals": SIGNALS, "contributions": {"relevance": 1.0, "recency": -0.05}}
BLOCK = {
    "block": "<memory>\n[SEMANTIC] tea\x1b[2J\n</memory>", "ids": [12], "total_tokens": 5, "semantic": True,
    "semantic_reason": None,
}  # fmt: skip
REPORT: dict[str, Any] = {
    "memory": 12, "returned": False, "rank": 7, "reason": "it came in place 7", "signals": SIGNALS,
    "contributions": EXPLAINED["contributions"], "parts": {"words": 0.8, "meaning": 0.0, "question": -0.25},
    "evidence": 0.62, "floor": 0.3, "semantic": True, "semantic_reason": None,
}  # fmt: skip


def test_recall_prints_the_words_and_a_line_about_them(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, recalled(recalled_memory(state="stale"))))
    ran = reverie("recall", "what", "does", "Ada", "drink?")
    first, second = ran.out.splitlines()
    assert first == "[id:12] Ada prefers tea"
    assert second.startswith("        preference · ada, drinks · ")
    assert second.endswith(" · stale · score 0.83")


def test_recall_asks_for_what_the_flags_say(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, recalled()))
    flags = ["--limit", "3", "--budget", "500", "--kind", "fact,event", "--tag", "a", "--tag", "b"]
    flags += ["--system", "episodic", "--include-replaced", "--floor", "0.25", "--explain", "--profile", "recent"]
    reverie("recall", "tea", "time", *flags, "--min-score", "0.2", "--archived", "--since", "2026-01-31T12:00:00.25Z")
    (asked,) = daemon.asked
    assert asked["query"] == "tea time"
    assert (asked["limit"], asked["token_budget"], asked["min_score"]) == (3, 500, 0.2)
    assert (asked["kinds"], asked["tags"], asked["include_archived"]) == (["fact", "event"], ["a", "b"], True)
    assert (asked["systems"], asked["include_replaced"], asked["floor"]) == (["episodic"], True, 0.25)
    assert (asked["explain"], asked["profile"], asked["since"]) == (True, "recent", THEN)


@pytest.mark.parametrize("command", ["recall", "context"])
def test_what_the_daemon_doubts_is_said_beside_the_answer(command: str, peer: Start, reverie: Reverie) -> None:
    result = recalled(recalled_memory()) if command == "recall" else BLOCK
    peer(lambda asked: ok(asked, result) | {"doubt": "the state is not proved yet"})
    ran = reverie(command, "tea")
    assert "doubtful: the state is not proved yet" in ran.err
    assert "doubtful" not in ran.out


@pytest.mark.parametrize("flags", [(), ("--floor", "0")])
def test_a_floor_is_sent_only_when_given(flags: tuple[str, ...], peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, recalled()))
    reverie("recall", "tea", *flags)
    assert daemon.asked[0].get("floor") == (0.0 if flags else None)


@pytest.mark.parametrize("floor", ["-0.1", "1.5", "nan", "much"])
def test_a_floor_that_is_none_is_refused_before_anything_is_asked(floor: str, reverie: Reverie) -> None:
    ran = reverie("recall", "tea", f"--floor={floor}")
    assert ran.code == 2
    assert "is not a number from 0 to 1" in ran.err


def test_recall_for_scripts_has_iso_times_and_leaves_the_rest(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, recalled(recalled_memory(**EXPLAINED), weights={"relevance": 1.0, "recency": 0.1})))
    found = reverie("recall", "tea", "--explain", "--json").json
    (memory,) = found["memories"]
    assert (found["semantic"], found["total_tokens"]) == (True, 5)
    assert (memory["id"], memory["content"], memory["score"]) == (12, "Ada prefers tea", 0.834)
    assert memory["created_at"] == memory["updated_at"] == THEN_ISO
    assert (memory["signals"], memory["contributions"]) == (SIGNALS, EXPLAINED["contributions"])
    assert found["weights"] == {"relevance": 1.0, "recency": 0.1}


def test_an_explanation_is_a_table_with_what_counts_first(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, recalled(recalled_memory(**EXPLAINED), weights={"relevance": 1.0, "recency": 0.1})))
    assert [line.split() for line in reverie("recall", "tea", "--explain").out.splitlines()[2:]] == [
        ["signal", "value", "weight", "gives"],
        ["relevance", "1.000", "1.00", "+1.000"],
        ["recency", "0.500", "0.10", "-0.050"],
        ["semantic", "0.250"],
    ]


def test_what_doubt_takes_stands_in_the_table_without_being_a_signal(peer: Start, reverie: Reverie) -> None:
    explained = {**EXPLAINED, "contributions": {"relevance": 1.0, "doubt": -0.4}}
    peer(lambda asked: ok(asked, recalled(recalled_memory(**explained), weights={"relevance": 1.0})))
    table = [line.split() for line in reverie("recall", "tea", "--explain").out.splitlines()[2:]]
    assert ["doubt", "-0.400"] in table


def test_finding_nothing_is_said_beside_the_result_and_is_no_failure(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, recalled(semantic=False, reason="no model installed")))
    ran = reverie("recall", "tea")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing found" in ran.err
    assert ran.err.count("no model installed") == 1


@pytest.mark.parametrize(("evidence", "semantic"), [(0.18, True), (0.18, False), (0.0, True)])
def test_silence_below_the_floor_says_so_and_how_to_see_the_nearest(
    evidence: float, semantic: bool, peer: Start, reverie: Reverie
) -> None:
    peer(lambda asked: ok(asked, recalled(semantic=semantic, evidence=evidence, floor=0.3)))
    ran = reverie("recall", "tea")
    assert (ran.code, ran.out) == (0, "")
    assert f"the evidence is {evidence:.2f}, the floor 0.30; --floor 0 shows what comes nearest" in ran.err


@pytest.mark.parametrize(("evidence", "floor"), [(0.0, 0.3), (0.5, 0.3), (0.0, 0.0)])
def test_where_there_is_nothing_near_no_floor_is_blamed(
    evidence: float, floor: float, peer: Start, reverie: Reverie
) -> None:
    peer(lambda asked: ok(asked, recalled(semantic=False, evidence=evidence, floor=floor)))
    assert "nothing found" in reverie("recall", "tea").err


def test_a_context_is_printed_as_it_is_but_for_what_a_terminal_would_obey(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, BLOCK))
    ran = reverie("context", "plan", "the", "release", "--budget", "800", "--limit", "3")
    assert ran.out == "<memory>\n[SEMANTIC] tea\\x1b[2J\n</memory>\n"
    (asked,) = daemon.asked
    assert (asked["query"], asked["token_budget"], asked["limit"]) == ("plan the release", 800, 3)


def test_a_context_for_scripts_is_exact(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, BLOCK))
    assert reverie("context", "tea", "--json").json == BLOCK


def test_a_context_without_meaning_says_why_beside_it(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, {**BLOCK, "semantic": False, "semantic_reason": "the embedder is starting"}))
    ran = reverie("context", "tea")
    assert "starting" in ran.err
    assert "starting" not in ran.out


def test_why_names_the_reason_the_place_and_what_spoke_for_it(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, REPORT))
    out = reverie("why", "what does Ada drink?", "[id:12]", "--limit", "3").out
    (asked,) = daemon.asked
    assert (asked["query"], asked["memory"], asked["limit"]) == ("what does Ada drink?", 12, 3)
    first, place, evidence, relevance, *table = out.splitlines()
    assert first == "[id:12] not returned: it came in place 7"
    assert place.split() == ["place", "7"]
    assert evidence == "  evidence   0.62 of the best one, where 0.30 is needed"
    assert relevance.strip() == "relevance  words +0.80, question -0.25"
    assert table[0].split() == ["relevance", "1.000", "+1.000", "█" * 24]


def test_why_of_what_was_no_candidate_has_no_table(peer: Start, reverie: Reverie) -> None:
    bare = {"rank": None, "signals": {}, "contributions": {}, "parts": {}, "reason": "it is archived"}
    peer(lambda asked: ok(asked, REPORT | bare))
    out = reverie("why", "tea", "12").out
    assert out.splitlines() == [
        "[id:12] not returned: it is archived",
        "  evidence   0.62 of the best one, where 0.30 is needed",
    ]


def test_why_for_scripts_is_the_whole_report(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, REPORT))
    assert reverie("why", "tea", "12", "--json").json == REPORT
