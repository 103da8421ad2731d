"""The market's studies: terms of drafts, states and costs."""

from dataclasses import dataclass, field
from typing import Any

from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.refusals import field as refuse

_REQUIRED = (
    "name", "description", "prolific_id_option", "completion_codes",
    "total_available_places", "estimated_completion_time", "reward",
)  # fmt: skip
_ID_OPTIONS = ("question", "url_parameters", "not_required")
_CODE_TYPES = (
    "COMPLETED", "FAILED_ATTENTION_CHECK", "FOLLOW_UP_STUDY", "GIVE_BONUS", "INCOMPATIBLE_DEVICE",
    "NO_CONSENT", "OTHER", "FIXED_SCREENOUT", "SCREENED_IN", "SCREENED_OUT",
)  # fmt: skip
#: (action, state before) -> state after.
_TRANSITIONS = {
    ("PUBLISH", "UNPUBLISHED"): "ACTIVE",
    ("SCHEDULE_PUBLISH", "UNPUBLISHED"): "SCHEDULED",
    ("CANCEL_PUBLISH", "SCHEDULED"): "UNPUBLISHED",
    ("PAUSE", "ACTIVE"): "PAUSED",
    ("START", "PAUSED"): "ACTIVE",
    ("STOP", "ACTIVE"): "COMPLETED",
    ("STOP", "PAUSED"): "COMPLETED",
    ("STOP", "AWAITING REVIEW"): "COMPLETED",
}
#: Terms that may be changed after publication.
_CHANGEABLE = {"internal_name", "total_available_places", "access_details", "submissions_config"}
#: Per hour, in subunits of either currency.
LEAST_PAY = 600
#: A third of the reward, as for universities; taxes are left out.
FEE = 1 / 3


@dataclass
class Study:
    """One study; `terms` is what the researcher sent."""

    study_id: str
    terms: dict[str, Any]
    created_at: str
    status: str = "UNPUBLISHED"
    published_at: str | None = None
    #: Participants sent to each of several addresses.
    allocated: dict[str, int] = field(default_factory=dict)

    @property
    def places(self) -> int:
        return int(self.terms["total_available_places"])

    @property
    def cost(self) -> int:
        """For all places, with the fee, in subunits."""
        return cost(int(self.terms["reward"]), self.places)

    def wire(self, places_taken: int) -> dict[str, Any]:
        return {
            "internal_name": None,
            "external_study_url": "",
            **self.terms,
            "id": self.study_id,
            "status": self.status,
            "total_cost": self.cost,
            "places_taken": places_taken,
            "number_of_submissions": places_taken,
            "published_at": self.published_at,
            "date_created": self.created_at,
        }

    def change_state(self, action: str) -> None:
        if action not in {known for known, _ in _TRANSITIONS}:
            raise refuse("action", f'"{action}" is not a valid choice.')
        after = _TRANSITIONS.get((action, self.status))
        if after is None:
            raise RefusalError(f"{action} is not possible while the study is {self.status}.")
        self.status = after

    def change(self, members: dict[str, Any]) -> None:
        """Change terms as PATCH does: any of a draft, few of a published study."""
        if self.status != "UNPUBLISHED":
            for name in members.keys() - _CHANGEABLE:
                raise refuse(name, "This cannot be changed once the study is published.")
            if members.get("total_available_places", self.places) < self.places:
                raise refuse("total_available_places", "Places can only be added.")
        terms = {**self.terms, **members}
        check_terms(terms)
        has_grown = terms["total_available_places"] > self.places
        self.terms = terms
        if has_grown and self.status in {"COMPLETED", "AWAITING REVIEW"}:
            self.status = "ACTIVE"


def cost(reward: int, places: int) -> int:
    """Subunits that `places` places of `reward` subunits cost with the fee."""
    return places * round(reward * (1 + FEE))


def check_terms(terms: dict[str, Any]) -> None:
    """Refuse terms that Prolific refuses."""
    for name in _REQUIRED:
        if terms.get(name) in (None, "", []):
            raise refuse(name, "This field is required.")
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        if not isinstance(terms[name], int) or terms[name] < 1:
            raise refuse(name, "A valid integer is required.")
    if terms["prolific_id_option"] not in _ID_OPTIONS:
        raise refuse("prolific_id_option", f'"{terms["prolific_id_option"]}" is not valid.')
    if terms["reward"] * 60 < LEAST_PAY * terms["estimated_completion_time"]:
        raise refuse("reward", "The reward is below the minimum of 6.00 an hour.")
    _check_addresses(terms)
    _check_codes(terms["completion_codes"])


def _check_addresses(terms: dict[str, Any]) -> None:
    details = terms.get("access_details")
    if terms.get("data_collection_method"):
        if details or terms.get("external_study_url"):
            raise refuse("data_collection_method", "Give either this or an address.")
        return
    if bool(details) == bool(terms.get("external_study_url")):
        raise refuse("external_study_url", "Give either this or access_details.")
    if (
        details
        and sum(detail["total_allocation"] for detail in details) != terms["total_available_places"]
    ):
        raise refuse("access_details", "The allocations must add up to the places.")


def _check_codes(codes: Any) -> None:
    if not isinstance(codes, list) or not codes:
        raise refuse("completion_codes", "At least one code is required.")
    seen = set()
    for code in codes:
        if code.get("code_type") not in _CODE_TYPES:
            raise refuse("completion_codes", f'"{code.get("code_type")}" is not a valid type.')
        if code.get("code") in seen:
            raise refuse("completion_codes", "Codes must be unique within the study.")
        seen.add(code.get("code"))
        actions = {action.get("action") for action in code.get("actions", ())}
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= actions:
            raise refuse("completion_codes", "A code is approved or reviewed, not both.")
