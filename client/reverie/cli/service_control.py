"""The installed service, told to start and stop and asked how it is."""

import argparse
import json
import shutil
import subprocess
from typing import Final

from reverie import paths
from reverie.cli.service_systemd import ServiceFailed, must_run, ran, require_user_manager, systemctl
from reverie.cli.service_units import SERVICE, SOCKET

_SHOWN: Final = "LoadState,ActiveState,SubState,MainPID,NRestarts,Result,StatusText"


def start(args: argparse.Namespace) -> int:
    return _tell(args, "start", SOCKET, SERVICE)


def restart(args: argparse.Namespace) -> int:
    return _tell(args, "restart", SERVICE)


def stop(args: argparse.Namespace) -> int:
    # The socket too: left open, the next client would start the daemon again.
    return _tell(args, "stop", SOCKET, SERVICE)


def reload(args: argparse.Namespace) -> int:
    return _tell(args, "reload", SERVICE)


def _tell(args: argparse.Namespace, verb: str, *units: str) -> int:
    require_user_manager()
    if verb in ("start", "restart"):
        # After many crashes systemd refuses to start either unit until it is told to forget them.
        ran(systemctl("reset-failed", SOCKET, SERVICE))
    must_run(systemctl(verb, *units))
    if args.json:
        print(json.dumps({"ok": True}))
    return 0


def status(args: argparse.Namespace) -> int:
    require_user_manager()
    found = {unit: shown(unit) for unit in (SOCKET, SERVICE)}
    path = paths.default_socket_path()
    if args.json:
        print(json.dumps({"path": path, **found}))
    else:
        lines = [_status_line(unit, facts) for unit, facts in found.items()]
        print("\n".join([*lines, f"path: {path}"]))
    return 0 if found[SOCKET].get("ActiveState") == "active" else 1


def shown(unit: str) -> dict[str, str]:
    shown = must_run(systemctl("show", f"--property={_SHOWN}", unit))
    return dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)


def _status_line(unit: str, facts: dict[str, str]) -> str:
    line = f"{unit}: {facts.get('ActiveState', 'unknown')} ({facts.get('SubState', 'unknown')})"
    if facts.get("MainPID", "0") != "0":
        line += f", pid {facts['MainPID']}, restarted {facts.get('NRestarts', '0')} times"
    if facts.get("Result", "success") != "success":
        line += f", last result {facts['Result']}"
    return line + (f": {facts['StatusText']}" if facts.get("StatusText") else "")


def logs(args: argparse.Namespace) -> int:
    if shutil.which("journalctl") is None:
        raise ServiceFailed("there is no journalctl here; `reveried` in the foreground says it all on stderr")
    # Not `--user --unit`: that finds nothing where the journal keeps no file per user.
    command = ["journalctl", f"--user-unit={SERVICE}", f"--lines={args.lines}"]
    command += ["--follow"] if args.follow else ["--no-pager"]
    command += ["--output=json"] if args.json else []
    return subprocess.call(command)
