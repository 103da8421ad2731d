"""The site on a port of its own, in threads of the test's process."""

import threading
from typing import Any

from django.core.servers.basehttp import WSGIRequestHandler, WSGIServer
from django.db import connections


class OneReplyServer(WSGIServer):
    """Ends each connection with its reply, in a thread that then closes its databases.

    A connection that a client keeps alive would keep a thread, and its database, beyond the test;
    such a thread ends with an error when the database is taken from it. Django says `close` to
    clients of a server that is none of the standard library's threading ones, as here.
    """

    def __init__(
        self,
        address: tuple[str, int],
        _handler: object,
        *,
        connections_override: dict[str, Any],
        **options: Any,
    ) -> None:
        self._shared = connections_override
        super().__init__(address, _Handler, **options)

    def process_request(self, request: Any, client_address: Any) -> None:
        threading.Thread(target=self._reply, args=(request, client_address), daemon=True).start()

    def _reply(self, request: Any, client_address: Any) -> None:
        for alias, connection in self._shared.items():
            connections[alias] = connection
        try:
            self.finish_request(request, client_address)
        except Exception:  # noqa: BLE001 - a thread has nobody to raise it to
            self.handle_error(request, client_address)
        finally:
            connections.close_all()
            self.shutdown_request(request)


class _Handler(WSGIRequestHandler):
    # Head and body of a reply are sent apart, and the system would hold the second back for 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Say nothing among the output of the tests."""
