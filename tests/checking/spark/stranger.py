"""A program that calls every port on which another process begins to listen, as JupyterLab calls ports of old kernels.

  python tests/checking/spark/stranger.py PROCESS [MOST]

It prints "ready" once it knows the ports that are there already, then each port that it calls, MOST at most.
"""

import os
import re
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

GREETING = b"\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL".ljust(64, b"\0")  # ZeroMQ's
_LISTENS = re.compile(rb":([0-9A-F]{4}) [0-9A-F]+:0000 0A (?:\S+ +){5}(\d+)")


def listening() -> dict[str, int]:
    """Who listens on this machine: the socket, and its TCP port."""
    tables = Path("/proc/net/tcp").read_bytes() + Path("/proc/net/tcp6").read_bytes()
    return {f"socket:[{int(inode)}]": int(port, 16) for port, inode in _LISTENS.findall(tables)}


def sockets(process: str) -> set[str]:
    found = set()
    for descriptor in os.scandir(f"/proc/{process}/fd"):
        with suppress(OSError):  # it may have been closed
            found.add(os.readlink(descriptor))
    return found


def call(process: str, most: float) -> None:
    known = listening()
    print("ready", flush=True)
    while most > 0:
        now = listening()
        new = now.keys() - known
        for at in new & sockets(process) if new else ():
            with suppress(OSError), socket.create_connection(("127.0.0.1", now[at]), timeout=5) as line:
                line.sendall(GREETING)
                print(now[at], flush=True)
                most -= 1
                line.recv(1)
        known = now
        time.sleep(0.0005)


if __name__ == "__main__":
    with suppress(FileNotFoundError, ProcessLookupError):  # the other one has ended
        call(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else float("inf"))
