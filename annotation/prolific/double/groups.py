"""Groups of participants, and the filters that admit or exclude them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"


@dataclass
class Group:
    """One group; `people` are moments by participant."""

    group_id: str
    name: str
    workspace_id: str
    people: dict[str, str] = field(default_factory=dict)

    def add(self, participants: Iterable[str]) -> None:
        """Add participants; who is in it stays as of before."""
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        self.people |= {
            participant: now for participant in participants if participant not in self.people
        }

    def wire(self) -> dict[str, Any]:
        return {
            "id": self.group_id,
            "name": self.name,
            "workspace_id": self.workspace_id,
            "participant_count": len(self.people),
            "is_deleted": False,
            "feeder_studies": [],
        }

    def people_wire(self) -> list[dict[str, str]]:
        return [
            {"participant_id": participant, "datetime_created": at}
            for participant, at in self.people.items()
        ]


def groups_named(terms: Mapping[str, Any], filter_id: str) -> list[str]:
    """Ids of the groups that a filter of the study names."""
    filters = terms.get("filters") or ()
    named = (entry for entry in filters if entry.get("filter_id") == filter_id)
    return [group for entry in named for group in entry.get("selected_values", ())]


def may_come(participant: str, terms: Mapping[str, Any], groups: Mapping[str, Group]) -> bool:
    """Return whether the study's filters of groups admit the participant."""
    admitted, left_out = (
        [participant in groups[group_id].people for group_id in groups_named(terms, filter_id)]
        for filter_id in (ALLOWLIST, BLOCKLIST)
    )
    return not any(left_out) and (not admitted or any(admitted))
