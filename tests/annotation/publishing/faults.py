"""A proxy before the crowd service that spoils chosen calls, as networks and services do."""

import contextlib
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_JSON = "application/x-amz-json-1.1"


@dataclass
class Exchange:
    """One call at the proxy: what was asked, and how to have the service carry it out."""

    operation: str
    body: dict[str, Any]
    forward: Callable[[], tuple[int, bytes]]
    answer: Callable[..., None]
    hang_up: Callable[[], None]
    client_has_left: Callable[[], None]


Fault = Callable[[Exchange], None]


def refuse(code: str, message: str = "", *, status: int = 400, turk: str = "") -> Fault:
    """Answer with an error; the service never sees the call."""
    body: dict[str, str] = {"__type": code, "Message": message or code}
    if turk:
        body["TurkErrorCode"] = f"AWS.MechanicalTurk.{turk}"
    return lambda call: call.answer(status, json.dumps(body).encode(), _JSON)


def other_clock(seconds: float) -> Fault:
    """Refuse the signature, as a service whose clock is `seconds` ahead does."""
    body = {"__type": "InvalidSignatureException", "Message": "Signature expired"}
    return lambda call: call.answer(400, json.dumps(body).encode(), _JSON, ahead=seconds)


def pages(items: Callable[[str | None], dict[str, Any]]) -> Fault:
    """Answer a listing with `items(next token)`."""
    return lambda call: call.answer(
        200, json.dumps(items(call.body.get("NextToken"))).encode(), _JSON
    )


def html_error(call: Exchange) -> None:
    """What a load balancer says when nothing is behind it."""
    call.answer(503, b"<html><body>Service Unavailable</body></html>", "text/html")


def lose_reply(call: Exchange) -> None:
    """The service does it, and the line breaks before it can say so."""
    call.forward()
    call.hang_up()


def refuse_connection(call: Exchange) -> None:
    """The line breaks before the service has seen the call."""
    call.hang_up()


def double(call: Exchange) -> None:
    """The call arrives twice, as where something on the way repeats it; the second reply counts."""
    call.forward()
    call.answer(*call.forward(), _JSON)


def truncate_reply(call: Exchange) -> None:
    """The service does it, and half of its reply arrives as if that were all."""
    _status, body = call.forward()
    call.answer(200, body[: len(body) // 2], _JSON)


def empty_reply(call: Exchange) -> None:
    """The service does it, and an empty object arrives."""
    call.forward()
    call.answer(200, b"{}", _JSON)


def keep_waiting(call: Exchange) -> None:
    """The service does it, and no reply comes for as long as the client waits."""
    call.forward()
    call.client_has_left()


def delay(seconds: float) -> Fault:
    """The service does it, and its reply comes late."""

    def fault(call: Exchange) -> None:
        reply = call.forward()
        time.sleep(seconds)
        with contextlib.suppress(OSError):  # whoever waited may be gone by then
            call.answer(*reply, _JSON)

    return fault


def rewrite(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Fault:
    """The service does it, and something else than its reply arrives."""

    def fault(call: Exchange) -> None:
        status, body = call.forward()
        call.answer(status, json.dumps(change(json.loads(body))).encode(), _JSON)

    return fault


@dataclass
class FaultyProxy:
    """`order("CreateHIT", {3: fault})` spoils the third such call; `calls` counts them all."""

    upstream: str
    calls: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    #: What happens to calls that nothing was ordered for.
    otherwise: Fault | None = None
    _orders: dict[str, Callable[[int], Fault | None]] = field(default_factory=dict)

    def order(
        self, operation: str, faults: dict[int, Fault] | Callable[[int], Fault | None]
    ) -> None:
        """Spoil calls of `operation`, by their number from now on, counted from 1."""
        before = self.calls[operation]
        choose = faults if callable(faults) else faults.get
        self._orders[operation] = lambda number: choose(number - before)

    def start(self) -> str:
        """Serve on a free port; the endpoint."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # The second write of a reply waits for nobody to acknowledge the first.
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                proxy._handle(self, body)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        path = urlsplit(self.upstream).path
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        operation = handler.headers["X-Amz-Target"].rpartition(".")[2]
        self.calls[operation] += 1
        self.times.append(time.monotonic())
        call = Exchange(
            operation=operation,
            body=json.loads(body),
            forward=lambda: self._forward(handler, body),
            answer=partial(_answer, handler),
            hang_up=lambda: _hang_up(handler),
            client_has_left=lambda: _wait_for_the_end(handler),
        )
        order = self._orders.get(operation, lambda _number: self.otherwise)
        fault = order(self.calls[operation])
        if fault is not None:
            fault(call)
        else:
            call.answer(*call.forward(), _JSON)

    def _forward(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        """Pass the call on as it came, so that its signature holds."""
        connection = http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=120)
        try:
            connection.putrequest("POST", handler.path, skip_host=True, skip_accept_encoding=True)
            for name, value in handler.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()


def _answer(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str, *, ahead: float = 0
) -> None:
    handler.send_response_only(status)
    handler.send_header("Date", handler.date_time_string(time.time() + ahead))
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def _wait_for_the_end(handler: BaseHTTPRequestHandler) -> None:
    """Return when the client closes the connection, which is how it gives up."""
    with contextlib.suppress(ConnectionError):
        handler.rfile.read(1)
    handler.close_connection = True
