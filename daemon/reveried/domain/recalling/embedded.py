"""What of a memory is given to the embedder: its words in pieces the model can read, and once with what came before.

The stored content stays as it is; these texts exist only to be turned into vectors.
"""

from hashlib import sha256

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.domain.understanding.text import sentences

ITSELF, IN_CONTEXT = 0, 1
# A model reads about 256 tokens and ignores the rest; a word is at most about 1.3 of them in English prose.
PIECE_WORDS = 170
MAX_PIECES = 16


class EmbeddedText(Struct, frozen=True):
    role: int
    text: str

    @property
    def hash(self) -> bytes:
        return text_hash(self.text)


def text_hash(text: str) -> bytes:
    return sha256(text.encode()).digest()[:16]


def texts_of(memory: Memory, predecessor: Memory | None) -> list[EmbeddedText]:
    """One text for most memories; several for a long one; one more where a short memory has a predecessor."""
    own = _said(memory)
    found = [EmbeddedText(ITSELF, piece) for piece in pieces(own)]
    if predecessor is not None and len(found) == 1:
        found.append(EmbeddedText(IN_CONTEXT, f"{_said(predecessor)}\n{own}"))
    return found


def _said(memory: Memory) -> str:
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content


def pieces(text: str) -> list[str]:
    """The text in pieces of at most `PIECE_WORDS` words, cut at the ends of sentences where there are any."""
    if len(text.split()) <= PIECE_WORDS:
        return [text]
    found: list[list[str]] = [[]]
    for part in (words for sentence in sentences(text) for words in _chunks(sentence.split())):
        if found[-1] and len(found[-1]) + len(part) > PIECE_WORDS:
            found.append([])
        found[-1] += part
    return [" ".join(words) for words in found if words][:MAX_PIECES]


def _chunks(words: list[str]) -> list[list[str]]:
    return [words[at : at + PIECE_WORDS] for at in range(0, len(words), PIECE_WORDS)]
