"""The catalogue of how a text speaks to the model that reads it. Every gap is bounded, so every pattern is linear."""

import re

from msgspec import Struct


class Sign(Struct, frozen=True):
    """A pattern over lower-cased text, tried only when the text has a word of each set in `words`."""

    name: str
    words: tuple[frozenset[str], ...]
    pattern: re.Pattern[str]


def _sign(name: str, words: tuple[str, ...], *patterns: str) -> Sign:
    return Sign(name, tuple(frozenset(choice.split()) for choice in words), re.compile("|".join(patterns)))


_G = r"[^.!?\n]{0,40}?"
_ORDERS = (
    r"(?:instruction|direction|prompt|command|guideline|rule|directive|guardrail|policie|policy|constraint"
    r"|training|programming)s?"
)
_EARLIER = r"(?:previous|prior|earlier|above|preceding|foregoing|existing|original|initial|system|safety|your|its)"
_KEYS = (
    r"(?:api[ _-]?keys?|passwords?|secrets?|credentials?|tokens?|private keys?|ssh keys?|environment variables"
    r"|conversations?|chats|memories)"
)
_BELONGINGS = r"(?:keys?|files|memory|contacts|inbox|e?mails|address book|data|(?:system )?prompt|wallet)"
# Private whoever is meant; for anything above the text has to say whose.
_PRIVATE = (
    r"(?:chat history|system prompt|user data|personal data|(?:full|whole|entire) conversation"
    r"|~/\.\w|\.env\b|id_rsa|/etc/(?:passwd|shadow)|\.aws/|\.ssh/|keychain)"
)
_REMOTE = r"(?:https?://|[\w-]{1,40}@|(?:this|following|external|remote) (?:url|server|address|endpoint|webhook))"
_MIND = r"(?:user|human|operator|developer|anyone|them)"
_MODEL = r"(?:ai|llms?|language models?|assistants?|chatgpt|claude|copilot|chatbots?|bots?|agents?|models?)"
_ABROAD = r"(?:instructions|anweisungen|instrucciones|istruzioni|instruções|consignes|órdenes|regeln|ordini)"

WORD_SIGNS = (
    _sign(
        "override",
        (
            "ignore disregard forget override bypass neglect discard follow following drop abandon aside skip void "
            "invalid cancelled obsolete revoked",
            "instruction instructions directions prompt prompts command commands guidelines rule rules directive "
            "directives guardrails policies policy constraints training programming above before told everything asked "
            "said wants",
        ),
        r"\b(?:ignore|disregard|forget|override|bypass|neglect|discard|do not follow|don't follow"
        r"|stop following|drop(?= (?:all |any )?(?:of )?your)"
        rf"|abandon|set aside|skip) {_G}\b(?:{_EARLIER} (?:\w{{1,20}} ){{0,3}}{_ORDERS}"
        rf"|(?:all|any|every)(?: of)? (?:the |your |these |those )?{_ORDERS}"
        rf"|{_ORDERS} (?:above|before this|you (?:received|were given|have been given|got|had|have))"
        r"|everything (?:above|before|you (?:were|have been|know))"
        r"|(?:whatever|what|anything) (?:the )?(?:user|developer|system|operator|human|owner)s? "
        r"(?:says?|said|told|asks?|asked|wants?|wrote)"
        r"|(?:all|anything|what)(?: of the)? (?:above|you were told|was said before|you have been told))\b",
        rf"\b{_EARLIER} (?:\w{{1,20}} )?{_ORDERS} (?:are|is) (?:now )?(?:void|invalid|cancelled|obsolete|revoked)\b",
    ),
    _sign(
        "new-orders",
        ("instruction instructions directive directives task job goal purpose message prompt",
         "new updated real actual true now begin start"),
        r"\b(?:new|updated|real|actual|true) (?:system )?(?:instructions?|directives?)(?: (?:are|is|for you))? ?:",
        r"\b(?:new|updated|begin|start of) system (?:message|prompt|instructions?)\b",
        r"\byour (?:new |real |actual |true )?(?:instructions?|task|job|goal|purpose) (?:are|is) now\b",
        r"\byour (?:only |new |real |true )(?:instructions?|task|job|goal|purpose) (?:are|is) to\b",
    ),
    _sign(
        "role",
        ("now pretend unrestricted unfiltered uncensored jailbroken evil dan restrictions rules limits",
         "you you're pretend act behave respond answer"),
        r"\byou(?: are|'re) now (?:an?|the|in|my|free|no longer|called|operating|acting|dan|[a-z]{1,12}gpt"
        r"|un\w{3,20})\b",
        r"\bfrom now on,? you (?:are|will|must|shall|only|obey|have)\b",
        r"\byou must now (?:obey|follow|act|answer|respond)\b",
        r"\b(?:act|behave|respond|answer|pretend)(?: to be| as)?(?: if)?(?: you (?:are|were"
        r"|have))?(?: as)? (?:an? |the )?"
        r"(?:unrestricted|unfiltered|uncensored|jailbroken|evil|dan\b|no (?:restrictions|rules|limits))",
        r"\bpretend (?:that )?(?:you (?:are|have no)|to be) (?:an? |the )?"
        r"(?:ai|assistant|model|admin|human|different|restrict|rules|limits|root)",
    ),
    _sign(
        "prompt-probe",
        ("prompt prompts instructions message", "system initial hidden your developer full entire original"),
        rf"\b(?:reveal|print|show|repeat|output|display|leak|dump|tell me|recite|disclose|share|send|paste"
        rf"|write out) {_G}"
        r"\b(?:your (?:\w{1,12} ){0,2}?(?:prompt|instructions|message)\b|(?:the|its) (?:hidden|initial|full"
        r"|entire|system) "
        r"(?:system )?(?:prompt|instructions)\b(?! (?:template|column|file|version|length|library|editor|field)))",
        r"\bsystem prompt (?:override|update|is now)|\bsystem prompt:|\bend of (?:the )?system prompt\b",
        r"\bwhat (?:is|are|was|were) your (?:system prompt|(?:hidden|initial|original) instructions)",
    ),
    _sign(
        "exfiltration",
        (
            "send forward upload post exfiltrate transmit email mail leak curl append include submit copy",
            "key keys password passwords secret secrets credential credentials token tokens conversation history "
            "memories "
            "memory data prompt env files variables cat ssh etc aws wallet chats chat contacts inbox mails emails book",
        ),
        r"\b(?:send|forward|upload|post|transmit|e-?mail|leak|submit|copy|append|include) "
        rf"[^!?\n]{{0,40}}?(?:\b(?:your|(?:the )?users?'s?|stored) {_G}\b(?:{_KEYS}|{_BELONGINGS})\b"
        rf"|\b(?:all|any|every|their|my) {_G}\b{_KEYS}\b|{_PRIVATE})[^!?\n]{{0,40}}?{_REMOTE}",
        rf"\bexfiltrate {_G}\b(?:{_KEYS}|{_BELONGINGS}|{_PRIVATE})",
        r"\bcurl [^\n]{0,80}(?:\$\(cat|@/etc/|@~/\.|\.ssh/)",
    ),
    _sign(
        "secrecy",
        (
            "tell inform alert notify warn let mention reveal disclose telling asking informing alerting "
            "notifying secretly "
            "silently knowledge knowing noticing consent",
            "not don't never without secretly silently",
        ),
        rf"\b(?:do not|don't|never) (?:tell|inform|alert|notify|warn|let) (?:the |your )?{_MIND}\b(?: know)?{_G}"
        r"\b(?:this|that (?:you|this|these)|these|you|it|instruction|message|note)\b",
        r"\b(?:do not|don't|never) (?:mention|reveal|disclose) "
        r"(?:this (?:instruction|message|note|prompt|memory)|that you|these|having)",
        rf"\bwithout (?:telling|asking|informing|alerting|notifying) (?:the )?{_MIND}\b",
        r"\bwithout the user(?:'s)? (?:knowledge|knowing|noticing|consent)",
        r"\b(?:secretly|silently) (?:send|forward|upload|run|execute|install|delete|add|insert|copy|call|download"
        r"|record)\b",
    ),
    _sign(
        "jailbreak",
        (
            "jailbreak mode anything restrictions rules limits filter filters guidelines guardrails policy "
            "policies checks",
            "jailbreak dan developer god sudo admin debug now no safety content ethical moderation",
        ),
        r"\bdo anything now\b|\bjailbreak (?:yourself|prompt|mode)\b|\byou have no (?:restrictions|rules|limits"
        r"|filters)\b",
        r"\b(?:enable|activate|enter|switch to|you are in|turn on) (?:dan|developer|god|jailbreak|sudo|admin) mode\b",
        r"\b(?:disable|turn off|remove|without|bypass|ignore|evade) (?:(?:all |any )?(?:of )?your (?:content|usage)"
        r"|(?:all |any |your |the )?(?:safety|ethical|moderation)) (?:filter|guideline|check|polic|restriction"
        r"|guardrail)",
    ),
    _sign(
        "to-the-model",
        ("ai llm llms model models assistant assistants agent agents bot chatgpt claude copilot chatbot you",
         "attention note notice message instructions instruction hey dear important if any when whenever must should "
         "shall"),
        r"\b(?:attention|note to|notice to|message (?:to|for)|instructions? (?:to|for)|hey|dear|important for) "
        rf"(?:all |any |the |every )?{_MODEL}(?: {_MODEL})? ?[:,!-]",
        r"\bif you(?: are|'re) an? (?:ai|llm|language model|assistant|bot|agent)\b",
        r"\b(?:ai|llms?|language models?|chatgpt|claude)(?: (?:systems?|models?|agents?"
        r"|assistants?))? (?:must|should|shall) (?:now |always )?(?:ignore|rate|rank|approve"
        r"|obey|recommend|prefer this|praise|reply with|answer with|disregard)\b",
        rf"\bany {_MODEL}(?: {_MODEL})? (?:reading|processing|summari[sz]ing|that reads) this\b",
        rf"\bwhen(?:ever)? (?:you|an? {_MODEL}) (?:reads?|recalls?|retrieves?|sees?|process(?:es)?) this (?:memory|note"
        rf"|message|text)",
    ),
    _sign(
        "obey",
        ("obey comply overrides override supersedes supersede precedence replaces decode",
         "you this these following instructions it"),
        r"\b(?:this|these|the following) (?:instruction|message|prompt|directive|memory|note|rule)s? "
        r"(?:overrides?|supersedes?|takes? precedence over|replaces?) (?:all|any|every|your|previous|other)\b",
        r"\byou (?:must|will|shall|should) (?:always )?(?:obey|comply with) (?:me|this|these|every|all|any"
        r"|the following)\b",
        r"\bdecode (?:this|the following|it)\b[^\n]{0,60}\b(?:execute|follow|obey|run it|do what)\b",
    ),
    _sign(
        "override-abroad",
        ("ignorez ignore ignora ignoriere ignorieren ignorare oublie oubliez olvida esqueça vergiss",
         "instructions anweisungen instrucciones istruzioni instruções consignes órdenes regeln ordini"),
        r"\b(?:ignor(?:ez|e|a|iere|ieren sie|are)|oubliez?|olvida|esqueça|vergiss) "
        rf"(?:toutes? |tous |alle |todas? |todos? |tutte )?(?:les |las |los |le |as |os |die |tes "
        rf"|vos )(?:\w{{1,20}} ){{0,2}}?{_ABROAD}",
        rf"\b(?:ignoriere|vergiss|ignora) (?:alle |tutte )?(?:\w{{1,20}} ){{0,2}}?{_ABROAD}",
    ),
    _sign(
        "role-marker",
        ("system assistant human instruction instructions",),
        r"#{2,3} ?(?:system|instructions?):",
        r"(?:^|\n)[ \t>*#]{0,6}(?:system|assistant|human) ?: {0,4}"
        r"(?:\n|(?:you|ignore|the user|always|never|from|override|i will|i must|new|sure|do)\b)",
    ),
)  # fmt: skip

# Looked for only where a < or [ occurs.
MARK_SIGNS = (
    _sign(
        "role-marker",
        (),
        r"[<\[](?:\|(?:im_start|im_end|system|user|assistant|endoftext|end|eot_id|start_header_id)\b"
        r"|/?inst\]|</?sys>>|start_of_turn>|/memory>|/?instructions?>|system(?: message| note| override| prompt)?\]"
        r"|/?system(?:[ _-](?:prompt|message|reminder|override))?>)",
    ),
    _sign(
        "hidden-comment",
        (),
        r"<!--[^>]{0,200}?\b(?:ignore|disregard|instruction|assistant|you must|you are|prompt|execute|obey|ai agent)",
        r"<[a-z]{1,10} [^>]{0,80}?(?:display: ?none|font-size: ?0|visibility: ?hidden"
        r"|color: ?white)[^>]{0,80}>[^<]{0,80}?"
        r"\b(?:ignore|disregard|instruction|assistant|you must|you are|prompt|execute|obey)",
    ),
)
OTHER_SCRIPTS = _sign(
    "override-abroad",
    (),
    r"(?:忽略|无视|無視)[^。\n]{0,12}(?:指令|指示|提示|规则|規則|說明|说明)|(?:指示|命令|ルール)[^。\n]{0,6}無視",
    r"игнорируй(?:те)? [^.\n]{0,30}(?:инструкци|указани|правил)|지시[^.\n]{0,10}무시",
)
