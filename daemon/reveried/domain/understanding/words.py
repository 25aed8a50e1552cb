"""One pass over a text gives its words; every other rule reads them from here instead of scanning again."""

import re

from msgspec import Struct

STOP_WORDS = frozenset(
    """
    a about above after again against all also although am an and another any are aren't around as at away be
    because been before being below between both but by came can can't cannot come could couldn't did didn't do does
    doesn't doing don't done down during each either else etc even ever every few for from further get gets give
    given go goes going gone got had hadn't has hasn't have haven't having he he's her here hers herself him himself
    his how however i i'd i'll i'm i've if in into is isn't it it's its itself just keep kept let like made make
    makes many may maybe me might more most much must mustn't my myself near need needs neither never next no nobody
    nor not nothing now of off often on once one only onto or other others ought our ours ourselves out over own per
    please quite rather really said same say see seem seems she she's should shouldn't since so some something soon
    still such take takes than that that's the their theirs them themselves then there there's these they they're
    thing things this those though through thus to together too toward two under until up upon us use used uses
    using very via want wants was wasn't way we we'd we'll we're we've well went were weren't what when where
    whether which while who whom whose why will with within without won't would wouldn't yes yet you you'd you'll
    you're you've your yours yourself
    """.split()
)

# A table of the first 128 characters: translating lower-cases and blanks punctuation in one step, an order
# of magnitude faster than a regular expression. Apostrophes stay, for "don't".
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() or chr(code) == "'" else " " for code in range(128))
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Reading(Struct, frozen=True):
    """A text with what the rules look at: its lower-cased form, its words in order, its numbers."""

    text: str
    lower: str
    words: list[str]
    vocabulary: frozenset[str]
    numbers: list[str]


def read(text: str) -> Reading:
    words = words_of(text)
    return Reading(text, text.lower(), words, frozenset(words), _NUMBER.findall(text))


def words_of(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_ASCII).split()
    return _WORD.findall(text.lower().replace("’", "'"))


def content_words(text: str) -> list[str]:
    """Lower-cased words in order, stop words and lone ASCII letters out; other scripts are kept as they stand."""
    return [word for word in words_of(text) if _carries_meaning(word)]


def _carries_meaning(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())
