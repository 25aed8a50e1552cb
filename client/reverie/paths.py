"""Where the socket, the data and the config live; client and daemon must agree, so both ask here."""

import os

__all__ = ["config_path", "data_dir", "default_socket_path", "socket_path"]


def socket_path() -> str:
    return os.environ.get("REVERIE_SOCKET") or default_socket_path()


def default_socket_path() -> str:
    """The path without REVERIE_SOCKET: the one the systemd socket unit listens on."""
    return os.path.join(_runtime_dir(), "reverie.sock")


def data_dir() -> str:
    return os.environ.get("REVERIE_DATA") or os.path.join(_xdg("XDG_DATA_HOME", ".local/share"), "reverie")


def config_path() -> str:
    given = os.environ.get("REVERIE_CONFIG")
    return given or os.path.join(_xdg("XDG_CONFIG_HOME", ".config"), "reverie", "config.yaml")


def _runtime_dir() -> str:
    uid = os.getuid()
    runtime = _absolute("XDG_RUNTIME_DIR")
    if runtime is None and _is_ours(f"/run/user/{uid}", uid):
        # Programs started by cron or sudo lack the variable, yet the user's daemon listens there.
        runtime = f"/run/user/{uid}"
    if runtime is not None:
        return os.path.join(runtime, "reverie")
    return os.path.join(_absolute("TMPDIR") or "/tmp", f"reverie-{uid}")


def _xdg(variable: str, below_home: str) -> str:
    return _absolute(variable) or os.path.join(os.path.expanduser("~"), below_home)


def _absolute(variable: str) -> str | None:
    # The XDG specification has relative values ignored: they would mean another place in every directory.
    value = os.environ.get(variable, "")
    return value if value.startswith("/") else None


def _is_ours(directory: str, uid: int) -> bool:
    try:
        return os.stat(directory).st_uid == uid
    except OSError:
        return False
