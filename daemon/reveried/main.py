"""The composition root: reads flags and environment, builds the daemon, and turns its end into an exit code."""

import argparse
import asyncio
import logging
import os
import sqlite3
import sys
from pathlib import Path

import reveried
from reverie import paths
from reveried.app.directory import CannotOpen, DataDirectory
from reveried.app.settings import Settings
from reveried.config.loader import load_file
from reveried.config.schema import Config
from reveried.daemon import Daemon
from reveried.errors import ConfigInvalid, LogDamaged, ReverieError, StateDamaged, StorageFailed
from reveried.log.restore import restore
from reveried.server.listener import CannotListen, listen
from reveried.server.systemd import Notifier

EXIT_DATA, EXIT_IO, EXIT_TEMPORARY, EXIT_SOFTWARE = 65, 74, 75, 70
_log = logging.getLogger(__name__)


def main() -> None:
    args = arguments().parse_args()
    os.umask(0o077)
    # Numpy is loaded with the first need. A second thread for products of this size waits more than it works.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level="INFO")
    # It would write every query with its words into the journal.
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)
    try:
        code = _serve(args) if args.restore_events is None else _restore(args)
    except (CannotOpen, CannotListen) as error:
        _complain(error)
        code = error.exit_code
    except LogDamaged as error:
        _complain(error)
        code = EXIT_DATA
    except StorageFailed as error:
        # What the disk holds is unknown now; only a fresh look at it can tell.
        _complain(error)
        code = EXIT_IO
    except OSError as error:
        _log.critical("the disk or the system failed: %s", error)
        code = EXIT_IO
    except ReverieError as error:
        _complain(error)
        code = EXIT_SOFTWARE
    except Exception:  # noqa: BLE001 (the process's edge: whatever it was, it is written down and named by the exit code)
        _log.critical("the daemon failed", exc_info=True)
        code = EXIT_SOFTWARE
    # A thread of a library must not keep a finished daemon from ending.
    logging.shutdown()
    os._exit(code)


def _serve(args: argparse.Namespace) -> int:
    settings = _settings(Path(args.config))
    directory = DataDirectory(Path(args.data).absolute())
    listener = listen(args.socket, os.environ)
    try:
        asyncio.run(Daemon(directory, settings, listener, Notifier(os.environ), os.environ).run())
    except (StateDamaged, sqlite3.DatabaseError) as error:
        directory.rebuild_wanted.touch()
        _log.critical("the state cannot be used: %s; the next start makes it anew from the log", error)
        return EXIT_TEMPORARY
    finally:
        listener.close()
        directory.close()
    return 0


def _restore(args: argparse.Namespace) -> int:
    """Into an empty directory only, and without serving: nobody else may hold these files."""
    directory = DataDirectory(Path(args.data).absolute())
    try:
        if directory.log.exists():
            raise CannotOpen(f"{directory.log} is there already", exit_code=73, hint="choose another with --data")
        with Path(args.restore_events).open("rb") as lines:
            report = restore(lines, directory.log)
    finally:
        directory.close()
    _log.info("%d events restored into %s, chain %s", report.events, directory.path, report.chain)
    return 0


def _settings(path: Path) -> Settings:
    """A bad file never keeps the daemon from starting: it starts with the defaults and says so."""
    try:
        settings = Settings(path, load_file(path))
    except ConfigInvalid as error:
        _log.error("starting with the default configuration: %s", error.message)
        settings = Settings(path, Config())
        settings.problem = error.message
    logging.getLogger().setLevel(settings.current.log.level.upper())
    return settings


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reveried", description="The memory of the agents on this machine.")
    parser.add_argument("--data", default=paths.data_dir(), help="directory of the databases (default: %(default)s)")
    parser.add_argument("--socket", default=paths.socket_path(), help="socket to serve on (default: %(default)s)")
    parser.add_argument("--config", default=paths.config_path(), help="configuration file (default: %(default)s)")
    parser.add_argument(
        "--restore-events", metavar="FILE", help="make the log from `reverie export --format events`, then end"
    )
    parser.add_argument("--version", action="version", version=f"reveried {reveried.__version__}")
    return parser


def _complain(error: ReverieError) -> None:
    _log.critical("%s%s", error.message, f" ({error.hint})" if error.hint else "")


if __name__ == "__main__":
    main()
