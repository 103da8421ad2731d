"""The life of a participant's submission."""

from dataclasses import dataclass, field
from typing import Any

from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.refusals import field as refuse

_REJECTION_CATEGORIES = (
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK",
    "LOW_EFFORT", "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
)  # fmt: skip
_SHORTEST_MESSAGE = 100
#: action -> (states before, state after); a submission that is there already stays.
_TRANSITIONS = {
    "APPROVE": (("AWAITING REVIEW",), "APPROVED"),
    "REJECT": (("AWAITING REVIEW",), "REJECTED"),
    "RETURN": (("ACTIVE", "RESERVED", "AWAITING REVIEW"), "RETURNED"),
    "START": (("RESERVED",), "ACTIVE"),
    "SCREEN_OUT": (("ACTIVE", "AWAITING REVIEW"), "SCREENED OUT"),
    "UNREJECT": (("REJECTED",), "AWAITING REVIEW"),
    "UNRETURN": (("RETURNED",), "AWAITING REVIEW"),
}
#: Statuses that keep their place; the places of others are free.
HOLDING = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED")


@dataclass
class Submission:
    """One participant in one study. Amounts are subunits of the currency."""

    submission_id: str
    study_id: str
    participant: str
    started_at: str
    status: str = "ACTIVE"
    completed_at: str | None = None
    code: str | None = None
    return_requested: str | None = None
    bonuses: list[int] = field(default_factory=list)
    #: Reads after which an accepted state or bonus shows.
    pending: list[tuple[int, str | int]] = field(default_factory=list)

    def read(self) -> None:
        """Count a read, which brings accepted changes nearer."""
        still = []
        for reads, effect in self.pending:
            if reads > 1:
                still.append((reads - 1, effect))
            elif isinstance(effect, int):
                self.bonuses.append(effect)
            elif self.status == "AWAITING REVIEW":
                self.status = effect
        self.pending = still

    def change_state(self, body: dict[str, Any]) -> None:
        action = body.get("action")
        if action not in _TRANSITIONS:
            raise refuse("action", f'"{action}" is not a valid choice.')
        before, after = _TRANSITIONS[action]
        if self.status == after:
            return
        if self.status not in before:
            raise RefusalError(f"{action} is not possible while it is {self.status}.")
        if action == "REJECT":
            if len(body.get("message", "")) < _SHORTEST_MESSAGE:
                raise refuse("message", "Ensure this field has at least 100 characters.")
            if body.get("rejection_category") not in _REJECTION_CATEGORIES:
                raise refuse("rejection_category", "This field is required.")
        self.status = after

    def submit(self, code: str, actions: set[str], now: str) -> None:
        """Submit with `code`, whose `actions` the study defines."""
        if self.status not in {"ACTIVE", "RESERVED"}:
            raise RefusalError(f"A submission that is {self.status} cannot be completed.")
        self.code, self.completed_at = code, now
        if "FIXED_SCREEN_OUT_PAYMENT" in actions:
            self.status = "SCREENED OUT"
        else:
            self.status = "APPROVED" if "AUTOMATICALLY_APPROVE" in actions else "AWAITING REVIEW"
        if "REQUEST_RETURN" in actions:
            self.return_requested = now

    def wire(self) -> dict[str, Any]:
        """Return the object at this submission's own address."""
        return {
            "id": self.submission_id,
            "study_id": self.study_id,
            "participant": self.participant,
            "status": self.status,
            "started_at": self.started_at,
            "completed_at": self.completed_at,
            "entered_code": self.code,
            "bonus_payments": self.bonuses,
            "return_requested": self.return_requested,
        }

    def wire_in_list(self) -> dict[str, Any]:
        """Return the object in lists, where two members have other names."""
        return {
            "id": self.submission_id,
            "participant_id": self.participant,
            "status": self.status,
            "started_at": self.started_at,
            "completed_at": self.completed_at,
            "has_siblings": False,
            "study_code": self.code,
            "return_requested": self.return_requested,
        }
