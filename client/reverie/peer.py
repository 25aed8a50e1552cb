"""Who is at the other end: words are told to a daemon of one's own user, never to a stranger who made the socket."""

import os
import socket
import struct

from reverie.errors import DaemonUnavailable


def check_peer(channel: socket.socket, path: str) -> None:
    credentials = channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    if uid != os.getuid():
        raise DaemonUnavailable(
            f"{path} is served by another user (uid {uid})", hint="set REVERIE_SOCKET to a socket of your own daemon"
        )
