"""Cron schedules in the user's own time. A minute on the clock that occurs twice is run at its first occurrence."""

from datetime import datetime, timedelta, tzinfo

from croniter import croniter

SECOND = 1_000_000


def next_run(schedule: str, after: int, zone: tzinfo | None) -> int:
    """The first moment of the schedule later than `after`."""
    walls = croniter(schedule, _wall(after, zone))
    while (moment := _moment(walls.get_next(datetime), zone)) <= after:
        pass  # in the hour that is repeated, the clock shows what has been already
    return moment


def latest_run(schedule: str, since: int, now: int, zone: tzinfo | None) -> int | None:
    """The last moment of the schedule later than `since` that has come; None when none has."""
    first = next_run(schedule, since, zone)
    if first > now:
        return None
    walls = croniter(schedule, _wall(now, zone) + timedelta(seconds=1))
    while (moment := _moment(walls.get_prev(datetime), zone)) > now:
        pass
    return max(moment, first)


def _wall(moment: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(moment // SECOND, zone).replace(tzinfo=None, fold=0)


def _moment(wall: datetime, zone: tzinfo | None) -> int:
    """Without a zone this is the system's own; a minute that the clock skips is the one it leaps to."""
    return round(wall.replace(tzinfo=zone, fold=0).timestamp()) * SECOND
