"""Eligibility of a worker: who may work now, and which requirements of a HIT type they meet."""

from collections.abc import Callable
from typing import Any

from mturk_local.models import (
    Assignment,
    AssignmentState,
    EntryChannel,
    HITType,
    PanelVisit,
    VisitState,
    Worker,
)
from mturk_local.qualifications import (
    ADULT,
    LOCALE,
    MASTERS,
    NUMBER_APPROVED,
    PERCENT_APPROVED,
    Held,
    Locale,
    guards,
    meets,
)

#: Number of reviewed assignments below which everybody's approval rate is 100 %.
_FIRST_HUNDRED = 100
#: States of visits that participants left before the end.
LEFT = (VisitState.DECLINED, VisitState.WITHDRAWN)


def has_left(worker: Worker, *, is_locked: bool = False) -> bool:
    """Return whether a panel's participant has left their newest visit: no code pays for a task.

    `is_locked` keeps them from leaving until the end of the transaction.
    """
    if worker.entry_channel != EntryChannel.PANEL:
        return False
    visits = PanelVisit.objects.filter(worker=worker)
    latest = (visits.select_for_update() if is_locked else visits).last()
    return latest is not None and latest.state in LEFT


class Standing:
    """A worker's qualifications; looked up once per request and qualification."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._granted: dict[str, int] | None = None
        self._judged: tuple[int, int] | None = None

    def unmet(self, hit_type: HITType, action: str) -> list[dict[str, Any]]:
        """The requirements that forbid the worker to `Accept`, `Preview` or `Discover`."""
        return [
            requirement
            for requirement in hit_type.qualification_requirements
            if guards(requirement, action)
            and not meets(requirement, self.held(requirement["QualificationTypeId"]))
        ]

    def held(self, type_id: str) -> Held:
        if system := _SYSTEM.get(type_id):
            return system(self)
        if self._granted is None:
            rows = self._worker.qualifications.filter(granted=True)
            self._granted = dict(rows.values_list("type__qualification_type_id", "value"))
        return self._granted.get(type_id)

    def locale(self) -> Held:
        worker = self._worker
        return Locale(worker.country, worker.subdivision) if worker.country else None

    def adult(self) -> Held:
        return 1 if self._worker.adult else None

    def masters(self) -> Held:
        return 1 if self._worker.masters else None

    def number_approved(self) -> Held:
        return self._counts()[0]

    def percent_approved(self) -> Held:
        approved, rejected = self._counts()
        if approved + rejected < _FIRST_HUNDRED:
            return 100
        return 100 * approved // (approved + rejected)

    def _counts(self) -> tuple[int, int]:
        """Count the worker's approved and rejected assignments."""
        if self._judged is None:
            mine = Assignment.objects.filter(worker=self._worker)
            self._judged = (
                mine.filter(state=AssignmentState.APPROVED).count(),
                mine.filter(state=AssignmentState.REJECTED).count(),
            )
        return self._judged


_SYSTEM: dict[str, Callable[[Standing], Held]] = {
    LOCALE: Standing.locale,
    ADULT: Standing.adult,
    NUMBER_APPROVED: Standing.number_approved,
    PERCENT_APPROVED: Standing.percent_approved,
    **dict.fromkeys(MASTERS, Standing.masters),
}
