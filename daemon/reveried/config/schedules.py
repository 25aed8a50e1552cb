"""When each job runs: five cron fields in local time, or never. A wrong one is refused before it is in force."""

from typing import Annotated, Final

from msgspec import Meta, Struct

NEVER: Final = "never"
EXPECTED: Final = 'five cron fields such as "0 4 * * *", or never'
_FIELD: Final = r"[0-9A-Za-z*/,\-]{1,64}"

Cron = Annotated[str, Meta(pattern=rf"^({NEVER}|{_FIELD}( {_FIELD}){{4}})\Z", extra={"expects": EXPECTED})]


class JobsPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field for each job of the catalogue, named like it, and what else jobs need to know."""

    decay: Annotated[Cron, Meta(description="When memories change state as they fade or expire")] = "*/30 * * * *"
    sleep: Annotated[Cron, Meta(description="When memories are put in order: tags, tiers, summaries")] = "5 * * * *"
    consolidate: Annotated[
        Cron, Meta(description="When near-duplicates become one, and old sessions are told by an account")
    ] = "40 3 * * *"
    prune: Annotated[Cron, Meta(description="When room is made, if the state is too large")] = "0 4 * * *"
    purge: Annotated[Cron, Meta(description="When what was deleted long ago is erased")] = "20 4 * * *"
    snapshot: Annotated[Cron, Meta(description="When a copy of the log is made")] = "40 4 * * *"
    maintain: Annotated[Cron, Meta(description="When the files are tidied")] = "0 5 * * 0"
    keep_snapshots: Annotated[int, Meta(description="Copies of the log that are kept", ge=1, le=1_000)] = 7
    jump_days: Annotated[
        float,
        Meta(
            description="A silence of the log after which nothing is deleted for a day, lest the clock be wrong",
            ge=1.0,
            le=36_500.0,
            extra={"unit": "days"},
        ),
    ] = 30.0


def wrong_schedules(policy: JobsPolicy) -> dict[str, str]:
    """The fields that are no schedule, each with what is wrong with it."""
    if policy == JobsPolicy():
        return {}
    from croniter import CroniterError, croniter  # here, not above: a start with the defaults need not wait for it

    wrong = {}
    for name in schedules(policy):
        try:
            croniter(getattr(policy, name)).get_next()
        except (CroniterError, ValueError, KeyError) as error:
            wrong[name] = str(error)
    return wrong


def schedules(policy: JobsPolicy) -> dict[str, str]:
    """The jobs that run by themselves, with their schedules."""
    found = {name: getattr(policy, name) for name in policy.__struct_fields__}
    return {name: value for name, value in found.items() if isinstance(value, str) and value != NEVER}
