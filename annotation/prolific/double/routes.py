"""Answers of the double at each address of Prolific's API."""

import hmac
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from annotation.prolific.double.contract import Operation, body_of, described_operations, query_of
from annotation.prolific.double.links import key_set
from annotation.prolific.double.market import Market
from annotation.prolific.double.refusals import RefusalError, not_found
from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.studies import LEAST_PAY, cost
from annotation.prolific.double.submissions import Submission

#: Where the keys of signed links are.
KEYS = "/.well-known/study/jwks.json"
_UPLOADS = "/uploads/"
_PAGE = 20


class Request(NamedTuple):
    """A request that was let in: what its address names, its query and its body."""

    market: Market
    ids: tuple[str, ...]
    query: dict[str, str]
    body: dict[str, Any]
    #: The market's own address, as the caller names it.
    origin: str


class Reply(NamedTuple):
    status: int
    body: Any
    headers: tuple[tuple[str, str], ...] = ()


_Action = Callable[[Request], Reply]
_DESCRIBED = {(operation.method, operation.path): operation for operation in described_operations()}
_ROUTES: list[tuple[Operation, _Action]] = []


def route(method: str, path: str) -> Callable[[_Action], _Action]:
    def register(action: _Action) -> _Action:
        _ROUTES.append((_DESCRIBED[method, f"/api/v1{path}"], action))
        return action

    return register


@route("GET", "/users/me/")
def _me(request: Request) -> Reply:
    return Reply(200, {"id": request.market.owner_id, "email": "researcher@example.org"})


@route("GET", "/workspaces/")
def _workspaces(request: Request) -> Reply:
    return Reply(200, {"results": [{"id": request.market.workspace_id, "title": "Rehearsal"}]})


@route("GET", "/workspaces/{workspace_id}/balance/")
def _balance(request: Request) -> Reply:
    if request.ids[0] != request.market.workspace_id:
        raise not_found()
    balance = request.market.balance
    wire = {"currency_code": request.market.currency, "total_balance": balance}
    return Reply(200, {**wire, "available_balance": balance})


@route("GET", "/workspaces/{workspace_id}/projects/")
def _projects(request: Request) -> Reply:
    if request.ids[0] != request.market.workspace_id:
        raise not_found()
    project = {"id": request.market.owner_id, "title": "Project", "type": "PUBLIC"}
    return Reply(200, {"results": [project]})


@route("GET", "/filters/")
def _filters(request: Request) -> Reply:
    return Reply(200, {"results": request.market.filters})


@route("GET", "/reward-recommendations/")
def _recommendation(request: Request) -> Reply:
    least = {"min_reward_per_hour": LEAST_PAY, "recommended_reward_per_hour": LEAST_PAY * 3 // 2}
    return Reply(200, [{"currency": request.market.currency, **least}])


@route("POST", "/study-cost-calculator/")
def _cost(request: Request) -> Reply:
    places, reward = (_number(request, name) for name in ("total_available_places", "reward"))
    return Reply(200, {"total_cost": cost(reward, places)})


@route("POST", "/studies/")
def _create(request: Request) -> Reply:
    market = request.market
    return Reply(201, market.study_wire(market.create_study(request.body)))


@route("GET", "/studies/")
def _list(request: Request) -> Reply:
    market, state = request.market, request.query.get("state")
    studies = [study for study in market.studies.values() if state in {None, study.status}]
    return Reply(200, {"results": [market.study_wire(study) for study in studies]})


@route("GET", "/studies/{id}/")
def _study(request: Request) -> Reply:
    return Reply(200, request.market.study_wire(request.market.study(request.ids[0])))


@route("PATCH", "/studies/{id}/")
def _change(request: Request) -> Reply:
    market = request.market
    return Reply(200, market.study_wire(market.change_study(request.ids[0], request.body)))


@route("DELETE", "/studies/{id}/")
def _delete(request: Request) -> Reply:
    request.market.delete_study(request.ids[0])
    return Reply(204, None)


@route("POST", "/studies/{id}/transition/")
def _move(request: Request) -> Reply:
    market = request.market
    study = market.move_study(request.ids[0], str(request.body.get("action")))
    return Reply(200, market.study_wire(study))


@route("GET", "/studies/{id}/access-details-progress/")
def _progress(request: Request) -> Reply:
    return Reply(200, {"id": request.ids[0], "progress": request.market.progress(request.ids[0])})


@route("GET", "/submissions/")
def _submissions(request: Request) -> Reply:
    market = request.market
    submissions = market.of_study(market.study(request.query["study"]).study_id)
    for submission in submissions:
        submission.read()
    return _page([submission.wire_in_list() for submission in submissions], request)


@route("GET", "/submissions/{id}/")
def _submission(request: Request) -> Reply:
    return Reply(200, _read(request).wire())


@route("POST", "/submissions/{id}/transition/")
def _move_submission(request: Request) -> Reply:
    submission = request.market.submission(request.ids[0])
    submission.change_state(request.body)
    return Reply(200, submission.wire())


@route("POST", "/submissions/{id}/request-return/")
def _request_return(request: Request) -> Reply:
    submission = request.market.submission(request.ids[0])
    submission.return_requested = submission.completed_at
    return Reply(200, submission.wire())


@route("POST", "/submissions/bulk-approve/")
def _approve(request: Request) -> Reply:
    request.market.approve(request.body)
    return Reply(200, "The request to approve these submissions is in progress.")


@route("POST", "/submissions/bonus-payments/")
def _set_up_bonuses(request: Request) -> Reply:
    study_id, csv = (str(request.body.get(name, "")) for name in ("study_id", "csv_bonuses"))
    made = request.market.set_up_bonuses(study_id, csv)
    wire = {"id": made.set_id, "study": study_id, "amount": made.amount}
    return Reply(201, {**wire, "fees": made.fees, "vat": 0, "total_amount": made.total})


@route("POST", "/bulk-bonus-payments/{id}/pay/")
def _pay_bonuses(request: Request) -> Reply:
    request.market.pay_bonuses(request.ids[0])
    return Reply(202, "The bonuses are being paid.")


@route("GET", "/participant-groups/")
def _groups(request: Request) -> Reply:
    if request.query.get("workspace_id") != request.market.workspace_id:
        raise not_found()
    return Reply(200, {"results": [group.wire() for group in request.market.groups.values()]})


@route("POST", "/participant-groups/")
def _create_group(request: Request) -> Reply:
    return Reply(201, request.market.create_group(request.body).wire())


@route("POST", "/participant-groups/{id}/participants/")
def _add_to_group(request: Request) -> Reply:
    people = request.body.get("participant_ids") or []
    group = request.market.add_to_group(request.ids[0], people)
    return Reply(200, {"results": group.people_wire()})


@route("GET", "/hooks/secrets/")
def _event_secrets(request: Request) -> Reply:
    hooks = request.market.hooks
    if request.query["workspace_id"] != hooks.workspace_id:
        raise not_found()
    return Reply(200, {"results": [hooks.secret_wire()] if hooks.secret else []})


@route("POST", "/hooks/secrets/")
def _make_event_secret(request: Request) -> Reply:
    return Reply(201, request.market.hooks.make_secret(str(request.body.get("workspace_id"))))


@route("GET", "/hooks/subscriptions/")
def _subscriptions(request: Request) -> Reply:
    hooks = request.market.hooks
    is_ours = request.query.get("workspace_id", hooks.workspace_id) == hooks.workspace_id
    subscriptions = hooks.subscriptions.values() if is_ours else ()
    return Reply(200, {"results": [subscription.wire() for subscription in subscriptions]})


@route("POST", "/hooks/subscriptions/")
def _subscribe(request: Request) -> Reply:
    made = request.market.hooks.subscribe(request.body)
    return Reply(201, {"results": [made.wire()]}, (("X-Hook-Secret", made.secret),))


@route("POST", "/hooks/subscriptions/{subscription_id}/")
def _confirm(request: Request) -> Reply:
    subscription = request.market.hooks.confirm(request.ids[0], request.body.get("secret"))
    return Reply(200, subscription.wire())


@route("DELETE", "/hooks/subscriptions/{subscription_id}/")
def _unsubscribe(request: Request) -> Reply:
    subscription = request.market.hooks.subscription(request.ids[0])
    del request.market.hooks.subscriptions[subscription.subscription_id]
    return Reply(204, None)


@route("GET", "/hooks/subscriptions/{subscription_id}/events/")
def _events(request: Request) -> Reply:
    events = request.market.hooks.subscription(request.ids[0]).events
    first = int(request.query.get("offset", 0))
    page = events[first : first + int(request.query.get("limit", _PAGE))]
    return Reply(200, {"results": [event.wire() for event in page]})


@route("POST", "/messages/")
def _message(request: Request) -> Reply:
    request.market.messages.append(request.body)
    return Reply(204, None)


def _read(request: Request) -> Submission:
    submission = request.market.submission(request.ids[0])
    submission.read()
    return submission


def _number(request: Request, name: str) -> int:
    value = request.body.get(name)
    if not isinstance(value, int) or value < 1:
        raise refuse(name, "A valid integer is required.")
    return value


def _page(rows: list[Any], request: Request) -> Reply:
    """One page of a list; there is none behind the last one."""
    size = int(request.query.get("page_size", _PAGE))
    page = int(request.query.get("page", 1))
    if page > 1 and (page - 1) * size >= len(rows):
        raise not_found()
    after = f"?page={page + 1}&page_size={size}" if page * size < len(rows) else None
    links = {"next": {"href": after, "title": "Next"}}
    results = rows[(page - 1) * size : page * size]
    return Reply(200, {"results": results, "_links": links, "meta": {"count": len(rows)}})


def _take_upload(market: Market, request: BaseHTTPRequestHandler, raw: bytes) -> Reply:
    """Take a file at an address that was given; its signature opens it, and a token is refused."""
    address = urlsplit(request.path)
    key = address.path.removeprefix(_UPLOADS)
    if not address.path.startswith(_UPLOADS) or address.query != f"signature={key}":
        raise RefusalError("The signature does not match.", status=403)
    if "Authorization" in request.headers or request.headers.get("Content-Type") != "text/csv":
        raise RefusalError("These headers were not signed.", status=403)
    with market.lock:
        market.tasks.upload(key, raw)
    return Reply(200, None)


def reply_to(market: Market, token: str, request: BaseHTTPRequestHandler, raw: bytes) -> Reply:
    """The answer to a request, whose bytes are `raw`; `RefusalError` is one, too."""
    if request.path == KEYS:
        return Reply(200, key_set())
    if request.command == "PUT":
        return _take_upload(market, request, raw)
    authorization = request.headers.get("Authorization", "")
    if not hmac.compare_digest(authorization.encode(), f"Token {token}".encode()):
        raise RefusalError("Authentication credentials were not provided.", status=401)
    address = urlsplit(request.path)
    for operation, action in _ROUTES:
        matched = operation.pattern.fullmatch(address.path)
        if matched and operation.method == request.command:
            query = query_of(operation, address.query)
            body = body_of(operation, raw, request.headers.get("Content-Type", ""))
            origin = f"http://{request.headers.get('Host', '')}"
            with market.lock:
                try:
                    return action(Request(market, matched.groups(), query, body, origin))
                finally:
                    market.tell()
    raise not_found()
