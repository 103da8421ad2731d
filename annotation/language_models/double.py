"""A server that speaks `/v1/chat/completions` and answers by rule, with faults if one wants them.

python -m annotation.language_models.double 8080   # right four times in five, to rehearse with
"""

import json
import math
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CODES = "nfmo"
_MALE, _FEMALE = {"king", "he", "his", "man", "men"}, {"queen", "she", "her", "woman", "women"}
#: Faults of a server.
FAULTS = ("throttle", "error", "cut", "prose", "other", "silent")
#: Tokens of an answer.
ANSWER_TOKENS = 7


def rule(text: str, draw: str = "") -> str:
    """A category by the words of the query; every fifth query, by its digest, gets the next one.

    At a temperature above 0, another `draw` gives wrong answers to other queries.
    """
    words = set(text.casefold().split())
    genders = [code for code, known in (("m", _MALE), ("f", _FEMALE)) if words & known]
    right = "o" if len(genders) > 1 else (genders or ["n"])[0]
    return four_in_five(right, f"{draw}{text}")


def four_in_five(right: str, text: str) -> str:
    """The right category; for every fifth text, by its digest, the next one."""
    is_wrong = sha256(text.encode()).digest()[0] % 5 == 0
    return CODES[(CODES.index(right) + is_wrong) % len(CODES)]


class ModelDouble:
    """A model server for tests: `calls` by query, `keys` received, tokens to charge for.

    `fault` says for each call which of `FAULTS` happens, or "". `silence` is in seconds.
    """

    def __init__(self, fault: Callable[[str], str] = lambda _text: "") -> None:
        self.fault = fault
        self.silence = 60.0
        self.retry_after = "0.1"
        self.elsewhere = ""
        self.key = ""
        self.models = {"double"}
        self.refuses: set[str] = set()
        #: Its answers, by the query and by what distinguishes repeated questions.
        self.rule: Callable[[str, str], str] = rule
        #: Its probability of each of its answers, if it reports any.
        self.sure = 0.0
        self.bodies: list[dict[str, Any]] = []
        self.calls: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.sent = self.answered = 0
        self.under_way = self.most_under_way = 0
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    double: ModelDouble

    def do_POST(self) -> None:
        double = self.double
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        with double.lock:
            double.under_way += 1
            double.most_under_way = max(double.most_under_way, double.under_way)
            double.bodies.append(body)
            double.keys.add(self.headers.get("Authorization", ""))
        try:
            self._answer(double, body)
        finally:
            with double.lock:
                double.under_way -= 1

    def _answer(self, double: ModelDouble, body: dict[str, Any]) -> None:
        if refused := sorted(double.refuses & set(body)):
            message = f"Unsupported parameter: {refused[0]}"
            self._send(400, {"error": {"message": message, "param": refused[0]}})
        elif double.key and self.headers.get("Authorization") != f"Bearer {double.key}":
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            self._send(401, {"error": {"message": f"Incorrect API key provided: {key}"}})
        elif body["model"] not in double.models:
            self._send(404, {"error": {"message": "The model does not exist"}})
        else:
            self._complete(double, body)

    def _complete(self, double: ModelDouble, body: dict[str, Any]) -> None:
        text = body["messages"][-1]["content"]
        with double.lock:
            double.calls[text] += 1
            fault = double.fault(text)
        if fault == "throttle":
            error = {"error": {"message": "Rate limit reached"}}
            self._send(429, error, {"Retry-After": double.retry_after})
            return
        if fault in {"redirect", "page"}:
            status, kind = (302, "text/plain") if fault == "redirect" else (200, "text/html")
            self.send_response(status)
            self.send_header("Location", double.elsewhere)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        draw = f"{body.get('seed', 0)}:" if body.get("temperature") else ""
        label = double.rule(text, draw)
        content = json.dumps({"label": label})
        if fault == "prose":
            content = f"Let me think.\n```json\n{content.upper()}\n```\nThat is my answer."
            content = content.replace('"LABEL"', '"label"')
        if fault == "other":
            content = '{"label": "unknown"}'
        n_prompt_tokens = sum(len(part["content"]) for part in body["messages"]) // 4
        with double.lock:  # charged, whether it arrives or not
            double.sent += n_prompt_tokens
            double.answered += ANSWER_TOKENS
        if fault == "error":
            self._send(500, {"error": {"message": "The server had an error"}})
            return
        if fault == "silent":
            time.sleep(double.silence)
            return
        usage = {"prompt_tokens": n_prompt_tokens, "completion_tokens": ANSWER_TOKENS}
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        if double.sure and body.get("logprobs") and not fault:
            choice["logprobs"] = {"content": _tokens_of(label, double.sure)}
        choices = [choice]
        answer = {"model": "double-2026", "choices": choices, "usage": usage}
        self._send(200, answer, cut=fault == "cut")

    def _send(
        self,
        status: int,
        value: object,
        headers: dict[str, str] | None = None,
        *,
        cut: bool = False,
    ) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, written in (headers or {}).items():
            self.send_header(name, written)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *_args: Any) -> None:
        pass


def _tokens_of(label: str, sure: float) -> list[dict[str, Any]]:
    """Return the tokens of an answer, with alternatives at the place of the label."""
    rest = {code: (1 - sure) / (len(CODES) - 1) for code in CODES if code != label}
    likely = {label: sure} | rest
    likeliest = [
        {"token": code, "logprob": math.log(probability)} for code, probability in likely.items()
    ]
    tokens: list[dict[str, Any]]
    tokens = [
        {"token": token, "logprob": 0.0, "top_logprobs": []} for token in ('{"', "label", '": "')
    ]
    chosen = {"token": label, "logprob": math.log(sure), "top_logprobs": likeliest}
    return [*tokens, chosen, {"token": '"}', "logprob": 0.0, "top_logprobs": []}]


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args: Any) -> None:
        """Ignore the error: the caller was killed."""


@contextmanager
def serving(double: ModelDouble, port: int = 0) -> Iterator[str]:
    """The address of the server, while it serves."""
    handler = type("Handler", (_Handler,), {"double": double})
    server = _Quiet(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def some_faults(share: float) -> Callable[[str], str]:
    """Return faults in this share of the calls, equally often."""
    chance = random.Random(0)
    return lambda _text: chance.choice(FAULTS) if chance.random() < share else ""


if __name__ == "__main__":
    with serving(ModelDouble(), int(sys.argv[1])) as address:
        sys.stdout.write(f"{address} answers; its model is called double.\n")
        sys.stdout.flush()
        threading.Event().wait()
