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
    headers: tuple[tuple[str, str], ...] = ()


_Action = Callable[[Request], Reply]
_DESCRIBED = {(one.method, one.path): one for one in described_operations()}
_ROUTES: list[tuple[Operation, _Action]] = []


def _route(method: str, path: str) -> Callable[[_Action], _Action]:
    def register(action: _Action) -> _Action:
        _ROUTES.append((_DESCRIBED[method, f"/api/v1{path}"], action))
        return action

    return register


@_route("GET", "/users/me/")
def _me(asked: Request) -> Reply:
    return Reply(200, {"id": asked.market.owner_id, "email": "researcher@example.org"})


@_route("GET", "/workspaces/")
def _workspaces(asked: Request) -> Reply:
    return Reply(200, {"results": [{"id": asked.market.workspace_id, "title": "Rehearsal"}]})


@_route("GET", "/workspaces/{workspace_id}/balance/")
def _balance(asked: Request) -> Reply:
    if asked.ids[0] != asked.market.workspace_id:
        raise not_found()
    balance = asked.market.balance
    wire = {"currency_code": asked.market.currency, "total_balance": balance}
    return Reply(200, {**wire, "available_balance": balance})


@_route("GET", "/workspaces/{workspace_id}/projects/")
def _projects(asked: Request) -> Reply:
    if asked.ids[0] != asked.market.workspace_id:
        raise not_found()
    project = {"id": asked.market.owner_id, "title": "Project", "type": "PUBLIC"}
    return Reply(200, {"results": [project]})


@_route("GET", "/filters/")
def _filters(asked: Request) -> Reply:
    return Reply(200, {"results": asked.market.filters})


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
    return Reply(200, {"results": [market.study_wire(one) for one in studies]})


@_route("GET", "/studies/{id}/")
def _study(asked: Request) -> Reply:
    return Reply(200, asked.market.study_wire(asked.market.study(asked.ids[0])))


@_route("PATCH", "/studies/{id}/")
def _change(asked: Request) -> Reply:
    market = asked.market
    return Reply(200, market.study_wire(market.change_study(asked.ids[0], asked.body)))


@_route("DELETE", "/studies/{id}/")
def _delete(asked: Request) -> Reply:
    asked.market.delete_study(asked.ids[0])
    return Reply(204, None)


@_route("POST", "/studies/{id}/transition/")
def _move(asked: Request) -> Reply:
    market = asked.market
    study = market.move_study(asked.ids[0], str(asked.body.get("action")))
    return Reply(200, market.study_wire(study))


@_route("GET", "/studies/{id}/access-details-progress/")
def _progress(asked: Request) -> Reply:
    return Reply(200, {"id": asked.ids[0], "progress": asked.market.progress(asked.ids[0])})


@_route("GET", "/submissions/")
def _submissions(asked: Request) -> Reply:
    market = asked.market
    found = market.of_study(market.study(asked.query["study"]).study_id)
    for submission in found:
        submission.read()
    return _page([one.wire_in_list() for one in found], asked)


@_route("GET", "/submissions/{id}/")
def _submission(asked: Request) -> Reply:
    return Reply(200, _read(asked).wire())


@_route("POST", "/submissions/{id}/transition/")
def _move_submission(asked: Request) -> Reply:
    submission = asked.market.submission(asked.ids[0])
    submission.change_state(asked.body)
    return Reply(200, submission.wire())


@_route("POST", "/submissions/{id}/request-return/")
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
    return Reply(201, {**wire, "fees": made.fees, "vat": 0, "total_amount": made.total})


@_route("POST", "/bulk-bonus-payments/{id}/pay/")
def _pay_bonuses(asked: Request) -> Reply:
    asked.market.pay_bonuses(asked.ids[0])
    return Reply(202, "The bonuses are being paid.")


@_route("GET", "/participant-groups/")
def _groups(asked: Request) -> Reply:
    if asked.query.get("workspace_id") != asked.market.workspace_id:
        raise not_found()
    return Reply(200, {"results": [one.wire() for one in asked.market.groups.values()]})


@_route("POST", "/participant-groups/")
def _create_group(asked: Request) -> Reply:
    return Reply(201, asked.market.create_group(asked.body).wire())


@_route("POST", "/participant-groups/{id}/participants/")
def _add_to_group(asked: Request) -> Reply:
    people = asked.body.get("participant_ids") or []
    group = asked.market.add_to_group(asked.ids[0], people)
    return Reply(200, {"results": group.people_wire()})


@_route("GET", "/hooks/secrets/")
def _event_secrets(asked: Request) -> Reply:
    hooks = asked.market.hooks
    if asked.query["workspace_id"] != hooks.workspace_id:
        raise not_found()
    return Reply(200, {"results": [hooks.secret_wire()] if hooks.secret else []})


@_route("POST", "/hooks/secrets/")
def _make_event_secret(asked: Request) -> Reply:
    return Reply(201, asked.market.hooks.make_secret(str(asked.body.get("workspace_id"))))


@_route("GET", "/hooks/subscriptions/")
def _subscriptions(asked: Request) -> Reply:
    hooks = asked.market.hooks
    is_ours = asked.query.get("workspace_id", hooks.workspace_id) == hooks.workspace_id
    shown = hooks.subscriptions.values() if is_ours else ()
    return Reply(200, {"results": [one.wire() for one in shown]})


@_route("POST", "/hooks/subscriptions/")
def _subscribe(asked: Request) -> Reply:
    made = asked.market.hooks.subscribe(asked.body)
    return Reply(201, {"results": [made.wire()]}, (("X-Hook-Secret", made.secret),))


@_route("POST", "/hooks/subscriptions/{subscription_id}/")
def _confirm(asked: Request) -> Reply:
    found = asked.market.hooks.confirm(asked.ids[0], asked.body.get("secret"))
    return Reply(200, found.wire())


@_route("DELETE", "/hooks/subscriptions/{subscription_id}/")
def _unsubscribe(asked: Request) -> Reply:
    found = asked.market.hooks.subscription(asked.ids[0])
    del asked.market.hooks.subscriptions[found.subscription_id]
    return Reply(204, None)


@_route("GET", "/hooks/subscriptions/{subscription_id}/events/")
def _events(asked: Request) -> Reply:
    events = asked.market.hooks.subscription(asked.ids[0]).events
    first = int(asked.query.get("offset", 0))
    shown = events[first : first + int(asked.query.get("limit", _PAGE))]
    return Reply(200, {"results": [one.wire() for one in shown]})


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
    size = int(asked.query.get("page_size", _PAGE))
    page = int(asked.query.get("page", 1))
    if page > 1 and (page - 1) * size >= len(rows):
        raise not_found()
    after = f"?page={page + 1}&page_size={size}" if page * size < len(rows) else None
    links = {"next": {"href": after, "title": "Next"}}
    shown = rows[(page - 1) * size : page * size]
    return Reply(200, {"results": shown, "_links": links, "meta": {"count": len(rows)}})


def reply_to(market: Market, token: str, asked: BaseHTTPRequestHandler, raw: bytes) -> Reply:
    """The answer to a request, whose bytes are `raw`; `RefusalError` is one, too."""
    if asked.path == KEYS:
        return Reply(200, key_set())
    given = asked.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Token {token}".encode()):
        raise RefusalError("Authentication credentials were not provided.", status=401)
    address = urlsplit(asked.path)
    for operation, action in _ROUTES:
        matched = operation.pattern.fullmatch(address.path)
        if matched and operation.method == asked.command:
            query = query_of(operation, address.query)
            body = body_of(operation, raw, asked.headers.get("Content-Type", ""))
            with market.lock:
                try:
                    return action(Request(market, matched.groups(), query, body))
                finally:
                    market.tell()
    raise not_found()
