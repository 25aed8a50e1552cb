"""What goes wrong in a simulated life: commits that fail before or after they are durable, and half a projection."""

from collections.abc import Awaitable, Callable
from typing import Any

from reveried.app.commands import Outcomes
from reveried.domain.events import Recorded
from reveried.errors import Rejected, StorageFailed, StorageFull
from reveried.state.catalog import ARCHIVED
from reveried.state.store import _apply, _split
from simulating.stage import Stage

FAULTS = (None,) * 20 + ("full", "before", "after")
Writing = Callable[[str], Any]


class Faults(Stage):
    async def _written(self, write: Writing) -> tuple[str, int]:
        """What the caller is told in the end. One whose daemon died asks the next one again, with the same key."""
        self._keys += 1
        key, fault = f"key-{self._keys}", self._luck.choice(FAULTS)
        self._arm(fault)
        try:
            told = await _told(write(key))
            while told[0] == "storage_full":  # a full log, and then a full state, refuse one after the other
                self._life.writer._look_again_at = 0.0  # there is room again
                told = await _told(write(key))
            return told
        except StorageFailed:
            await self._reopened(lambda path: None)  # whether it is in the log, only the next answer tells
            return await _told(write(key))
        finally:
            self._disarm()

    def _arm(self, fault: str | None, spared: int = 0) -> None:
        """The next commit of the log fails, but for so many: before it is durable, or after."""
        if fault is None:
            return
        log, left = self._life.log, iter(range(spared))
        commit = log._transaction

        def failing(*arguments: Any) -> None:
            if next(left, None) is not None:
                return commit(*arguments)
            self._disarm()
            self.done[f"fault: {fault}"] += 1
            if fault == "after":
                commit(*arguments)
            else:
                log.discard()
            raise StorageFull("the disk is full") if fault == "full" else StorageFailed("the disk is gone")

        log._transaction = failing  # type: ignore[method-assign]

    def _disarm(self) -> None:
        vars(self._life.log).pop("_transaction", None)

    async def _stall(self) -> None:
        """The disk is full when the archive has been written and the live file has not; then there is room again."""
        await self._half_projected()
        self._life.writer._look_again_at = 0.0
        await self._compare()

    async def _torn(self) -> None:
        """A kill at that very place."""
        await self._half_projected()
        await self._kill()

    async def _half_projected(self) -> None:
        store = self._life.store

        def half(events: list[Recorded]) -> None:
            del store._write  # type: ignore[attr-defined]
            _apply(store._archive, ARCHIVED, events, *_split(store.fold.archive_changes()))
            raise StorageFull("no room")

        store._write = half  # type: ignore[method-assign, assignment]
        for _ in range(3):
            await self._change()
        await self._life.writer.run(lambda: None)
        vars(self._life.store).pop("_write", None)


async def _told(outcome: Awaitable[Outcomes]) -> tuple[str, int]:
    try:
        (only,) = await outcome
    except (Rejected, StorageFull) as refusal:
        return refusal.code, 0
    return only.outcome, only.id
