"""`reverie service`: its words and their dispatch; what does the work is loaded only when asked for."""

import argparse
import json
import sys
from typing import Final

_CONTROLS: Final = {
    "start": "forget earlier failures and start",
    "stop": "stop the daemon and its socket",
    "restart": "stop and start the daemon; clients wait at the socket",
    "reload": "read the config again",
    "status": "what systemd knows of it",
}
EXAMPLES: Final = (
    "reverie service install",
    "reverie service install --dry-run",
    "reverie service status",
    "reverie service logs -f",
    "reverie service uninstall",
)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    service = commands.add_parser(
        "service",
        help="run the daemon as a systemd user service",
        description="Install and run the daemon under systemd.",
        epilog="examples:\n" + "\n".join(f"  {example}" for example in EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = service.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_install(actions.add_parser("install", help="write the units, listen now and at every login"))
    uninstall = actions.add_parser("uninstall", help="stop and remove the units; memories stay")
    uninstall.add_argument("--purge", action="store_true", help="delete every memory and the config as well")
    for action, what in _CONTROLS.items():
        actions.add_parser(action, help=what)
    logs = actions.add_parser("logs", help="what the daemon said")
    logs.add_argument("-n", "--lines", type=int, default=100, metavar="N", help="the last N lines (default: 100)")
    logs.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")
    service.set_defaults(run=run)
    return service


def _add_install(install: argparse.ArgumentParser) -> None:
    install.add_argument(
        "--sandbox",
        choices=("auto", "strict", "off"),
        default="auto",
        help="auto: where user namespaces allow it; strict: or fail; off: never (default: auto)",
    )
    install.add_argument("--linger", action="store_true", help="keep running after logout")
    install.add_argument("--dry-run", action="store_true", help="show what would be written and run")
    install.add_argument(
        "--wait", type=float, default=30.0, metavar="SECONDS", help="how long to wait for the first answer"
    )


def run(args: argparse.Namespace) -> int:
    from reverie.cli import service_control as control
    from reverie.cli import service_install as installation
    from reverie.cli.service_systemd import ServiceFailed
    from reverie.cli.service_units import UnitsMissing

    actions = {
        "install": installation.install,
        "uninstall": installation.uninstall,
        "start": control.start,
        "stop": control.stop,
        "restart": control.restart,
        "reload": control.reload,
        "status": control.status,
        "logs": control.logs,
    }
    try:
        return actions[args.action](args)
    except (ServiceFailed, UnitsMissing, OSError) as error:
        if args.json:
            print(json.dumps({"ok": False, "error": str(error)}))
        else:
            print(f"reverie service {args.action}: {error}", file=sys.stderr)
        return 1
