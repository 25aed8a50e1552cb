"""What a text must say to be of a kind: a cue word alone, or a cue word inside a phrase.

Phrases are matched against the words joined by single spaces. Looking a cue up in a table first keeps a text that
holds none of them from being searched at all.
"""

import re

from reveried.domain.understanding.cues import MONTH_WORDS, MONTHS, WEEKDAY_WORDS, WEEKDAYS

_WHO = r" (?:i|we|they|he|she|you|users?|customer|client|team|boss|wife|husband|[a-z]+'s \w+)"
_OFTEN = r"(?: (?:really|also|always|generally|usually|don't|doesn't|do not|does not|would|never)){0,2}"
_THEIRS = r"(?: (?:my|our|his|her|their|user's)|'s)"

# kind → {cue words: phrase; an empty phrase means that the word is enough}
PHRASES: dict[str, dict[str, str]] = {
    "preference": {
        "prefer prefers preferred preference preferences favours favors dislikes": "",
        "favourite favorite favourites favorites": r" my favou?rites? | favou?rites? (?:\w+ ){1,5}(?:is|are) ",
        "favour favor": r" favou?r \w+ (?:\w+ )?over ",
        "like love hate enjoy dislike": rf"{_WHO}{_OFTEN} (?:like|love|hate|enjoy|dislike) (?!to (?:thank|ask|know) )",
        "likes loves hates enjoys": r"(?<! it)(?<! this)(?<! that)(?<! which) (?:likes|loves|hates|enjoys) ",
        "rather": r" (?:i'd|we'd|would|he'd|she'd|they'd) rather ",
        "stand": r" (?:can't|cannot|can not) stand ",
        "fan": r" fan of ",
        "keen": r" keen on ",
        "always never usually":
            r" i (?:always|never|usually) \w+ |^ (?:please )?(?:always|never) (?!mind )| please (?:always|never) ",
        "wants want": rf" \w+ always wants? |{_WHO}{_OFTEN} wants? (?!to (?!see |be asked |hear |know ))",
        "ever": r"^ (?:please )?(?:do not|don't) ever ",
    },
    "context": {
        "currently presently tonight today": "",
        "now": r" (?:right|for) now | now (?:working|looking|waiting|debugging|testing|is whether) | we are now ",
        "moment": r" at the moment ",
        "present": r" at present ",
        "far": r" so far ",
        "session conversation chat task thread": r" this (?:session|conversation|chat|task|thread) | task at hand ",
        "middle": r" in the middle of ",
        "directory": r" working directory ",
        "current": r" current (?:branch|task|session|focus|file|goal|directory|step|problem|ticket) ",
        "week": r" on call this week ",
    },
    "past": {
        "yesterday yesterday's": "",
        "in since": r" (?:in|since) (?:19|20)\d\d ",
        "last":
            rf" last (?:night|week|month|year|quarter|spring|summer|autumn|fall|winter|weekend|{WEEKDAYS}"
            rf"|{MONTHS}) ",
        "ago": r" (?:minutes?|hours?|days?|weeks?|months?|years?|decades?) ago ",
        "earlier": r" earlier (?:today|this) ",
        MONTH_WORDS:
            rf" (?:in|on|since|of|during|early|late|mid|\d{{1,2}}(?:st|nd|rd|th)?) {MONTHS} | {MONTHS} \d{{1,4}} ",
        WEEKDAY_WORDS: rf" (?:on|since) {WEEKDAYS} ",
    },
    "plan": {
        "todo deadline deadlines roadmap milestone milestones tomorrow upcoming": "",
        "do": r" to do (?!so |it |this |that )|^ to do ",
        "due": rf" due (?:on|by|in|date|next|{WEEKDAYS}) ",
        "goal goals": r"^ goals? | goals? (?:is|for|are) ",
        "aim": r" (?:the|our|my) aim ",
        "plan plans planning planned": r" (?:the|my|our) plan is | plan(?:s|ning|ned)? (?:to|for) ",
        "next": r" next (?:steps?|week|month|quarter|year|sprint|release|monday|tuesday|wednesday|thursday|friday) ",
        "intend intends remember": r" (?:intends?|remember) to ",
        "forget": r" (?:don't|do not) forget ",
        "follow": r" follow up ",
        "need needs have has": r" (?:need|needs|have|has) to ",
        "should": r" should (?:eventually|soon|at some point) ",
        "going": r" (?:am|are|is|we're|i'm|they're) going to ",
        "by": rf" by (?:the end of|end of|{WEEKDAYS}|{MONTHS}|q[1-4]|\d{{1,2}} {MONTHS}|20\d\d|eod|eow|next) ",
        "will i'll": r" i(?:'ll| will) (?!use |never |always )\w+ ",
        "want": r" i want to ",
        "schedule book buy renew ship prepare finish submit order arrange register":
            r"^ (?:schedule|book|buy|renew|ship|prepare|finish|submit|order|arrange|register) ",
        "before": r"^ (?:\w+ ){0,2}(?:renew|finish|submit|send|pay|call)\b.{0,80} before ",
    },
    "decision": {
        "decided chose chosen selected agreed approved rejected voted concluded adopted": "",
        "decision decisions": r"^ (?:\w+ ){0,2}decisions? | decisions? (?:of|was|is) ",
        "picked": r" picked (?!up )",
        "opted": r" opted (?:for|to|against) ",
        "settled": r" settled on ",
        "resolved": r" resolved to ",
        "ruled": r" ruled out ",
        "went going go": r" (?:went|going|go) with ",
        "use": r" (?:will|we'll|i'll|shall) use ",
        "call": r" final call ",
        "dropped": r" dropped support ",
    },
    "relationship": {
        "wife husband sister brother mother father mom mum dad son daughter cousin aunt uncle grandma grandpa "
        "grandmother "
        "grandfather parents parent siblings sibling niece nephew girlfriend boyfriend fiancé fiancée roommate "
        "neighbour "
        "neighbor dating colleague colleagues coworker coworkers mentors cofounder cofounders": "",
        "married engaged": r" (?:are|is|got) (?:married|engaged) ",
        "partner": r" (?:his|her|their|my) partner ",
        "works work": r" works? (?:closely )?with ",
        "reports": r" reports to ",
        "manages": r" manages (?:the )?\w+ ",
        "manager boss lead mentor dog cat": rf"{_THEIRS} (?:\w+ )?(?:manager|boss|lead|mentor|dog|cat) ",
        "collaborates": r" collaborates with ",
        "founders founder": r" co founders? ",
        "friend friends": r" friends? (?:of|with) | (?:close|old|good|best) friends? ",
        "knows": r" knows (?:the|\w+ from|my|our) ",
        "contact": r" contact at ",
    },
    "identity": {
        "born pronouns vegetarian vegan": "",
        "i'm am": r" (?:i'm|i am) (?!\w+ing |not sure |going |afraid |sorry |sure )",
        "name nickname": r" (?:nick)?name is |^ name ",
        "live lives": r" (?:i|we|user|he|she|they) lives? (?:in|with|near|at) ",
        "works work": r" works? as | i work (?:at|for) | (?:user|he|she) works (?:at|for) ",
        "is": r" (?:user|he|she) is (?:an? |the )?(?!going |not )\w+ ",
        "native": r" native (?:language|speaker) ",
        "birthday": r"(?: my|'s) birthday ",
        "old": r" years old ",
        "originally": r" originally from ",
        "grew": r" grew up ",
        "speaks speak studied": r" (?:user|he|she|i) (?:speaks?|studied) ",
        "allergic": r" allergic to ",
        "email phone timezone address role job title":
            r" (?:my|user's) (?:email|phone|timezone|address|role|job|title) ",
        "zone": r" time zone is ",
        "has": r" user has ",
        "goes": r" goes by ",
    },
}  # fmt: skip

# cue word → [(kind, phrase or None)]
CUES: dict[str, list[tuple[str, re.Pattern[str] | None]]] = {}
for _kind, _rules in PHRASES.items():
    for _words, _phrase in _rules.items():
        for _word in _words.split():
            CUES.setdefault(_word, []).append((_kind, re.compile(_phrase) if _phrase else None))
