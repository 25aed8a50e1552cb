"""Every job. Adding one is a module with a `JOB`, one line here, and one schedule in `config.schedules`."""

from importlib import import_module
from typing import Final

from reveried.errors import InvalidField
from reveried.jobs.work import Job

JOBS: Final = {
    "decay": "moves memories between states as they fade or expire",
    "sleep": "looks over tags, moves memories between tiers, writes missing summaries",
    "consolidate": "makes one memory of near-duplicates, and an account of each old session",
    "prune": "archives the least affirmed memories while the state is too large",
    "purge": "erases what was deleted long ago",
    "snapshot": "makes a copy of the log and removes the oldest ones",
    "maintain": "merges the word index, gives free pages back, cuts the write-ahead logs",
}


def job_named(name: str) -> Job:
    """Loaded when it is first needed: the arithmetic of columns is slow to import, and no start should wait for it."""
    if name not in JOBS:
        raise InvalidField(f"there is no job {name[:64]!r}", field="job", hint=", ".join(JOBS))
    job: Job = import_module(f"reveried.jobs.{name}").JOB
    return job
