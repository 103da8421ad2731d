"""The only caller of Prolific's API (v1). Money is in subunits (cents) of the workspace's currency.

Reading calls are repeated while the service is busy or down. A changing call is sent once: its
outcome is then known, or `OutcomeUnknownError` is raised.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import urllib3

from annotation.prolific.wire import (
    MarketBonuses,
    MarketGroup,
    MarketStudy,
    MarketSubmission,
    Subscription,
)
from metrics.errors import InputError

LIVE = "https://api.prolific.com"
#: The most submissions of one call, and the most rows of one set of bonuses.
MOST_APPROVED, MOST_BONUSES = 1_000, 200
_PAGE = 100
_ID = re.compile(r"[0-9a-f]{24}")
_READ_AGAIN = urllib3.Retry(
    total=4, backoff_factor=0.5, status_forcelist=(429, 502, 503, 504), allowed_methods=["GET"],
    raise_on_status=False, redirect=False,
)  # fmt: skip
_ONCE = urllib3.Retry(0, redirect=False)
#: Most events to read, those of a day; if more were missed, the studies are read.
_MOST_PAGES_OF_EVENTS = 20


class ProlificError(InputError):
    """Prolific did not do what was requested."""


class RefusedError(ProlificError):
    """Nothing happened; `status` is that of HTTP, 0 where nothing was sent.

    `is_certain`: nothing was sent, or Prolific itself says why not. A bare status may come from a
    proxy, although the request had its effect.
    """

    def __init__(
        self, message: str, *, status: int, is_certain: bool = True, remedy: str = ""
    ) -> None:
        self.status, self.is_certain = status, is_certain
        super().__init__(message, remedy=remedy)


class BusyError(RefusedError):
    """Nothing happened, because the workspace's wallet is busy: try again later."""


class OutcomeUnknownError(ProlificError):
    """No usable answer: the request may or may not have had its effect."""


class FromWire(Protocol):
    """An answer of Prolific as a value."""

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self: ...


Wire = TypeVar("Wire", bound=FromWire)


class Prolific:
    """One researcher's access. The token is in no message and no representation."""

    def __init__(self, token: str, *, address: str = LIVE, timeout: float = 20.0) -> None:
        self.address = address.rstrip("/")
        if self.address != LIVE and urlsplit(address).hostname not in {"127.0.0.1", "localhost"}:
            raise InputError(
                f"{address} is neither Prolific nor a rehearsal on this machine.",
                remedy=f"The address of Prolific is {LIVE}.",
            )
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(timeout),
            headers={
                "Authorization": f"Token {token}",
                "User-Agent": "Fairpool (+https://pypi.org/project/fairpool/)",
                "Content-Type": "application/json",
            },
        )

    @property
    def is_rehearsal(self) -> bool:
        return self.address != LIVE

    def account(self) -> str:
        """Return the e-mail address of the token's owner."""
        return str(member_of(self._get("users/me/"), "email"))

    def workspaces(self) -> dict[str, str]:
        """Titles by id."""
        rows = self._list("workspaces/")
        return {str(member_of(row, "id")): str(member_of(row, "title")) for row in rows}

    def balance(self, workspace_id: str) -> tuple[int, str]:
        """Subunits that can be spent, and the currency."""
        wire = self._get(f"workspaces/{_checked(workspace_id)}/balance/")
        return _cents(wire, "available_balance"), str(member_of(wire, "currency_code"))

    def project(self, workspace_id: str) -> str:
        """The id of the workspace's first project; the workspace pays for what is in it."""
        rows = self._list(f"workspaces/{_checked(workspace_id)}/projects/")
        if not rows:
            raise InputError("the workspace has no project.", remedy="Make one at Prolific.")
        return str(member_of(rows[0], "id"))

    def cost(self, *, reward: int, places: int) -> int:
        """Cost of `places` places of `reward` each, with fees and taxes."""
        body = {"reward": reward, "total_available_places": places}
        return _cents(self._send("POST", "study-cost-calculator/", body), "total_cost")

    def filters(self) -> list[dict[str, Any]]:
        return checked_rows(self._get("filters/"))

    def create_study(self, terms: dict[str, Any]) -> MarketStudy:
        """Create a draft, which is found again only by its `internal_name`: see `named`."""
        return made_of(MarketStudy, self._send("POST", "studies/", terms))

    def named(self, internal_name: str) -> list[MarketStudy]:
        """Return all studies with `internal_name`, in any state."""
        studies = [made_of(MarketStudy, row) for row in self._list("studies/")]
        return [study for study in studies if study.internal_name == internal_name]

    def study(self, study_id: str) -> MarketStudy:
        return made_of(MarketStudy, self._get(f"studies/{_checked(study_id)}/"))

    def move_study(self, study_id: str, action: str) -> MarketStudy:
        """`action`: PUBLISH, PAUSE, START or STOP."""
        wire = self._send("POST", f"studies/{_checked(study_id)}/transition/", {"action": action})
        return made_of(MarketStudy, wire)

    def change_study(self, study_id: str, **members: Any) -> MarketStudy:
        wire = self._send("PATCH", f"studies/{_checked(study_id)}/", members)
        return made_of(MarketStudy, wire)

    def submissions(self, study_id: str) -> Iterator[MarketSubmission]:
        pages = self._pages(f"submissions/?study={_checked(study_id)}")
        return (made_of(MarketSubmission, row) for row in pages)

    def submission(self, submission_id: str) -> MarketSubmission:
        return made_of(MarketSubmission, self._get(f"submissions/{_checked(submission_id)}/"))

    def approve(self, submission_ids: list[str]) -> None:
        """Ask for the approval of up to `MOST_APPROVED`; reading them says when it is done."""
        ids = [_checked(submission_id) for submission_id in submission_ids]
        self._send("POST", "submissions/bulk-approve/", {"submission_ids": ids})

    def reject(self, submission_id: str, *, category: str, message: str) -> None:
        body = {"action": "REJECT", "rejection_category": category, "message": message}
        self._send("POST", f"submissions/{_checked(submission_id)}/transition/", body)

    def request_return(self, submission_id: str, reason: str) -> None:
        body = {"request_return_reasons": [reason]}
        self._send("POST", f"submissions/{_checked(submission_id)}/request-return/", body)

    def groups(self, workspace_id: str) -> list[MarketGroup]:
        """The workspace's groups of participants, also those that we made; no deleted ones."""
        path = f"participant-groups/?workspace_id={_checked(workspace_id)}"
        groups = [made_of(MarketGroup, row) for row in checked_rows(self._get(path))]
        return [group for group in groups if not group.is_deleted]

    def create_group(self, workspace_id: str, name: str) -> MarketGroup:
        """Create an empty group, which is found again only by its name, although not unique."""
        body = {"workspace_id": workspace_id, "name": name}
        return made_of(MarketGroup, self._send("POST", "participant-groups/", body))

    def add_to_group(self, group_id: str, participant_ids: list[str]) -> None:
        """Add participants; those who are in it already stay."""
        body = {"participant_ids": [_checked(participant_id) for participant_id in participant_ids]}
        self._send("POST", f"participant-groups/{_checked(group_id)}/participants/", body)

    def set_up_bonuses(self, study_id: str, amounts: dict[str, int]) -> MarketBonuses:
        """Set up bonuses by submission, without paying them; repeating is harmless."""
        # Prolific takes decimals of the currency here, and nowhere else.
        rows = (
            f"{_checked(submission_id)},{cents // 100}.{cents % 100:02}"
            for submission_id, cents in amounts.items()
        )
        body = {"study_id": _checked(study_id), "csv_bonuses": "\n".join(rows)}
        wire = self._send("POST", "submissions/bonus-payments/", body)
        total = _cents(wire, "total_amount")
        amount = _cents(wire, "amount") if "amount" in wire else total
        return MarketBonuses(str(member_of(wire, "id")), amount, total)

    def pay_bonuses(self, set_id: str) -> None:
        """Pay the set. Each call pays it again, so nobody may call this twice."""
        self._send("POST", f"bulk-bonus-payments/{_checked(set_id)}/pay/", None)

    def event_secret(self, workspace_id: str) -> str:
        """Return the secret that signs the workspace's events; make one only where there is none.

        A new one replaces the old at once, for everybody who depends on it.
        """
        known = self.known_event_secret(workspace_id)
        if known is not None:
            return known
        return _secret(self._send("POST", "hooks/secrets/", {"workspace_id": workspace_id}))

    def known_event_secret(self, workspace_id: str) -> str | None:
        """The secret that signs the workspace's events; None where it has none. Only reads."""
        for row in checked_rows(self._get(f"hooks/secrets/?workspace_id={_checked(workspace_id)}")):
            if member_of(row, "workspace_id") == workspace_id:
                return _secret(row)
        return None

    def subscriptions(self, workspace_id: str) -> list[Subscription]:
        path = f"hooks/subscriptions/?workspace_id={_checked(workspace_id)}"
        subscriptions = [made_of(Subscription, row) for row in checked_rows(self._get(path))]
        return [
            subscription
            for subscription in subscriptions
            if subscription.workspace_id == workspace_id
        ]

    def subscribe(self, workspace_id: str, *, event_type: str, target: str) -> None:
        """Have events of this type sent to `target` from now on."""
        body = {"event_type": event_type, "target_url": target, "workspace_id": workspace_id}
        reply = self._reply("POST", "hooks/subscriptions/", json.dumps(body).encode(), _ONCE)
        # It is sent here alone, and shows that the subscriber has the token.
        secret, wire = reply.headers.get("X-Hook-Secret", ""), _body(reply)
        made = made_of(Subscription, checked_rows(wire)[0] if "results" in wire else wire)
        self._send(
            "POST", f"hooks/subscriptions/{_checked(made.subscription_id)}/", {"secret": secret}
        )

    def unsubscribe(self, subscription_id: str) -> None:
        self._send("DELETE", f"hooks/subscriptions/{_checked(subscription_id)}/", None)

    def events(self, subscription_id: str) -> Iterator[dict[str, Any]]:
        """Yield the events for a subscription, sent or to be sent, the newest first."""
        for number in range(_MOST_PAGES_OF_EVENTS):
            path = f"hooks/subscriptions/{_checked(subscription_id)}/events/"
            try:
                page = checked_rows(self._get(f"{path}?limit={_PAGE}&offset={number * _PAGE}"))
            except RefusedError as error:
                if number and error.status == 404:  # noqa: PLR2004 - behind the last one
                    return
                raise
            yield from page
            if len(page) < _PAGE:
                return

    def _list(self, path: str) -> list[dict[str, Any]]:
        """Return the rows of a list that Prolific describes as one page, following its links.

        Raises `OutcomeUnknownError` where Prolific says that there are more than it gives.
        """
        wire = self._get(path)
        rows, links = checked_rows(wire), set[str]()
        while (href := _next(wire)) and href not in links:
            links.add(href)
            # Only the query of its link is used: the token is sent nowhere else.
            wire = self._get(f"{path.partition('?')[0]}?{urlsplit(href).query}")
            rows += checked_rows(wire)
        count = (wire.get("meta") or {}).get("count")
        if isinstance(count, int) and count > len(rows):
            raise _lacking(f"{count - len(rows)} of {count} rows")
        return rows

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        """The rows of all pages of a list. A page behind the last one is not there."""
        join = "&" if "?" in path else "?"
        number = 1
        while True:
            wire = self._get(f"{path}{join}page={number}&page_size={_PAGE}")
            yield from checked_rows(wire)
            if not _next(wire):
                return
            number += 1

    def _get(self, path: str) -> Any:
        return self._call("GET", path, None, _READ_AGAIN)

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        raw = None if body is None else json.dumps(body).encode()
        return self._call(method, path, raw, _ONCE)

    def _call(self, method: str, path: str, body: bytes | None, retry: urllib3.Retry) -> Any:
        return _body(self._reply(method, path, body, retry))

    def _reply(
        self, method: str, path: str, body: bytes | None, retry: urllib3.Retry
    ) -> urllib3.BaseHTTPResponse:
        """Return the answer of a successful call."""
        try:
            reply = self._pool.request(
                method, f"{self.address}/api/v1/{path}", body=body, retries=retry
            )
        except urllib3.exceptions.NewConnectionError:
            raise _away() from None
        except urllib3.exceptions.HTTPError as error:
            if isinstance(getattr(error, "reason", None), urllib3.exceptions.NewConnectionError):
                raise _away() from None
            raise OutcomeUnknownError(
                f"Prolific gave no usable answer ({type(error).__name__}).",
                remedy="Nothing is sent again until it is known whether this arrived.",
            ) from None
        if reply.status // 100 == 4:  # noqa: PLR2004 - refused
            raise _refusal(reply.status, reply.data)
        if reply.status // 100 != 2:  # noqa: PLR2004 - done
            raise OutcomeUnknownError(f"Prolific answered with HTTP status {reply.status}.")
        return reply


def _body(reply: urllib3.BaseHTTPResponse) -> Any:
    try:
        return json.loads(reply.data) if reply.data else None
    except ValueError:
        raise OutcomeUnknownError(
            "Prolific's answer is not JSON.",
            remedy="A proxy may have answered; nothing is sent again before the outcome is known.",
        ) from None


def made_of(kind: type[Wire], wire: Any) -> Wire:
    """Parse an answer; raise an error where a member is missing or malformed."""
    try:
        return kind.from_wire(wire)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _lacking(type(error).__name__) from None


def member_of(wire: Any, name: str) -> Any:
    """Return a member of an answer; raise an error where it is missing."""
    if not isinstance(wire, dict) or name not in wire:
        raise _lacking(name)
    return wire[name]


def _secret(wire: Any) -> str:
    value = member_of(wire, "value")
    if not isinstance(value, str) or not value:
        raise _lacking("value")
    return value


def checked_rows(wire: Any) -> list[dict[str, Any]]:
    """Return the rows of a list; raise an error where it is none."""
    rows = member_of(wire, "results")
    if not isinstance(rows, list):
        raise _lacking("results")
    return rows


def _next(wire: dict[str, Any]) -> str:
    """Where the next page of a list is, as Prolific links it; "" behind the last one."""
    return str((wire.get("_links", {}).get("next") or {}).get("href") or "")


def _cents(wire: Any, name: str) -> int:
    amount = member_of(wire, name)
    if isinstance(amount, bool) or not isinstance(amount, int | float) or amount != round(amount):
        raise _lacking(name)
    return round(amount)


def _lacking(what: str) -> OutcomeUnknownError:
    return OutcomeUnknownError(
        f"Prolific's answer does not say what it should ({what}).",
        remedy="A proxy may have answered; nothing is sent again before the outcome is known.",
    )


def _away() -> RefusedError:
    return RefusedError(
        "nobody answers at Prolific's address.", status=0, remedy="Nothing was sent. Try later."
    )


def _refusal(status: int, data: bytes) -> RefusedError:
    detail = _detail(data)
    text, is_certain = f"Prolific refused: {detail or f'HTTP status {status}'}.", bool(detail)
    match status:
        case 401 | 403:
            remedy = "Make a new token in Prolific's settings, and store it here."
            return RefusedError(text, status=status, is_certain=is_certain, remedy=remedy)
        case 429:
            remedy = "Nothing happened. Try again in a minute."
            return BusyError(text, status=status, is_certain=is_certain, remedy=remedy)
    return RefusedError(text, status=status, is_certain=is_certain)


def _detail(data: bytes) -> str:
    """The text of an error, whichever of its shapes it has."""
    try:
        wire = json.loads(data)
    except ValueError:
        return ""
    if not isinstance(wire, dict):
        return ""
    inner = wire.get("error")
    detail = inner.get("detail") if isinstance(inner, dict) else wire.get("detail")
    if isinstance(detail, dict):
        detail = [f"{name}: {' '.join(map(str, texts))}" for name, texts in detail.items()]
    if isinstance(detail, list):
        detail = "; ".join(map(str, detail))
    return str(detail or "").rstrip(".")[:500]


def _checked(name: str) -> str:
    """Check an id, since it becomes part of an address."""
    if not _ID.fullmatch(name):
        raise InputError(f"{name[:40]!r} is not an id of Prolific (24 hexadecimal characters).")
    return name
