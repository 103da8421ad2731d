"""Servers that fail whoever calls them, each in one way, and all that is stored."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.apps import apps

from tests.ports import free_port

_HTTP = b"HTTP/1.1 %s\r\n%sConnection: close\r\n\r\n%s"
#: What a server answers with, "" being silence, and None nobody at its port.
FAILURES: dict[str, bytes | None] = {
    "refused": None,
    "silent": b"",
    "hangs up": b"\r\n",
    "failure": _HTTP % (b"500 Internal Server Error", b"Content-Length: 6\r\n", b"<html>"),
    "garbage": b"\x16\x03\x01\xff no protocol\r\n\r\n",
    "half": _HTTP % (b"200 OK", b"Content-Length: 999\r\n", b'{"half":'),
    "no chunk": _HTTP % (b"200 OK", b"Transfer-Encoding: chunked\r\n", b"zz\r\n"),
    "redirect": _HTTP % (b"302 Found", b"Location: http://127.0.0.1:1/\r\n", b""),
    "redirect nowhere": _HTTP % (b"302 Found", b"Location: http://[\r\n", b""),
}


#: A secret that is read as the stored one answers the messages that were refused.
_ENDS = {("ProlificWorkspace", "n_refused")}


def stored_cells() -> dict[tuple[str, object, str], object]:
    """Every cell of the site that says something, by table, row and column."""
    return {
        (table.__name__, row["id"], name): value
        for table in apps.get_app_config("annotation").get_models()
        for row in getattr(table, "everything", table._default_manager).values()
        for name, value in row.items()
        if value and (table.__name__, name) not in _ENDS
    }


class _Failing(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    reply = b""


class _Handler(socketserver.BaseRequestHandler):
    server: _Failing

    def handle(self) -> None:
        # Whoever speaks HTTP speaks first, whoever sends mail waits for a word.
        self.request.settimeout(0.1)
        with suppress(OSError):
            self.request.recv(1 << 20)
        with suppress(OSError):
            self.request.sendall(self.server.reply)
            self.request.settimeout(None if self.server.reply == b"" else 0.1)
            while self.request.recv(1 << 20):
                pass  # until the caller gives up
            self.request.shutdown(socket.SHUT_RDWR)


@contextmanager
def failing(way: str) -> Iterator[int]:
    """The port of this machine at which every call fails in this way of `FAILURES`."""
    reply = FAILURES[way]
    if reply is None:
        yield free_port()
        return
    with _Failing(("127.0.0.1", 0), _Handler) as server:
        server.reply = reply
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()
