"""Putting the service in place and taking it away; done twice, either changes nothing more."""

import argparse
import json
import os
import sys

from reverie import paths
from reverie.cli import service_units as units
from reverie.cli.service_systemd import (
    SANDBOX_PROBE,
    ServiceFailed,
    answers,
    find_program,
    listens,
    must_run,
    ran,
    require_user_manager,
    systemctl,
)
from reverie.cli.service_units import SANDBOX, SERVICE, SOCKET, Change, Places


def install(args: argparse.Namespace) -> int:
    places = _places()
    if args.dry_run:
        return _show_plan(args, places)
    require_user_manager()
    _refuse_beside_a_daemon_run_by_hand()
    sandbox = _choose_sandbox(args.sandbox)
    for directory in places.directories:
        # Before the start: the sandbox fails on a writable path that does not exist.
        os.makedirs(directory, mode=0o700, exist_ok=True)
    changes = _lay_down(places, sandbox)
    for command in _commands(args):
        must_run(command)
    if any(change.made for change in changes):
        must_run(systemctl("try-restart", SERVICE))
    answered = answers(paths.default_socket_path(), args.wait)
    _report(args, sandbox, [change for change in changes if change.made], answered)
    return 0 if answered else 1


def uninstall(args: argparse.Namespace) -> int:
    require_user_manager()
    places, target = _places(), units.target_dir()
    if units.read(os.path.join(target, SERVICE)) is not None:
        must_run(systemctl("disable", "--now", SOCKET, SERVICE))
    gone = [_remove(name, places) for name in (SOCKET, SERVICE, SANDBOX)]
    must_run(systemctl("daemon-reload"))
    removed = [change.path for change in gone if change.made]
    removed += _purge(places) if args.purge else []
    kept = [directory for directory in places.directories if os.path.isdir(directory)]
    if args.json:
        print(json.dumps({"ok": True, "removed": removed, "kept": kept}))
    else:
        print("".join(f"removed {path}\n" for path in removed) or "nothing was installed\n", end="")
        print("".join(f"kept {path}\n" for path in kept), end="")
    return 0


def _places() -> Places:
    data, config = os.path.abspath(paths.data_dir()), os.path.abspath(paths.config_path())
    return Places(find_program(), data, config)


def _refuse_beside_a_daemon_run_by_hand() -> None:
    path = paths.default_socket_path()
    if listens(path) and not ran(systemctl("is-active", "--quiet", SOCKET)):
        raise ServiceFailed(f"a daemon started by hand already answers on {path}; stop it first")


def _choose_sandbox(wish: str) -> bool:
    if wish == "off":
        return False
    works = ran(SANDBOX_PROBE)
    if wish == "strict" and not works:
        raise ServiceFailed("user namespaces are not allowed here, so the strict sandbox cannot work")
    return works


def _lay_down(places: Places, sandbox: bool) -> list[Change]:
    names = (SOCKET, SERVICE, SANDBOX) if sandbox else (SOCKET, SERVICE)
    target = units.target_dir()
    changes = [units.write(os.path.join(target, name), units.rendered(name, places)) for name in names]
    return changes if sandbox else [*changes, _remove(SANDBOX, places)]


def _remove(name: str, places: Places) -> Change:
    path = os.path.join(units.target_dir(), name)
    change = units.remove(path, ours=units.rendered(name, places))
    if name == SANDBOX:
        units.drop_if_empty(os.path.dirname(path))
    return change


def _commands(args: argparse.Namespace) -> list[list[str]]:
    commands = [
        systemctl("daemon-reload"),
        systemctl("enable", "--now", SOCKET),
        # Enabled as well, because scheduled jobs must run on days when no client calls.
        systemctl("enable", SERVICE),
    ]
    return [*commands, ["loginctl", "enable-linger"]] if args.linger else commands


def _purge(places: Places) -> list[str]:
    if listens(paths.socket_path()):
        raise ServiceFailed("a daemon is still running; stop it before deleting its memories")
    return units.purge(places)


def _report(args: argparse.Namespace, sandbox: bool, changes: list[Change], answered: bool) -> None:
    path = paths.default_socket_path()
    if args.json:
        changed = [{"path": change.path, "backup": change.backup} for change in changes]
        print(json.dumps({"ok": answered, "socket": path, "sandbox": sandbox, "changed": changed}))
        return
    for change in changes:
        _report_change(change)
    if args.sandbox == "auto" and not sandbox:
        print("user namespaces are not allowed here, so only the base hardening is in force")
    print(f"listening on {path}, sandbox {'on' if sandbox else 'off'}")
    if os.environ.get("REVERIE_SOCKET", path) != path:
        print("REVERIE_SOCKET names another path in this shell: clients started here will not find the service")
    if not answered:
        print("the daemon does not answer yet; `reverie service logs` says why", file=sys.stderr)


def _report_change(change: Change) -> None:
    print(f"{'removed' if change.after is None else 'wrote'} {change.path}")
    if change.backup is not None:
        print(f"it was not as installed; the old one is kept as {change.backup}")
        print(change.diff(), end="")


def _show_plan(args: argparse.Namespace, places: Places) -> int:
    probe = [] if args.sandbox == "off" else [SANDBOX_PROBE]
    names = (SOCKET, SERVICE, SANDBOX) if probe else (SOCKET, SERVICE)
    files = {os.path.join(units.target_dir(), name): units.rendered(name, places) for name in names}
    commands = [*probe, *_commands(args)]
    if args.json:
        plan = {"dry_run": True, "make": places.directories, "write": files, "run": commands}
        print(json.dumps(plan))
        return 0
    for directory in places.directories:
        print(f"would make {directory} (0700)")
    for path, text in files.items():
        condition = " if the first command below succeeds" if path.endswith(SANDBOX) else ""
        print(f"would write {path}{condition}:")
        print("".join(f"    {line}\n" for line in text.splitlines()), end="")
    for command in commands:
        print(f"would run {' '.join(command)}")
    return 0
