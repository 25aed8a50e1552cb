"""The closed word lists that the rules for kinds and salience share."""

import re

# It begins with a plain set of characters because the engine can then skip everything else.
DATE = re.compile(r"[0-9](?:[0-9]{3}-[0-9]{2}-[0-9]{2}|[0-9]?[./][0-9]{1,2}[./](?:19|20)[0-9]{2})")
MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH_WORDS = MONTHS[3:-1].replace("|", " ")
WEEKDAY_WORDS = "monday tuesday wednesday thursday friday saturday sunday"

FUTURE = frozenset("will shall must deadline due todo tomorrow next should until upcoming".split())
PAST_VERBS = frozenset(
    """
    was were went had did got came saw took made gave found told said left lost won met ran broke bought sold built
    began became brought caught chose cut drew drove ate fell felt flew forgot froze grew heard held hit hurt kept
    knew led lent let lit meant paid put quit read rode rose sat sent set shot shut slept spoke spent split stood
    stole struck sank taught thought threw understood wore wrote
    """.split()
)
VERBS_OF_STATE = frozenset(
    """
    is are isn't aren't has have means contains contain holds hold includes include uses use requires require
    depends depend supports support allows allow returns return runs run lives live stores store reads read writes
    write listens listen takes take needs need costs cost exits exit evicts expects expect accepts accept provides
    provide belongs belong consists consist equals equal boils works work handles handle sends send serves serve
    exposes expose keeps keep limits limit points point starts start stops stop ends end fails fail loads load calls
    call creates create generates generate produces produce implements implement extends extend inherits wraps wrap
    grows grow sits sit stands stand comes come goes go gets get makes make gives give lies lie measures measure
    weighs weigh speaks opens open closes close lasts last does do can cannot can't doesn't don't must never always
    defaults default maps map matches match connects connect manages owns own sells
    """.split()
)
SPECIFIC = frozenset(
    """
    always never critical important must essential crucial vital mandatory required urgent only exactly every
    irreversible severely severe strictly explicit explicitly
    """.split()
)
TEMPORAL = frozenset(
    """
    deadline tomorrow yesterday today tonight monday tuesday wednesday thursday friday saturday sunday january
    february april june july august september october november december q1 q2 q3 q4 weekly daily monthly yearly
    annually expires expired due
    """.split()
)
NEGATION = frozenset(
    [
        "never",
        "avoid",
        "don't",
        "cannot",
        "can't",
        "mustn't",
        "won't",
        "without",
        "forbidden",
        "prohibited",
        "neither",
        "nor",
        "not",
        "no",
    ]
)
