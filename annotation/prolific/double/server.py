"""The market over HTTP, at the addresses of Prolific's API, on a loopback address only."""

import hmac
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from annotation.prolific.double.market import Market
from annotation.prolific.double.refusals import RefusalError, not_found
from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.studies import LEAST_PAY, cost
from annotation.prolific.double.submissions import Submission
from annotation.prolific.double.visitors import Page, html_of, page_for

_ID = r"(\w+)"
_LONGEST_BODY = 4_000_000
_PAGE = 20


class Request(NamedTuple):
    """A request that was let in: what its address names, its query and its body."""

    market: Market
    ids: tuple[str, ...]
    query: dict[str, str]
    body: dict[str, Any]


class Reply(NamedTuple):
    status: int
    body: Any


_Action = Callable[[Request], Reply]
_ROUTES: list[tuple[str, re.Pattern[str], _Action]] = []


def _route(method: str, path: str) -> Callable[[_Action], _Action]:
    def register(action: _Action) -> _Action:
        _ROUTES.append((method, re.compile(f"/api/v1{path}"), action))
        return action

    return register


@_route("GET", "/users/me/")
def _me(asked: Request) -> Reply:
    return Reply(200, {"id": asked.market.owner_id, "email": "researcher@example.org"})


@_route("GET", "/workspaces/")
def _workspaces(asked: Request) -> Reply:
    return _page([{"id": asked.market.workspace_id, "title": "Rehearsal"}], asked)


@_route("GET", f"/workspaces/{_ID}/balance/")
def _balance(asked: Request) -> Reply:
    if asked.ids[0] != asked.market.workspace_id:
        raise not_found()
    balance = asked.market.balance
    wire = {"currency_code": asked.market.currency, "total_balance": balance}
    return Reply(200, {**wire, "available_balance": balance})


@_route("GET", f"/workspaces/{_ID}/projects/")
def _projects(asked: Request) -> Reply:
    if asked.ids[0] != asked.market.workspace_id:
        raise not_found()
    return _page([{"id": asked.market.owner_id, "title": "Project", "type": "PUBLIC"}], asked)


@_route("GET", "/filters/")
def _filters(asked: Request) -> Reply:
    return _page(asked.market.filters, asked)


@_route("GET", "/reward-recommendations/")
def _recommendation(asked: Request) -> Reply:
    least = {"min_reward_per_hour": LEAST_PAY, "recommended_reward_per_hour": LEAST_PAY * 3 // 2}
    return Reply(200, [{"currency": asked.market.currency, **least}])


@_route("POST", "/study-cost-calculator/")
def _cost(asked: Request) -> Reply:
    places, reward = (_number(asked, name) for name in ("total_available_places", "reward"))
    return Reply(200, {"total_cost": cost(reward, places)})


@_route("POST", "/studies/")
def _create(asked: Request) -> Reply:
    market = asked.market
    return Reply(201, market.study_wire(market.create_study(asked.body)))


@_route("GET", "/studies/")
def _list(asked: Request) -> Reply:
    market, state = asked.market, asked.query.get("state")
    studies = [one for one in market.studies.values() if state in {None, one.status}]
    return _page([market.study_wire(one) for one in studies], asked)


@_route("GET", f"/studies/{_ID}/")
def _study(asked: Request) -> Reply:
    return Reply(200, asked.market.study_wire(asked.market.study(asked.ids[0])))


@_route("PATCH", f"/studies/{_ID}/")
def _change(asked: Request) -> Reply:
    market = asked.market
    return Reply(200, market.study_wire(market.change_study(asked.ids[0], asked.body)))


@_route("DELETE", f"/studies/{_ID}/")
def _delete(asked: Request) -> Reply:
    asked.market.delete_study(asked.ids[0])
    return Reply(204, None)


@_route("POST", f"/studies/{_ID}/transition/")
def _move(asked: Request) -> Reply:
    market = asked.market
    study = market.move_study(asked.ids[0], str(asked.body.get("action")))
    return Reply(200, market.study_wire(study))


@_route("GET", f"/studies/{_ID}/access-details-progress/")
def _progress(asked: Request) -> Reply:
    return Reply(200, {"id": asked.ids[0], "progress": asked.market.progress(asked.ids[0])})


@_route("GET", "/submissions/")
def _submissions(asked: Request) -> Reply:
    if "study" not in asked.query:
        raise refuse("study", "This field is required.")
    market = asked.market
    found = market.of_study(market.study(asked.query["study"]).study_id)
    for submission in found:
        submission.read()
    return _page([one.wire_in_list() for one in found], asked)


@_route("GET", f"/submissions/{_ID}/")
def _submission(asked: Request) -> Reply:
    return Reply(200, _read(asked).wire())


@_route("POST", f"/submissions/{_ID}/transition/")
def _move_submission(asked: Request) -> Reply:
    submission = asked.market.submission(asked.ids[0])
    submission.change_state(asked.body)
    return Reply(200, submission.wire())


@_route("POST", f"/submissions/{_ID}/request-return/")
def _request_return(asked: Request) -> Reply:
    submission = asked.market.submission(asked.ids[0])
    submission.return_requested = submission.completed_at
    return Reply(200, submission.wire())


@_route("POST", "/submissions/bulk-approve/")
def _approve(asked: Request) -> Reply:
    asked.market.approve(asked.body)
    return Reply(200, "The request to approve these submissions is in progress.")


@_route("POST", "/submissions/bonus-payments/")
def _set_up_bonuses(asked: Request) -> Reply:
    study_id, csv = (str(asked.body.get(name, "")) for name in ("study_id", "csv_bonuses"))
    made = asked.market.set_up_bonuses(study_id, csv)
    wire = {"id": made.set_id, "study": study_id, "amount": made.amount}
    return Reply(201, {**wire, "fees": 0, "vat": 0, "total_amount": made.amount})


@_route("POST", f"/bulk-bonus-payments/{_ID}/pay/")
def _pay_bonuses(asked: Request) -> Reply:
    asked.market.pay_bonuses(asked.ids[0])
    return Reply(202, "The bonuses are being paid.")


@_route("POST", "/messages/")
def _message(asked: Request) -> Reply:
    asked.market.messages.append(asked.body)
    return Reply(204, None)


def _read(asked: Request) -> Submission:
    submission = asked.market.submission(asked.ids[0])
    submission.read()
    return submission


def _number(asked: Request, name: str) -> int:
    value = asked.body.get(name)
    if not isinstance(value, int) or value < 1:
        raise refuse(name, "A valid integer is required.")
    return value


def _page(rows: list[Any], asked: Request) -> Reply:
    """One page of a list; there is none behind the last one."""
    size = int(asked.query.get("page_size", asked.query.get("limit", _PAGE)))
    page = int(asked.query.get("page", 1))
    if page > 1 and (page - 1) * size >= len(rows):
        raise not_found()
    after = f"?page={page + 1}&page_size={size}" if page * size < len(rows) else None
    links = {"next": {"href": after, "title": "Next"}}
    shown = rows[(page - 1) * size : page * size]
    return Reply(200, {"results": shown, "_links": links, "meta": {"count": len(rows)}})


def _reply(market: Market, token: str, asked: BaseHTTPRequestHandler, raw: bytes) -> Reply:
    given = asked.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Token {token}".encode()):
        raise RefusalError("Authentication credentials were not provided.", status=401)
    address = urlsplit(asked.path)
    query = {name: values[-1] for name, values in parse_qs(address.query).items()}
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        raise RefusalError("JSON parse error.") from None
    if not isinstance(body, dict):
        raise RefusalError("An object is expected.")
    for method, pattern, action in _ROUTES:
        matched = pattern.fullmatch(address.path)
        if matched and method == asked.command:
            with market.lock:
                return action(Request(market, matched.groups(), query, body))
    raise not_found()


def _handler(market: Market, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            page = page_for(market, self.path, self.headers.get("Cookie", ""))
            if page is not None and self.command == "GET":
                self._show(page)
                return
            length = min(int(self.headers.get("Content-Length") or 0), _LONGEST_BODY)
            try:
                reply = _reply(market, token, self, self.rfile.read(length))
            except RefusalError as refused:
                reply = Reply(refused.status, refused.body)
            body = b"" if reply.body is None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
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

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - names of the base class

        def log_message(self, *parts: object) -> None:
            """Say nothing: a request's address may name a person."""

    return Handler


@contextmanager
def serving(market: Market, *, token: str, port: int = 0) -> Iterator[str]:
    """Serve `market` in a thread; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(market, token))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
