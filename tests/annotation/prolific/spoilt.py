"""A proxy before Prolific's double that spoils calls at random, and kills whoever makes one."""

import http.client
import json
import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Reply = tuple[int, bytes]
#: What becomes of a call that can be forwarded; None hangs up.
Fault = Callable[[Callable[[], Reply]], Reply | None]


def _cut(_forward: Callable[[], Reply]) -> None:
    return None


def _lose(forward: Callable[[], Reply]) -> None:
    forward()


def _truncate(forward: Callable[[], Reply]) -> Reply:
    status, body = forward()
    return status, body[: len(body) // 2]


def _empty(forward: Callable[[], Reply]) -> Reply:
    return forward()[0], b"{}"


def _bare(status: int, *, is_done: bool) -> Fault:
    """A status of somebody on the way, after the effect or before it."""

    def fault(forward: Callable[[], Reply]) -> Reply:
        if is_done:
            forward()
        return status, b"<html></html>"

    return fault


def _busy(_forward: Callable[[], Reply]) -> Reply:
    detail = {"status": 429, "error_code": 1, "title": "Busy", "detail": "The wallet is busy."}
    return 429, json.dumps({"error": detail}).encode()


FAULTS: dict[str, Fault] = {
    "cut before": _cut,
    "answer lost": _lose,
    "truncated": _truncate,
    "empty object": _empty,
    "502 before": _bare(502, is_done=False),
    "502 after": _bare(502, is_done=True),
    "400 of a proxy after": _bare(400, is_done=True),
    "429": _busy,
}


class SpoilingProxy:
    """Counts what it did; `aim` chooses the call at which somebody dies."""

    def __init__(self, upstream: str, *, seed: int, share: float) -> None:
        self.upstream, self.share = upstream, share
        self.chance = random.Random(seed)
        self.faults: Counter[str] = Counter()
        self._left, self._victim = 0, Future[int]()

    def aim(self, call: int) -> Future[int]:
        """Kill at this call from now on (0: at none); the caller names the victim."""
        self._left, self._victim = call, Future()
        return self._victim

    def start(self) -> str:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # The second write of a reply waits for nobody to acknowledge the first.
            disable_nagle_algorithm = True
            hook_secret = ""

            def _any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                reply = proxy._reply(lambda: proxy._forward(self, body))
                if reply is None:
                    self.close_connection = True
                    return
                self.send_response_only(reply[0])
                self.send_header("Content-Length", str(len(reply[1])))
                if self.hook_secret:
                    self.send_header("X-Hook-Secret", self.hook_secret)
                self.end_headers()
                self.wfile.write(reply[1])

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _any  # noqa: N815 - of the base class

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, forward: Callable[[], Reply]) -> Reply | None:
        self._left -= 1
        if self._left == 0:
            return self._kill(forward)
        if self.chance.random() < self.share:
            name = self.chance.choice(list(FAULTS))
            self.faults[name] += 1
            return FAULTS[name](forward)
        return forward()

    def _kill(self, forward: Callable[[], Reply]) -> Reply | None:
        """Before Prolific has seen the call, after it, or when its answer has just been read."""
        moment, victim = self.chance.choice(("before", "after", "later")), self._victim.result(60)
        reply = None if moment == "before" else forward()
        if moment == "later":
            # Nobody waits for this thread: the answer goes out first.
            threading.Timer(self.chance.uniform(0, 0.03), _end, (victim,)).start()
            return reply
        _end(victim)
        return None

    def _forward(self, handler: Any, body: bytes) -> Reply:
        connection = http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=120)
        try:
            # The caller's Host as well: addresses for files are given below it.
            headers = dict(handler.headers.items())
            connection.request(handler.command, handler.path, body or None, headers)
            reply = connection.getresponse()
            handler.hook_secret = reply.getheader("X-Hook-Secret", "")
            return reply.status, reply.read()
        finally:
            connection.close()


class AnsweringProxy(SpoilingProxy):
    """Answers chosen calls in place of Prolific: by method and a part of the address."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream, seed=0, share=0)
        self.answers: dict[tuple[str, str], Reply] = {}

    def _forward(self, handler: Any, body: bytes) -> Reply:
        handler.hook_secret = ""
        for (method, part), reply in self.answers.items():
            if handler.command == method and part in handler.path:
                return reply
        return super()._forward(handler, body)


def _end(victim: int) -> None:
    with suppress(ProcessLookupError):  # it was done already
        os.kill(victim, signal.SIGKILL)
