"""What connects an agent: one file each, with the text that goes in and comes out. Everything here is pure."""

import shlex
from collections.abc import Callable
from typing import NamedTuple


class Wanted(NamedTuple):
    """What is to be connected, and how."""

    program: str
    flags: tuple[str, ...] = ()
    hooks: bool = True
    prompts: bool = False

    @property
    def arguments(self) -> list[str]:
        return ["mcp", *self.flags]

    def hook(self, event: str, harness: str) -> str:
        return shlex.join([self.program, "hook", event, "--harness", harness, *self.flags])


class Part(NamedTuple):
    """`put` and `drop` take the text before and give the text after; `paste` is what a person would add."""

    path: str
    put: Callable[[str], str]
    drop: Callable[[str], str]
    paste: str
