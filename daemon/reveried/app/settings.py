"""The configuration in force. A new one takes its place whole or not at all, and the log remembers the change."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

from reverie.protocol.results import ConfigReport
from reveried.app.commands import Command, Step
from reveried.app.writer import Writer
from reveried.config.changes import changed, needs_restart
from reveried.config.loader import load_file
from reveried.config.schema import Config
from reveried.domain.decide import Decision
from reveried.domain.events import ConfigChanged
from reveried.errors import ConfigInvalid
from reveried.log.reads import EVERYONE

_log = logging.getLogger(__name__)


class Settings:
    def __init__(self, path: Path, config: Config) -> None:
        self.path = path
        self.current = config
        self._at_start = config
        self.problem: str | None = None
        self.on_change: Callable[[], None] = lambda: None

    def get(self) -> Config:
        return self.current

    async def reload(self, writer: Writer) -> ConfigReport:
        """Read the file again. A bad one changes nothing and is remembered as a problem."""
        try:
            new = await asyncio.to_thread(load_file, self.path)
        except ConfigInvalid as error:
            self.problem = error.message
            _log.error("the configuration was not reloaded: %s", error.message)
            raise
        self.problem = None
        changes = changed(self.current, new)
        self.current = new
        self.on_change()
        if changes:
            logging.getLogger().setLevel(new.log.level.upper())
            _log.info("configuration changed: %s", ", ".join(changes))
            step = Step(decide=lambda _: Decision(outcome="changed", events=(ConfigChanged(changed=changes),)))
            await writer.submit(Command(namespace=EVERYONE, actor="config", steps=(step,)))
        return self.report()

    def report(self) -> ConfigReport:
        return ConfigReport(
            path=str(self.path),
            loaded=self.path.exists(),
            values=msgspec.to_builtins(self.current),
            problem=self.problem,
            needs_restart=needs_restart(changed(self._at_start, self.current)),
        )
