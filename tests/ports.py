"""Ports for the servers that tests start in processes of their own."""

import fcntl
import os
import socket
import tempfile
from pathlib import Path
from typing import IO

#: Below what the system gives to clients (from 32768 on Linux), above what services usually take.
_PORTS = range(20_000, 32_000)
_LOCKS = Path(tempfile.gettempdir()) / f"fairpool-test-ports-{os.getuid()}"
_held: list[IO[bytes]] = []


def free_port() -> int:
    """A port of this machine that nothing listens on, kept for this process until it ends.

    Asking the system for a free port and listening on it later lets somebody else have it in
    between: it gives the same ports to every outgoing connection. These it never gives away, and a
    lock keeps each from the tests of all other processes.
    """
    _LOCKS.mkdir(exist_ok=True)
    first = os.getpid() * 97 % len(_PORTS)
    for step in range(len(_PORTS)):
        port = _PORTS[(first + step) % len(_PORTS)]
        if _locked(port) and not _is_listened_on(port):
            return port
    raise AssertionError("every port for tests is taken")


def _locked(port: int) -> bool:
    file = (_LOCKS / str(port)).open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    _held.append(file)
    return True


def _is_listened_on(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
