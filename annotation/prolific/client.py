"""The only caller of Prolific's API (v1). Money is in subunits (cents) of the workspace's currency.

A call that only reads is repeated while the service is busy or away. One that changes something is
sent once: whether it had its effect is then known, or `OutcomeUnknownError` says that it is not.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import urllib3

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


class ProlificError(InputError):
    """Prolific did not do what it was asked."""


class RefusedError(ProlificError):
    """Nothing happened; `status` is that of HTTP."""

    def __init__(self, message: str, *, status: int, remedy: str = "") -> None:
        self.status = status
        super().__init__(message, remedy=remedy)


class BusyError(RefusedError):
    """Nothing happened, because too much happens on the workspace's wallet: later it will."""


class OutcomeUnknownError(ProlificError):
    """No usable answer: what was asked for may or may not have happened."""


@dataclass(frozen=True)
class MarketStudy:
    """A study as Prolific has it. `status` is in its words."""

    study_id: str
    name: str
    internal_name: str
    status: str
    reward: int
    places: int
    places_taken: int
    total_cost: int

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            study_id=wire["id"],
            name=wire["name"],
            internal_name=wire.get("internal_name") or "",
            status=wire.get("status") or "",
            reward=round(wire.get("reward") or 0),
            places=round(wire.get("total_available_places") or 0),
            places_taken=round(wire.get("places_taken") or 0),
            total_cost=round(wire.get("total_cost") or 0),
        )


@dataclass(frozen=True)
class MarketSubmission:
    """One participant in one study. Lists do not say `bonuses`: they are None then."""

    submission_id: str
    participant_id: str
    status: str
    code: str
    bonuses: tuple[int, ...] | None
    #: ISO 8601, or "".
    started_at: str = ""
    completed_at: str = ""

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        bonuses = wire.get("bonus_payments")
        return cls(
            submission_id=wire["id"],
            # Lists and single submissions call these differently.
            participant_id=wire.get("participant_id") or wire.get("participant") or "",
            status=wire["status"],
            code=wire.get("study_code") or wire.get("entered_code") or "",
            bonuses=None if bonuses is None else tuple(round(amount) for amount in bonuses),
            started_at=wire.get("started_at") or "",
            completed_at=wire.get("completed_at") or "",
        )


@dataclass(frozen=True)
class MarketBonuses:
    """A set of bonuses that was set up and not paid; `total` is with fees and taxes."""

    set_id: str
    amount: int
    total: int


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
        """The address of e-mail of whom the token belongs to."""
        return str(self._get("users/me/")["email"])

    def workspaces(self) -> dict[str, str]:
        """Titles by id."""
        return {one["id"]: one["title"] for one in self._get("workspaces/?limit=1000")["results"]}

    def balance(self, workspace_id: str) -> tuple[int, str]:
        """Subunits that can be spent, and the currency."""
        wire = self._get(f"workspaces/{_checked(workspace_id)}/balance/")
        return int(wire["available_balance"]), str(wire["currency_code"])

    def project(self, workspace_id: str) -> str:
        """The id of the workspace's first project; the workspace pays for what is in it."""
        return str(self._get(f"workspaces/{_checked(workspace_id)}/projects/")["results"][0]["id"])

    def cost(self, *, reward: int, places: int) -> int:
        """Cost of `places` places of `reward` each, with fees and taxes."""
        body = {"reward": reward, "total_available_places": places}
        return int(self._send("POST", "study-cost-calculator/", body)["total_cost"])

    def filters(self) -> list[dict[str, Any]]:
        return list(self._get("filters/")["results"])

    def create_study(self, terms: dict[str, Any]) -> MarketStudy:
        """A draft. Not found again but by its `internal_name`: see `named`."""
        return MarketStudy.from_wire(self._send("POST", "studies/", terms))

    def named(self, internal_name: str) -> list[MarketStudy]:
        """All studies that carry `internal_name`, whatever became of them."""
        studies = map(MarketStudy.from_wire, self._pages("studies/"))
        return [study for study in studies if study.internal_name == internal_name]

    def study(self, study_id: str) -> MarketStudy:
        return MarketStudy.from_wire(self._get(f"studies/{_checked(study_id)}/"))

    def move_study(self, study_id: str, action: str) -> MarketStudy:
        """`action`: PUBLISH, PAUSE, START or STOP."""
        wire = self._send("POST", f"studies/{_checked(study_id)}/transition/", {"action": action})
        return MarketStudy.from_wire(wire)

    def change_study(self, study_id: str, **members: Any) -> MarketStudy:
        wire = self._send("PATCH", f"studies/{_checked(study_id)}/", members)
        return MarketStudy.from_wire(wire)

    def submissions(self, study_id: str) -> Iterator[MarketSubmission]:
        pages = self._pages(f"submissions/?study={_checked(study_id)}")
        return map(MarketSubmission.from_wire, pages)

    def submission(self, submission_id: str) -> MarketSubmission:
        return MarketSubmission.from_wire(self._get(f"submissions/{_checked(submission_id)}/"))

    def approve(self, submission_ids: list[str]) -> None:
        """Ask for the approval of up to `MOST_APPROVED`; reading them says when it is done."""
        ids = [_checked(one) for one in submission_ids]
        self._send("POST", "submissions/bulk-approve/", {"submission_ids": ids})

    def reject(self, submission_id: str, *, category: str, message: str) -> None:
        body = {"action": "REJECT", "rejection_category": category, "message": message}
        self._send("POST", f"submissions/{_checked(submission_id)}/transition/", body)

    def request_return(self, submission_id: str, reason: str) -> None:
        body = {"request_return_reasons": [reason]}
        self._send("POST", f"submissions/{_checked(submission_id)}/request-return/", body)

    def set_up_bonuses(self, study_id: str, amounts: dict[str, int]) -> MarketBonuses:
        """A set of bonuses by submission, of which nothing is paid yet; harmless if repeated."""
        # Prolific takes decimals of the currency here, and nowhere else.
        rows = (
            f"{_checked(one)},{cents // 100}.{cents % 100:02}" for one, cents in amounts.items()
        )
        body = {"study_id": _checked(study_id), "csv_bonuses": "\n".join(rows)}
        wire = self._send("POST", "submissions/bonus-payments/", body)
        return MarketBonuses(
            wire["id"], round(wire.get("amount", wire["total_amount"])), round(wire["total_amount"])
        )

    def pay_bonuses(self, set_id: str) -> None:
        """Pay the set. Each call pays it again, so nobody may call this twice."""
        self._send("POST", f"bulk-bonus-payments/{_checked(set_id)}/pay/", {})

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        """The rows of all pages of a list. A page behind the last one is not there."""
        join = "&" if "?" in path else "?"
        number = 1
        while True:
            wire = self._get(f"{path}{join}page={number}&page_size={_PAGE}")
            yield from wire["results"]
            if not (wire.get("_links", {}).get("next") or {}).get("href"):
                return
            number += 1

    def _get(self, path: str) -> Any:
        return self._call("GET", path, None, _READ_AGAIN)

    def _send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        return self._call(method, path, json.dumps(body).encode(), urllib3.Retry(0, redirect=False))

    def _call(self, method: str, path: str, body: bytes | None, retry: urllib3.Retry) -> Any:
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
                remedy="Nothing is sent again before it is known whether this arrived.",
            ) from None
        if reply.status // 100 == 4:  # noqa: PLR2004 - refused
            raise _refusal(reply.status, reply.data)
        if reply.status // 100 != 2:  # noqa: PLR2004 - done
            raise OutcomeUnknownError(f"Prolific answered with HTTP status {reply.status}.")
        try:
            return json.loads(reply.data) if reply.data else None
        except ValueError:
            raise OutcomeUnknownError(
                "Prolific's answer is no JSON.",
                remedy="A proxy may stand between; nothing is sent again before it is known.",
            ) from None


def _away() -> RefusedError:
    return RefusedError(
        "nobody answers at Prolific's address.", status=0, remedy="Nothing was sent. Try later."
    )


def _refusal(status: int, data: bytes) -> RefusedError:
    text = f"Prolific refused: {_detail(data) or f'HTTP status {status}'}."
    match status:
        case 401 | 403:
            remedy = "Make a new token in Prolific's settings, and store it here."
            return RefusedError(text, status=status, remedy=remedy)
        case 429:
            return BusyError(text, status=status, remedy="Nothing happened. Try again in a minute.")
    return RefusedError(text, status=status)


def _detail(data: bytes) -> str:
    """The text of an error, whichever of its shapes it has."""
    try:
        wire = json.loads(data)
    except ValueError:
        return ""
    if not isinstance(wire, dict):
        return ""
    inner = wire.get("error")
    found = inner.get("detail") if isinstance(inner, dict) else wire.get("detail")
    if isinstance(found, dict):
        found = [f"{name}: {' '.join(map(str, texts))}" for name, texts in found.items()]
    if isinstance(found, list):
        found = "; ".join(map(str, found))
    return str(found or "").rstrip(".")[:500]


def _checked(name: str) -> str:
    """Ids go into addresses: nothing but an id may."""
    if not _ID.fullmatch(name):
        raise InputError(f"{name[:40]!r} is not an id of Prolific (24 hexadecimal characters).")
    return name
