"""The doctor: what the daemon says of itself, and what is seen from outside: does it answer, and who keeps it up."""

import argparse
import shutil
import time

from reverie import paths
from reverie.cli.arguments import Command, no_arguments
from reverie.cli.connect import PATIENT, connect
from reverie.cli.console import Console, visible
from reverie.errors import DaemonUnavailable
from reverie.protocol.results import Check, DoctorReport


def _doctor(args: argparse.Namespace, console: Console) -> int:
    path = args.socket or paths.socket_path()
    checks = [*_examined(args, path), *_service(path)]
    report = DoctorReport(ok=all(check.status != "fail" for check in checks), checks=checks)
    if console.as_json:
        console.emit(report)
    else:
        for check in checks:
            _show(check, console)
    return 0 if report.ok else 1


def _examined(args: argparse.Namespace, path: str) -> list[Check]:
    started = time.perf_counter()
    try:
        with connect(args, timeout=PATIENT) as client:
            client.ping()
            detail = f"{path} answered in {(time.perf_counter() - started) * 1000:.0f} ms"
            return [Check(name="socket", status="ok", detail=detail), *client.doctor().checks]
    except DaemonUnavailable as error:
        return [Check(name="socket", status="fail", detail=error.message, fix=error.hint)]


def _service(path: str) -> list[Check]:
    """Nothing to say of a daemon elsewhere, or where there is no systemd to ask."""
    from reverie.cli.service_control import shown
    from reverie.cli.service_systemd import ServiceFailed
    from reverie.cli.service_units import SERVICE, SOCKET

    if path != paths.default_socket_path() or shutil.which("systemctl") is None:
        return []
    try:
        return [_kept_up(shown(SOCKET), shown(SERVICE))]
    except ServiceFailed:
        return []


def _kept_up(socket: dict[str, str], service: dict[str, str]) -> Check:
    if socket.get("LoadState") != "loaded":
        detail = "not installed: somebody has to start `reveried` by hand"
        return Check(name="service", status="warn", detail=detail, fix="reverie service install")
    said = f"socket {socket.get('ActiveState')}, daemon {service.get('ActiveState')}"
    if service.get("Result", "success") != "success":
        detail = f"{said}; it ended with {service['Result']}"
        return Check(name="service", status="fail", detail=detail, fix="reverie service logs")
    if socket.get("ActiveState") != "active":
        return Check(name="service", status="warn", detail=said, fix="reverie service start")
    return Check(name="service", status="ok", detail=said)


def _show(check: Check, console: Console) -> None:
    paint = {"ok": console.good, "warn": console.warning}.get(check.status, console.bad)
    console.line(f"{paint(f'{check.status:<4}')} {visible(check.name)}: {visible(check.detail)}")
    if check.fix:
        console.line(f"     {console.dim('mend it with: ' + visible(check.fix))}")


COMMANDS = {"doctor": Command(no_arguments, _doctor, ("reverie doctor", "reverie doctor --json"))}
