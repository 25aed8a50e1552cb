"""What was probably meant: loaded only when something was mistyped, for looking for it takes longer than a recall."""

import re
from collections.abc import Iterable
from difflib import get_close_matches


def nearest(typed: str, known: Iterable[str], count: int = 2) -> list[str]:
    return get_close_matches(typed, list(known), n=count, cutoff=0.6)


def did_you_mean(typed: str, known: Iterable[str]) -> str | None:
    close = nearest(typed, known)
    return f"did you mean `{'` or `'.join(close)}`?" if close else None


def meant_by(message: str, flags: Iterable[str]) -> str | None:
    """A hint for what argparse complains of, if it is a flag that looks like one there is."""
    found = re.match(r"unrecognized arguments: (--?[^\s=]+)", message)
    return did_you_mean(found[1], flags) if found else None
