"""What kind of memory a text is, by ordered rules: the first that applies decides, and `activity` is the rest."""

import re

from reveried.domain.understanding.cues import DATE, FUTURE, PAST_VERBS, VERBS_OF_STATE
from reveried.domain.understanding.phrases import CUES
from reveried.domain.understanding.words import Reading, read

_CUE_WORDS = frozenset(CUES)
_LIVING = frozenset(("lives", "works"))
_PEOPLE_LIVE = re.compile(
    r"(?:^|[ .(])(?!It |This |That |All )[A-Z]\w{1,20} (?:lives in|works as|works (?:at|for) [A-Z])"
)
_PREFERENCES = {
    cue: [phrase for kind, phrase in phrases if kind == "preference"]
    for cue, phrases in CUES.items()
    if any(kind == "preference" for kind, _ in phrases)
}
_PREFERENCE_CUES = frozenset(_PREFERENCES)


def kind_of(text: str) -> str:
    return kind_of_reading(read(text))


def kind_of_reading(reading: Reading) -> str:
    said = _said(reading)
    for kind in ("preference", "context"):
        if kind in said:
            return kind
    if "decision" not in said and _is_event(reading, "past" in said):
        return "event"
    for kind in ("plan", "decision", "relationship", "identity"):
        if kind in said:
            return kind
    if not _LIVING.isdisjoint(reading.vocabulary) and _PEOPLE_LIVE.search(reading.text):
        return "identity"
    return "fact" if _is_fact(reading) else "activity"


def states_a_preference(reading: Reading) -> bool:
    cues = _PREFERENCE_CUES & reading.vocabulary
    if not cues:
        return False
    words = _spaced(reading)
    return any(phrase is None or phrase.search(words) for cue in cues for phrase in _PREFERENCES[cue])


def _spaced(reading: Reading) -> str:
    return f" {' '.join(reading.words)} "


def _said(reading: Reading) -> set[str]:
    said: set[str] = set()
    words = _spaced(reading)
    for cue in _CUE_WORDS & reading.vocabulary:
        for kind, phrase in CUES[cue]:
            if kind not in said and (phrase is None or phrase.search(words)):
                said.add(kind)
    return said


def _is_event(reading: Reading, past: bool) -> bool:
    """A date with something that happened. Whether it has passed is told by the verb: there is no clock here."""
    if not FUTURE.isdisjoint(reading.vocabulary):
        return False
    if not past and not (reading.numbers and DATE.search(reading.text)):
        return False
    return not PAST_VERBS.isdisjoint(reading.vocabulary) or any(map(_is_past, reading.words))


def _is_past(word: str) -> bool:
    return word.endswith("ed") and len(word) > 4


def _is_fact(reading: Reading) -> bool:
    """Subject, predicate, object: a verb of state, unless the text begins with what somebody did."""
    if not reading.words or VERBS_OF_STATE.isdisjoint(reading.vocabulary):
        return False
    first = reading.words[0]
    return first not in PAST_VERBS and not _is_past(first)
