"""What the daemon notes of a text, in words: on the wire these are codes, which scripts read."""

from collections.abc import Sequence

_SAID = {
    "redacted": "taken out before it was written: {}",
    "low_trust": "marked untrusted, for it tells its reader what to do: {}",
}
_NOVELTY = {
    "measured": "",
    "nothing_to_compare": "",
    "no_embedder": "how new it is was not weighed: there is no model",
    "embedder_unavailable": "how new it is was not weighed: the model was not there",
    "unknown_script": "how new it is was not weighed: the model does not read this script",
}


def remarks(notes: Sequence[str]) -> list[str]:
    """One remark for all notes of a sort; a code of a newer daemon stays as it is."""
    found: dict[str, list[str]] = {}
    for note in notes:
        sort, _, detail = note.partition(":")
        found.setdefault(sort if sort in (*_SAID, "novelty") else note, []).append(detail)
    return [said for sort, details in found.items() for said in _said(sort, details)]


def _said(sort: str, details: list[str]) -> list[str]:
    if sort in _SAID:
        return [_SAID[sort].format(", ".join(details))]
    if sort == "novelty":
        return [said for detail in details if (said := _NOVELTY.get(detail, f"novelty {detail}"))]
    return [sort]


def some(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
