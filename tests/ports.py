"""Ports for servers that tests start."""

import random
import socket

_OWN = random.Random()  # tests seed the common one, and each worker does so alike


def free_port() -> int:
    """A port of this machine that nobody has, below those that systems give to whoever asks for any."""
    while True:
        port = _OWN.randrange(20_000, 32_000)
        with socket.socket() as free:
            if free.connect_ex(("127.0.0.1", port)):
                return port
