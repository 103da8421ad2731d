"""The market over HTTP, on a loopback address only."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from annotation.prolific.double import task_routes  # noqa: F401 - its addresses register there
from annotation.prolific.double.market import Market
from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.routes import Reply, reply_to
from annotation.prolific.double.visitors import Page, html_of, page_for

_LONGEST_BODY = 4_000_000


def _handler(market: Market, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # The second write of a reply waits for nobody to acknowledge the first.
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            length = min(int(self.headers.get("Content-Length") or 0), _LONGEST_BODY)
            raw = self.rfile.read(length)
            page = page_for(market, self.command, self.path, self.headers.get("Cookie", ""), raw)
            if page is not None:
                self._show(page)
                return
            try:
                reply = reply_to(market, token, self, raw)
            except RefusalError as refused:
                reply = Reply(refused.status, refused.body)
            body = b"" if reply.body is None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("Content-Type", "application/json")):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _show(self, page: Page) -> None:
            body = html_of(page)
            self.send_response(302 if page.leads_to else 200)
            for name, value in (("Location", page.leads_to), ("Set-Cookie", page.cookie)):
                if value:
                    self.send_header(name, value)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _serve  # noqa: N815 - names of the base class

        def log_message(self, *parts: object) -> None:
            """Say nothing: a request's address may name a person."""

    return Handler


@contextmanager
def serving(market: Market, *, token: str, port: int = 0) -> Iterator[str]:
    """Serve `market` in a thread; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(market, token))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    sender = market.hooks.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        market.hooks.stop()
        sender.join()
