"""A memory that stands for others knows whose words are whose."""

from reveried.domain.events import ConflictDetected, ConflictResolved, MemoryErased, MemoryMerged, MemoryUpdated
from reveried.domain.evolving import concerns, evolve
from reveried.domain.memory import Memory, own_content
from reveried.domain.understanding.text import content_hash
from unit.domain.records import after, placed

KEPT = after(id_=1, content="Own words.")


def _grown() -> Memory:
    memory: Memory | None = KEPT
    for source in (2, 3, 4):
        event = MemoryMerged(into=1, how="merged", added=f"Words of {source}.", tags=(f"t{source}",))
        memory = evolve(memory, placed(event, source + 10, source))
    assert memory is not None
    return memory


def test_sentences_are_appended_in_order_and_counted_as_an_access() -> None:
    grown = _grown()
    assert grown.content == "Own words.\nWords of 2.\nWords of 3.\nWords of 4."
    assert grown.content_hash == content_hash(grown.content)
    assert own_content(grown) == "Own words."
    assert (grown.access_count, grown.tags_manual, grown.ties) == (3, ("t2", "t3", "t4"), (2, 3, 4))


def test_an_erased_memory_takes_its_own_sentences_and_no_others() -> None:
    erased = placed(MemoryErased(others=(1,)), 20, 3)
    assert concerns(erased) == (3, 1)
    left = evolve(_grown(), erased)
    assert left is not None
    assert left.content == "Own words.\nWords of 2.\nWords of 4."
    assert left.content_hash == content_hash(left.content)
    assert (own_content(left), left.ties) == ("Own words.", (2, 4))


def test_what_was_redacted_folds_to_the_same_as_what_was_taken_away() -> None:
    merged = MemoryMerged(into=1, how="merged", added="Secret.", importance=0.9)
    erased = placed(MemoryErased(others=(1,)), 20, 3)
    live = evolve(evolve(KEPT, placed(merged, 12, 3)), erased)
    redacted = MemoryMerged(into=1, how="merged", added="", importance=0.9)
    assert live == evolve(evolve(KEPT, placed(redacted, 12, 3)), erased)


def test_new_words_are_all_its_own() -> None:
    reworded = evolve(_grown(), placed(MemoryUpdated(content="New."), 20, 1))
    assert reworded is not None
    assert (own_content(reworded), reworded.absorbed) == ("New.", ())


def test_the_one_that_was_absorbed_points_to_the_other() -> None:
    absorbed = evolve(after(id_=2), placed(MemoryMerged(into=1, how="duplicate", added=""), 9, 2))
    assert absorbed is not None
    assert (absorbed.compressed_into, absorbed.findable, absorbed.content) == (1, False, "words")
    assert absorbed.replaced_at == placed(None, 9).at


def test_a_flag_names_the_conflict_and_the_other_side_until_it_is_resolved() -> None:
    detected = placed(ConflictDetected(against=1, rule="numbers", confidence=0.6, mode="ask", outcome="flagged"), 7, 2)
    resolved = placed(ConflictResolved(conflict=7, new=2, known=1, mode="use_new", winner=2), 8, 2)
    for memory, other in ((after(id_=1), 2), (after(id_=2), 1)):
        flagged = evolve(memory, detected)
        assert flagged is not None
        assert (flagged.conflicted, flagged.conflicts) == (True, ((7, other),))
        closed = evolve(flagged, resolved)
        assert closed is not None
        assert not closed.conflicted


def test_a_conflict_that_is_opened_again_names_the_other_side_to_each() -> None:
    opened = placed(ConflictResolved(conflict=7, new=2, known=1, mode="ask"), 8, 2)
    for memory, other in ((after(id_=1), 2), (after(id_=2), 1)):
        flagged = evolve(memory, opened)
        assert flagged is not None
        assert flagged.conflicts == ((7, other),)


def test_a_conflict_that_was_settled_flags_nobody() -> None:
    event = ConflictDetected(against=1, rule="negation", confidence=0.8, mode="use_new", outcome="new_used")
    settled = evolve(after(id_=2), placed(event, 7, 2))
    assert settled is not None
    assert (settled.conflicted, settled.ties) == (False, (1,))
