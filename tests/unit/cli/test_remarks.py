"""What the daemon notes of a text is said in words; codes are for scripts."""

import pytest

from reverie.cli.remarks import remarks, some


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ((), []),
        (("redacted:aws-key", "redacted:assignment"), ["taken out before it was written: aws-key, assignment"]),
        (("low_trust:override",), ["marked untrusted, for it tells its reader what to do: override"]),
        (("novelty:measured",), []),
        (("novelty:no_embedder",), ["how new it is was not weighed: there is no model"]),
        (("novelty:unheard_of",), ["novelty unheard_of"]),
        (("stopped:the disk is full",), ["stopped:the disk is full"]),
    ],
)
def test_notes_are_said_in_words_and_unknown_ones_stay(notes: tuple[str, ...], said: list[str]) -> None:
    assert remarks(notes) == said


def test_one_is_not_many() -> None:
    assert [some(0, "link"), some(1, "link"), some(1_000, "memory", "memories")] == [
        "0 links",
        "1 link",
        "1,000 memories",
    ]
