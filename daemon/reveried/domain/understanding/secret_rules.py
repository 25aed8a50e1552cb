"""The catalogue of what a credential looks like. Adding one is one line; every pattern runs in linear time.

A pattern starts with its own literal or right after a non-token character, its repeats are bounded or possessive,
and none is nested, so no character is read more than a fixed number of times. The secret is the group `value`.
"""

import re
from collections.abc import Callable

from msgspec import Struct

from reveried.domain.understanding.secret_proofs import (
    assigned_length,
    basic_length,
    card_length,
    iban_length,
    mixed_length,
    url_password_length,
)

Length = Callable[[re.Match[str]], int]


def _whole(match: re.Match[str]) -> int:
    return len(match["value"])


class Rule(Struct, frozen=True):
    """`hints`: one of them occurs in every text the pattern matches. `secret_length`: 0 when it is none after all."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    secret_length: Length = _whole


_T = "[A-Za-z0-9_-]"
_START = r"(?<![A-Za-z0-9])"


def _rule(name: str, hints: str, pattern: str, secret_length: Length = _whole, start: str = _START) -> Rule:
    return Rule(name, tuple(hints.split("|")), re.compile(f"{start}(?P<value>{pattern})"), secret_length)


_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{0,32768}+(?:-[^-]{1,8192}+){0,8}+-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s|\\n){0,4}+[A-Za-z0-9+/=]{32,}+(?:\s{1,2}[A-Za-z0-9+/=]{32,80}){0,400}+)"
)

PREFIX_RULES = (
    _rule("private-key", "-----BEGIN", _PEM, start=""),
    _rule("aws-key", "AKIA|ASIA", "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _rule("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", "gh[opsur]_[A-Za-z0-9]{30,}+"),
    _rule("github-pat", "github_pat_", "github_pat_[A-Za-z0-9_]{22,}+"),
    _rule("gitlab-token", "glpat-|gldt-|glrt-", f"gl(?:pat|dt|rt)-{_T}{{20,}}+"),
    _rule("slack-token", "xox|xapp-", "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+", mixed_length),
    _rule("slack-webhook", "hooks.slack.com", "hooks[.]slack[.]com/services/[A-Za-z0-9/]{20,}+"),
    _rule("stripe-key", "_live_|_test_", "[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+"),
    _rule("stripe-webhook", "whsec_", "whsec_[A-Za-z0-9+/=]{20,}+"),
    _rule("anthropic-key", "sk-ant-", f"sk-ant-{_T}{{16,}}+"),
    _rule("openai-key", "sk-", f"sk-{_T}{{20,}}+", mixed_length),
    _rule("google-key", "AIza", f"AIza{_T}{{35}}"),
    _rule("google-oauth", "ya29.|GOCSPX-", f"(?:ya29[.]|GOCSPX-){_T}{{20,}}+"),
    _rule("jwt", "eyJ", f"eyJ{_T}{{10,4096}}+[.]{_T}{{10,8192}}+[.]?{_T}{{0,4096}}+", start=f"(?<!{_T})"),
    _rule("npm-token", "npm_", "npm_[A-Za-z0-9]{36}"),
    _rule("pypi-token", "pypi-AgE", f"pypi-AgE{_T}{{50,}}+"),
    _rule("huggingface-token", "hf_", "hf_[A-Za-z0-9]{30,}+"),
    _rule("sendgrid-key", "SG.", f"SG[.]{_T}{{16,32}}[.]{_T}{{32,}}+"),
    _rule("twilio-key", "SK", "SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("digitalocean-token", "_v1_", "do[opr]_v1_[a-f0-9]{64}"),
    _rule("shopify-token", "shp", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _rule("databricks-token", "dapi", "dapi[a-f0-9]{32}"),
    _rule("linear-key", "lin_api_", "lin_api_[A-Za-z0-9]{32,}+"),
    _rule("notion-token", "ntn_|secret_", "(?:ntn|secret)_[A-Za-z0-9]{40,}+"),
    _rule("mailgun-key", "key-", "key-[a-f0-9]{32}(?![A-Za-z0-9])"),
    _rule("age-key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[0-9A-Z]{50,}+"),
    Rule(
        "url-password",
        ("://",),
        re.compile(r"://[^\s/:@]{0,128}+:(?P<value>[^\s/@]{1,256}+)@"),
        url_password_length,
    ),
)

# Payment cards in the lengths and groupings their networks print; the checksum is proved afterwards.
_CARD = (
    r"(?:4[0-9]{15}(?:[0-9]{3})?|5[1-5][0-9]{14}|2[2-7][0-9]{14}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}"
    r"|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|35[0-9]{14}|62[0-9]{14,17}"
    r"|[2-6][0-9]{3}(?P<gap>[ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}"
    r"|3[47][0-9]{2}(?P<amex>[ -])[0-9]{6}(?P=amex)[0-9]{5})(?![0-9A-Za-z_-]|[.][0-9])"
)
_NUMBER_RULES = (
    _rule("telegram-token", "", f"[0-9]{{8,10}}:{_T}{{33,}}+"),
    _rule("card", "", _CARD, card_length, start=r"(?<![0-9A-Za-z_.-])"),
    _rule("iban", "", "[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}", iban_length),
)

_DISCORD = f"[MNO]{_T}{{22,29}}[.]{_T}{{6}}[.]{_T}{{27,}}+"
# Secrets without a literal of their own hide behind a cheap shape: eight digits, or six letters between two dots.
SHAPED_RULES = (
    (re.compile(r"[0-9]{4}[ -]?[0-9]{4}"), _NUMBER_RULES),
    (re.compile(f"[.]{_T}{{6}}[.]"), (_rule("discord-token", "", _DISCORD, start=f"(?<!{_T})"),)),
)

# Words that announce a value. A password may be any word, so what counts is how it is written after its name.
_NAMES = (
    r"(?P<name>password|passwd|passphrase|passcode|passwort|pwd|contraseña|senha|пароль|密码|密碼|パスワード"
    r"|(?:api|access|secret|private|auth|account|signing|encryption|master|service)[ _-]?key"
    r"|secret|token|credentials?)"
)
_VALUE = r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;<>，。；]{4,512}+)"
_BETWEEN = r"[\"']?[ \t]{0,3}(?P<link>:=|=>|=|:|：|[ \t](?:is|was|ist|es|lautet)[ \t]|是|(?<=[ \t]))[ \t]{0,3}"
_FLAG = r"--(?P<flag>password|passwd|token|secret|api-key)[ \t=]{1,2}"
# The patterns that must ignore case are slow; each word is therefore first looked for with what has to follow it.
_LINKS = ":|=|：|is |was |ist |es |lautet |是"
_FOLLOWS = rf"s?[\"']?[ \t]{{0,3}}(?:{_LINKS})"
_FOLLOWS_PASSWORD = rf"s?[\"']?[ \t]{{0,3}}(?:{_LINKS}|[\"'`]|\S{{2,40}}?[0-9])"
WORD_GATES = tuple(
    (word, re.compile(re.escape(word) + follows))
    for follows, words in (
        (
            _FOLLOWS_PASSWORD,
            "password passwd passphrase passcode passwort pwd contraseña senha пароль 密码 密碼 パスワード",
        ),
        (_FOLLOWS, "key secret token credential"),
        (r"(?:password|passwd|token|secret|api-key)[ \t=]", "--"),
        (r"[ \t]", "bearer basic"),
    )
    for word in words.split()
)
WORD_RULES = (
    Rule("bearer-token", (), re.compile(r"(?i:bearer)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{16,}+)"), mixed_length),
    Rule(
        "basic-auth",
        (),
        re.compile(
            r"(?P<sure>(?i:authorization)[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?)?"
            r"(?i:basic)[ \t]{1,4}(?P<value>[A-Za-z0-9+/]{8,}+={0,2})"
        ),
        basic_length,
    ),
    Rule("assignment", (), re.compile(f"(?i:{_NAMES}{_BETWEEN}){_VALUE}"), assigned_length),
    Rule("assignment", (), re.compile(f"{_FLAG}{_VALUE}"), assigned_length),
)

_SECRET_NAME = re.compile(f"(?i:{_NAMES})")


def names_a_secret(name: str, value: str) -> bool:
    """Whether a member of a JSON object is a secret by its name alone, as in {"db_password": "…"}."""
    named = _SECRET_NAME.search(name)
    if named is None or named.end() != len(name):
        return False
    match = WORD_RULES[2].pattern.match(f"{named[0]}={value}")
    return match is not None and assigned_length(match) > 0


def _by_gate() -> list[tuple[str, list[tuple[str, Rule]]]]:
    """Rules under a character that all their hints share: prose without an underscore skips nine of them at once."""
    gates: dict[str, list[tuple[str, Rule]]] = {}
    for rule in PREFIX_RULES:
        shared = next((sign for sign in "_-." if all(sign in hint for hint in rule.hints)), None)
        for hint in rule.hints:
            gates.setdefault(shared or hint, []).append((hint, rule))
    return list(gates.items())


GATED_RULES = _by_gate()
EVERY_RULE = (*PREFIX_RULES, *(rule for _, rules in SHAPED_RULES for rule in rules), *WORD_RULES)
