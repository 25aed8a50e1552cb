"""Everything that is kept of what was read of one file, and how a write takes it away."""

from collections.abc import Sequence

from reveried.state.gist_reads import KeptGists
from reveried.state.kept_holders import KeptHolders
from reveried.state.projection import Change
from reveried.state.vitals import kept_vitals


class Keeping:
    """`room` is in bytes, and shared out."""

    def __init__(self, room: int) -> None:
        self.gists = KeptGists(room * 5 // 8)
        self.vitals = kept_vitals(room // 8)
        self.holders = KeptHolders(room // 4)

    def forget(self, changes: Sequence[Change]) -> None:
        """After a write can be read, and before anybody is told of it."""
        self.gists.forget(changes)
        self.vitals.forget([change.id for change in changes])
        self.holders.forget(changes)

    def clear(self) -> None:
        self.gists.clear()
        self.vitals.clear()
        self.holders.clear()
