"""What tells a secret from text that merely has its shape: each answers how many characters of `value` are secret."""

import re

_REDACTED = "[redacted:"
_PLACEHOLDER = re.compile(
    r"(?:none|null|nil|true|false|yes|no|str|string|text|bytes|int|optional|required|missing|empty|unset|undefined"
    r"|redacted|hidden|changeme|example|placeholder|secret|token|password|passwd|passphrase|credentials?|value|todo|tbd"
    r"|unknown|n/a|x{3,}|\.{3,}|…|\*+|-+|_+)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[$<{%]|\[[a-z]|(?:os|self|this|env|process|config|settings|request|args|options|params|secrets|vault|data)[.\[]"
    r"|(?:get|read|load|input|env)[A-Za-z_]*\(|[A-Za-z_][\w.]*\(|https?:",
    re.IGNORECASE,
)
# Names of schemes have digits too: "the password is sha256-hashed" tells no secret.
_SCHEME = re.compile(
    r"(?:base|sha|md|utf|aes|rsa|hs|rs|es|ed|argon|pbkdf|oauth|scrypt|bcrypt|x|ipv|http|tls|v|p|k)[-_]?[0-9]{1,4}[-_a-z]{0,24}",
    re.IGNORECASE,
)
# `password = user.password_hash` hands a variable on.
_VARIABLE = re.compile(r"[A-Za-z_][\w.]{0,80}", re.ASCII)
_STRONG = re.compile(r"[0-9!@#$%^&*]")
_PASSWORDS = frozenset(
    "password passwd passphrase passcode passwort pwd contraseña senha пароль 密码 密碼 パスワード".split()
)
_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18
    FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
    LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24
    SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
    """.split()
}


def mixed_length(match: re.Match[str]) -> int:
    """Letters with at least two digits: words joined by hyphens are prose."""
    value = match["value"]
    return len(value) if sum(map(str.isdigit, value)) >= 2 else 0


def basic_length(match: re.Match[str]) -> int:
    value = match["value"]
    sure = match["sure"] or value.endswith("=") or _mixes_cases_and_digits(value)
    return len(value) if sure else 0


def _mixes_cases_and_digits(value: str) -> bool:
    inner = value[1:]
    return any(map(str.isdigit, inner)) and any(map(str.isupper, inner)) and any(map(str.islower, inner))


def url_password_length(match: re.Match[str]) -> int:
    value = match["value"]
    reference = value.startswith((_REDACTED, "$", "<", "{", "%s", "*", "…"))
    return 0 if reference else len(value)


def assigned_length(match: re.Match[str]) -> int:
    """How much of what follows `password=` and kin is a secret; placeholders, code and prose are none."""
    value = match["value"].rstrip(".):]}")
    named = match.groupdict()
    if len(value) < 4 or value.startswith(_REDACTED) or _PLACEHOLDER.fullmatch(value) or _REFERENCE.match(value):
        return 0
    name, link = (named.get("name") or named.get("flag") or "").lower(), (named.get("link") or " ").strip()
    quoted = bool(match["quote"]) and " " not in value
    if not quoted and name in value.lower() and _VARIABLE.fullmatch(value):
        return 0
    if name in _PASSWORDS:
        return len(value) if _is_password(value, link, quoted) else 0
    if not link and named.get("name"):
        return 0
    return len(value) if _is_key(value, quoted and link in ("=", ":", ":=")) else 0


def _is_password(value: str, link: str, quoted: bool) -> bool:
    if link in ("=", ":=", "=>") or quoted:
        return True
    if link in (":", "："):
        return bool(_STRONG.search(value)) or value.count("-") >= 3 or len(value) >= 20
    return len(value) >= (6 if link else 8) and _mixes_letters_and_signs(value) and not _SCHEME.fullmatch(value)


def _is_key(value: str, quoted: bool) -> bool:
    if len(value) < 8 or _SCHEME.fullmatch(value):
        return False
    return quoted or (any(map(str.isalpha, value)) and sum(map(str.isdigit, value)) >= 2)


def _mixes_letters_and_signs(value: str) -> bool:
    return bool(_STRONG.search(value)) and any(map(str.isalpha, value))


def card_length(match: re.Match[str]) -> int:
    digits = [int(sign) for sign in match["value"] if sign in "0123456789"]
    doubled = (digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2])
    return len(match["value"]) if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1 else 0


def iban_length(match: re.Match[str]) -> int:
    value = match["value"]
    wanted = _IBAN_LENGTHS.get(value[:2], 0)
    end = seen = 0
    while end < len(value) and seen < wanted:
        seen += value[end] != " "
        end += 1
    return end if wanted and seen == wanted and _mod_97(value[:end].replace(" ", "")) == 1 else 0


def _mod_97(iban: str) -> int:
    return int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97
