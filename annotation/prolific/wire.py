"""Prolific's answers as values. Money is in subunits (cents)."""

from dataclasses import dataclass
from typing import Any, Self


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
    #: "" in lists, which are of one study.
    study_id: str = ""
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
            study_id=wire.get("study_id") or "",
            started_at=wire.get("started_at") or "",
            completed_at=wire.get("completed_at") or "",
        )


@dataclass(frozen=True)
class MarketBonuses:
    """A set of bonuses that was set up and not paid; `total` is with fees and taxes."""

    set_id: str
    amount: int
    total: int


@dataclass(frozen=True)
class MarketGroup:
    """A group of participants, which filters admit or exclude."""

    group_id: str
    name: str
    n_people: int
    is_deleted: bool

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            group_id=wire["id"],
            name=wire["name"],
            n_people=round(wire.get("participant_count") or 0),
            is_deleted=bool(wire.get("is_deleted")),
        )


@dataclass(frozen=True)
class Subscription:
    """A subscription of one of our addresses to events of one type."""

    subscription_id: str
    event_type: str
    target: str
    workspace_id: str
    is_enabled: bool

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            subscription_id=wire.get("id") or "",
            event_type=wire["event_type"],
            target=wire["target_url"],
            workspace_id=wire["workspace_id"],
            is_enabled=bool(wire.get("is_enabled")),
        )
