"""What happens to a text before anything else reads it: one form for the same words, and nothing of code touched."""

import re
import unicodedata

# Always succeeds once a fence has opened, at its close or at the end of the text: no fence is read twice. What
# follows three backticks on their line must hold none: "```x```" is a word in code, not an opening.
FENCE = re.compile(
    r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_MANY_NEWLINES = re.compile(r"\n{3,}")


def clean(text: str) -> str:
    """Trimmed, NFC, one kind of newline, and at most one blank line in a row outside code fences."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip()
    return _without_wide_gaps(text) if "\n\n\n" in text else text


def _without_wide_gaps(text: str) -> str:
    pieces: list[str] = []
    end = 0
    for fence in FENCE.finditer(text):
        pieces += (_MANY_NEWLINES.sub("\n\n", text[end : fence.start()]), fence[0])
        end = fence.end()
    pieces.append(_MANY_NEWLINES.sub("\n\n", text[end:]))
    return "".join(pieces)
