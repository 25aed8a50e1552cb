"""What the doctor looks at without asking a memory: the log, the files, the disk, the configuration."""

import time

from reverie.protocol.results import Check
from reveried.app.health import Parts
from reveried.log import database

WEEK = 7 * 86_400


def file_checks(parts: Parts) -> list[Check]:
    return [check(parts) for check in (_log, _projections, _disk, _modes, _sqlite, _config, _backup)]


def _log(parts: Parts) -> Check:
    verified, at = parts.upkeep.last_verified, parts.upkeep.last_verified_at
    if parts.writer.read_only:
        fix = f"stop the daemon, copy the newest of {parts.directory.backups} over log.db, start it again"
        return Check(name="log", status="fail", detail=parts.writer.read_only, fix=fix)
    if verified is None or at is None:
        return Check(name="log", status="warn", detail="not verified since the start", fix="reverie verify")
    if not verified.ok:
        detail = f"verified {_ago(at)}: {'; '.join(verified.problems)}"
        return Check(name="log", status="fail", detail=detail, fix="reverie verify, then reverie rebuild")
    return Check(name="log", status="ok", detail=f"the chain of {verified.events:,} events was verified {_ago(at)}")


def _ago(at: int) -> str:
    minutes = max(0, round(time.time() - at / 1_000_000)) // 60
    if minutes < 1:
        return "just now"
    return f"{minutes} min ago" if minutes < 120 else f"{minutes // 60} hours ago"


def _projections(parts: Parts) -> Check:
    lag = parts.progress.head - parts.progress.applied
    if parts.writer.stalled:
        fix = f"make room on the disk of {parts.directory.path}: it goes on by itself"
        return Check(name="projections", status="fail", detail=parts.writer.stalled, fix=fix)
    return Check(name="projections", status="ok", detail=f"{lag} events behind the log")


def _disk(parts: Parts) -> Check:
    free = database.free_space(parts.directory.path)
    wanted = parts.settings.current.storage.min_free_bytes
    if free < wanted:
        detail = f"{free // 1_000_000:,} MB free, of the {wanted // 1_000_000:,} MB that storage.min_free keeps"
        fix = f"make room on the disk of {parts.directory.path}, or lower storage.min_free"
        return Check(name="disk", status="fail", detail=detail, fix=fix)
    return Check(name="disk", status="ok", detail=f"{free // 1_000_000:,} MB free")


def _modes(parts: Parts) -> Check:
    loose = [path.name for path in parts.directory.path.iterdir() if path.lstat().st_mode & 0o077]
    if loose:
        fix = f"chmod -R go-rwx {parts.directory.path}"
        return Check(name="file modes", status="warn", detail=f"others may read {', '.join(sorted(loose))}", fix=fix)
    return Check(name="file modes", status="ok", detail="only you can read the data")


def _sqlite(parts: Parts) -> Check:
    if not database.has_fts5():
        fix = "use a Python whose SQLite has FTS5"
        return Check(name="sqlite", status="fail", detail=f"{database.VERSION} without FTS5", fix=fix)
    detail = f"{database.VERSION} with FTS5; one connection writes each file"
    return Check(name="sqlite", status="ok", detail=detail)


def _config(parts: Parts) -> Check:
    if parts.settings.problem:
        return Check(name="config", status="fail", detail=parts.settings.problem, fix="reverie config check")
    if waiting := parts.settings.report().needs_restart:
        detail = f"{', '.join(waiting)}: changed, in force after the next start"
        return Check(name="config", status="warn", detail=detail, fix="reverie service restart")
    return Check(name="config", status="ok", detail=str(parts.settings.path))


def _backup(parts: Parts) -> Check:
    age = parts.backups.newest_age(time.time())
    if age is None or age > WEEK:
        detail = "there is none" if age is None else f"the newest is {age / 86_400:.0f} days old"
        return Check(name="backup", status="warn", detail=detail, fix="reverie backup")
    return Check(name="backup", status="ok", detail=f"{age / 3600:.0f} hours old")
