"""The words that the rules of reconciling know. English; a text in another language meets only the rules on numbers."""

import re
from collections.abc import Iterable

from reveried.domain.recalling.stems import stem
from reveried.domain.recalling.words import STOP_WORDS

NEGATORS = frozenset("not no never none nobody nothing neither nor without cannot".split())
# "Stopped smoking" denies "smokes", as "no longer smokes" does.
ENDINGS = frozenset("stopped stop stops quit quits ceased gave".split())
# Who is spoken of. A note taker calls the speaker "user" where the speaker says "I".
PERSONS = {
    **dict.fromkeys("i me my mine myself user".split(), "i"),
    **dict.fromkeys("you your yours".split(), "you"),
    **dict.fromkeys("he him his".split(), "he"),
    **dict.fromkeys("she her hers".split(), "she"),
    **dict.fromkeys("we us our ours".split(), "we"),
    **dict.fromkeys("they them their theirs".split(), "they"),
}
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
MONTHS = tuple("january february march april may june july august september october november december".split())
DAYS = ("today", "tomorrow", "yesterday", "tonight")
NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
    if word != "one"
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000"}

# Of each line only one can be meant: two texts that choose differently speak of different things.
CONTRASTS = tuple(
    tuple(line.split())
    for line in """
    red blue green yellow black white brown orange purple pink grey
    mother father sister brother son daughter aunt uncle wife husband grandmother grandfather grandma grandpa cousin
    morning afternoon evening night noon midnight
    left right
    north south east west
    top bottom upper lower
    spring summer autumn winter
    second minute hour day week month year
    hourly daily nightly weekly monthly quarterly yearly
    staging production development
    first second third fourth fifth last
    breakfast lunch dinner supper
    upload download
    he she i you
    """.strip().splitlines()
)
ANTONYMS = tuple(
    tuple(pair.split("/"))
    for pair in """
    enabled/disabled enable/disable open/closed open/shut on/off true/false stable/unstable public/private
    mandatory/optional required/optional before/after always/never allowed/forbidden allowed/prohibited
    love/hate like/hate like/dislike love/dislike short/long more/less fast/slow early/late high/low hot/cold
    cheap/expensive big/small large/small full/empty active/inactive visible/hidden online/offline safe/unsafe
    manual/automatic local/remote sync/async increase/decrease rise/fall start/end starts/ends opens/closes begin/end
    accept/reject accepted/rejected approve/reject approved/rejected pass/fail passes/fails good/bad easy/hard
    easy/difficult old/new light/dark light/heavy win/lose buy/sell lock/unlock locked/unlocked above/below
    ascending/descending alive/dead guilty/innocent possible/impossible available/unavailable
    legal/illegal agree/disagree include/exclude includes/excludes read/write reading/writing
    """.split()
)
# Small words that turn a sentence round; who has one of them says something else than who has not.
TURNING = frozenset("off out down before after above below under against except until".split())
SYNONYMS = tuple(
    tuple(line.split())
    for line in """
    prefer like want enjoy love fond rather favour favor favourite favorite preferred wish ask
    run runs host hosts execute
    use uses using used utilise employ
    shut close closes closed
    start begin begins commence
    end finish stops
    near nearest closest close
    beside next adjacent
    find located sit
    keep store retain hold
    need require take must
    choose chose decide decided pick picked select selected opt
    afraid scared fear
    pay due paid
    change changed alter
    restart reboot
    concise short brief
    long verbose
    deploy release ship
    allow permit let
    born birthday
    mom mum mother
    speak speaks fluent
    documentation docs
    make write
    happen occur take
    refresh update
    seat seats room
    approval approve
    work job commute
    phone telephone
    car automobile
    buy purchase
    film movie
    quick fast
    doctor physician
    """.strip().splitlines()
)

# What a life has one of at a time: two texts about the same one compete.
FACETS = {
    "residence": re.compile(
        r"\b(live[sd]?|living(?! room)|resid\w+|relocat\w+|based in|settled in|home is|"
        r"mov(?:e|es|ed|ing) (?:house|to|from|back|out|away|in|into|abroad))\b"
    ),
    "employment": re.compile(
        r"\b(work(?:s|ed|ing)? (?:at|for|as|in)|job|employe[dr]|joined|hired|retired?|left|quit|promoted|nursing)\b"
    ),
    "diet": re.compile(r"\b(vegetarian|vegan|pescatarian|keto|eats? (?:meat|fish|gluten))\b"),
    "status": re.compile(r"\b(single|married|divorced|engaged|widowed|separated)\b"),
}
# What finds the others that speak of it.
_FACET_SEARCH = {
    "residence": "live lives living moved relocated based home resides".split(),
    "employment": "work works working job employed employer joined retired".split(),
    "diet": "vegetarian vegan pescatarian eats meat gluten keto".split(),
    "status": "single married divorced engaged widowed separated".split(),
}
# They name what such a text is about, not whom.
FACET_WORDS = frozenset("home residence job employer profession diet".split())
# When, not whom.
TIME_WORDS = frozenset(
    "day days week month quarter year today tomorrow yesterday tonight starting since always often".split()
)
TRANSITIONS = frozenset(
    """moved relocated switched migrated replaced left quit joined retired promoted became sold changed divorced
    married started stopped again anymore""".split()
)
PAST = frozenset(
    "was were did had went came took got gave paid drove wrote sold bought sent made said ran slept met".split()
)
TEMPORAL = frozenset("now currently nowadays presently starting recently lately instead meanwhile".split())
TEMPORAL_PHRASES = ("these days", "as of", "from now on", "at the moment", "for now", "no longer", "any more")
EXCLUSIVE = frozenset("prefer prefers preferred favourite favorite favourites favorites".split())
PREFERRING = EXCLUSIVE | frozenset("like likes love loves hate hates dislike dislikes want wants enjoy enjoys".split())

_EXTRA_STOPS = """also really quite simply get gets got getting made makes there longer please usually anything
everything each every still"""
FUNCTION_WORDS = STOP_WORDS | frozenset(_EXTRA_STOPS.split())
# Where the subject of a note ends. Not every verb: those that notes about people, teams and machines are made of.
VERBS = frozenset(
    """is are was were be am been has have had does do did can could may might must should will would shall
    prefer like love hate want wish enjoy dislike need use run host live move relocate reside work join leave left quit
    retire start begin stop end switch migrate replace keep kept store hold go went come came take took put get got
    find give gave pay paid cost own owe drive drove drink eat smoke read write wrote speak learn play teach sell sold
    buy bought collect meet open close shut support include accept add allow expire boil freeze ship retry log forward
    listen know answer deploy commute carry seat sit stand become became change serve refresh contain send make made
    happen handle talk say said think study pass fail rebuild rotate slept ran""".split()
)
_STEMMED_VERBS = frozenset(stem(word) for word in VERBS)
_FIRST_OF_GROUP: dict[str, str] = {}
for _group in SYNONYMS:
    for _word in _group:
        _FIRST_OF_GROUP.setdefault(stem(_word), stem(_group[0]))


# So many letters at least does a family of words have in common, and 0.7 of the shorter word.
FAMILY = 5


def is_verb(word: str) -> bool:
    return word in VERBS or stem(word) in _STEMMED_VERBS


def canonical(word: str) -> str:
    """One form for every ending of a word, and for words that mean the same."""
    stemmed = stem(word)
    return _FIRST_OF_GROUP.get(stemmed, stemmed)


def related(word: str, others: Iterable[str]) -> bool:
    """Whether one of the others is of the same family: allergic and allergy, collects and collector."""
    # Most words differ at once, and a comparison of two texts asks this of each two of their words.
    beginning = word[:FAMILY]
    return len(beginning) == FAMILY and any(
        other.startswith(beginning) and _common(word, other) >= 0.7 * min(len(word), len(other)) for other in others
    )


def _common(first: str, second: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def contrast(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether the two choose differently where only one thing can be meant. Words as they are written."""
    mine, yours = {stem(word) for word in first}, {stem(word) for word in second}
    return any((group & mine) and (group & yours) and not (group & mine & yours) for group in _CONTRASTING)


def opposed(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether one says a word and the other its opposite, and neither says both."""
    mine, yours = {stem(word) for word in first}, {stem(word) for word in second}
    return any(_only(a, b, mine, yours) or _only(b, a, mine, yours) for a, b in _OPPOSITES)


def _only(a: str, b: str, mine: set[str], yours: set[str]) -> bool:
    return a in mine and b not in mine and b in yours and a not in yours


_CONTRASTING = tuple(frozenset(stem(word) for word in group) for group in CONTRASTS)
_OPPOSITES = tuple((stem(a), stem(b)) for a, b in ANTONYMS)
PREFERRING_CANON = frozenset(canonical(word) for word in PREFERRING)
EXCLUSIVE_CANON = frozenset(canonical(word) for word in EXCLUSIVE)


def facet_words(text: str) -> list[str]:
    """Words by which a text competes with others over what a life has one of; none for most texts."""
    lower = text.lower()
    return [word for name, facet in FACETS.items() if facet.search(lower) for word in _FACET_SEARCH[name]]
