"""Participants of panels, and their verification by a signature or the panel's list.

A part of the second API, see `people`. A requester sees only people who have accepted their HITs.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from mturk_local.errors import RequestError, ValidationError
from mturk_local.lifecycle.assignments import assignment_return
from mturk_local.models import (
    AssignmentState,
    EntryChannel,
    KeyPair,
    PanelVisit,
    Requester,
    Verification,
    Worker,
)
from mturk_local.protocol.paging import page_of

_PAGE = 1_000
MOST_SUBMISSIONS = 10_000
#: Verdicts on a submission, the strongest first.
_VERDICTS = {
    "approved": Verification.VERIFIED,
    "waiting": Verification.WAITING,
    "refused": Verification.REFUSED,
}
#: By participant, each (submission, verdict).
Listed = dict[str, list[tuple[str, Verification]]]


def list_participants(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """Each participant who has worked for the requester, with what is known of their identity."""
    request = {"NextToken": str(params.get("NextToken") or ""), "MaxResults": _PAGE}
    page, token = page_of(_participants(key.requester), request, listing="participants")
    return {
        "Participants": [
            {"WorkerId": participant.worker_id, "Verification": participant.verification}
            for participant in page
        ],
        "NextToken": token,
    }


def import_submissions(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`Submissions`: the panel's list of [participant, submission, verdict].

    Verdicts are `approved`, `waiting` and `refused`; `submission` may be empty. Participants of the
    list's panels who are not on it are refused, until a later list says otherwise. Whoever was
    approved stays so: `Kept` has the workers whom this list refuses. Doing it twice changes
    nothing. HITs held in visits that are over are free again.
    """
    listed = _read(params["Submissions"])
    outcome = _settle(key.requester, listed, stays=True)
    _give_back(key.requester, listed)
    return _checked(outcome)


def check_submissions(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """Reply to the list as `ImportSubmissions` does, and change nothing."""
    return _checked(_settle(key.requester, _read(params["Submissions"]), stays=False))


def _settle(requester: Requester, listed: Listed, *, stays: bool) -> dict[str, Any]:
    """Store the verdicts of a list and return their numbers; unless it `stays`, take it back."""
    with transaction.atomic(using="crowd"):
        verdicts, refused, n_matched = _verdicts(requester, listed)
        held = {worker: _settled(worker, verdict) for worker, verdict in verdicts.items()}
        transaction.set_rollback(not stays, using="crowd")
    kept = [worker for worker in refused if held[worker] == Verification.VERIFIED]
    names = Worker.objects.filter(pk__in=kept).order_by("worker_id")
    return _numbers([*held.values()]) | {
        "NotHere": len(listed) - n_matched,
        "Kept": list(names.values_list("worker_id", flat=True)),
        "Matched": n_matched,
    }


def _numbers(held: list[Verification]) -> dict[str, Any]:
    return {
        "Verified": held.count(Verification.VERIFIED),
        "Waiting": held.count(Verification.WAITING),
        "Refused": held.count(Verification.REFUSED),
    }


def _checked(outcome: dict[str, Any]) -> dict[str, Any]:
    if not outcome.pop("Matched"):
        raise RequestError("Nobody on this list has come here by a panel.", turk_code="OtherPanel")
    return outcome


def _settled(worker: int, verdict: Verification) -> Verification:
    """Return the worker's new verification: a verified worker stays verified."""
    unproved = Worker.objects.filter(pk=worker).exclude(verification=Verification.VERIFIED)
    return verdict if unproved.update(verification=verdict) else Verification.VERIFIED


def _give_back(requester: Requester, listed: Listed) -> None:
    """Free the tasks held in visits whose submission the list refuses."""
    over = {
        submission: name
        for name, submissions in listed.items()
        for submission, verdict in submissions
        if submission and verdict == Verification.REFUSED
    }
    visits = PanelVisit.objects.filter(
        worker__in=_participants(requester), worker__assignments__state=AssignmentState.ACCEPTED
    )
    for visit in visits.distinct().select_related("panel", "worker"):
        if over.get(visit.session) != visit.worker.person.removeprefix(f"{visit.panel.provider}:"):
            continue
        # A person who has come again holds it in the later visit.
        latest = visit.worker.visits.order_by("pk").last()
        if latest is None or latest.pk != visit.pk:
            continue
        for assignment in visit.worker.assignments.filter(
            state=AssignmentState.ACCEPTED,
            hit__requester=requester,
            accepted_at__gte=visit.started_at,
        ):
            assignment_return(assignment=assignment, now=timezone.now())


def _participants(requester: Requester) -> QuerySet[Worker]:
    return Worker.objects.filter(
        entry_channel=EntryChannel.PANEL, assignments__hit__requester=requester
    ).distinct()


def _read(submissions: Any) -> Listed:
    """By participant, each (submission, verdict)."""
    if not isinstance(submissions, list) or len(submissions) > MOST_SUBMISSIONS:
        raise ValidationError(f"Submissions is a list of up to {MOST_SUBMISSIONS:,}.")
    by_participant: Listed = defaultdict(list)
    for row in submissions:
        if not isinstance(row, list) or len(row) != 3 or not all(isinstance(x, str) for x in row):  # noqa: PLR2004
            raise ValidationError("A submission is [participant, submission, verdict].")
        participant, submission, verdict = row
        if not participant or verdict not in _VERDICTS:
            raise ValidationError(f"A verdict is one of {', '.join(_VERDICTS)}.")
        by_participant[participant].append((submission, _VERDICTS[verdict]))
    return by_participant


def _verdicts(
    requester: Requester, listed: Listed
) -> tuple[dict[int, Verification], list[int], int]:
    """Return the verdict on each participant of the list's panels.

    And those whom the list itself refuses, and how many participants are on it.
    """
    visits = PanelVisit.objects.filter(worker__in=_participants(requester))
    matched: dict[int, list[Verification]] = defaultdict(list)
    panels: dict[int, set[int]] = defaultdict(set)
    about: set[int] = set()
    names: set[str] = set()
    for visit in visits.select_related("panel", "worker").order_by("pk"):
        name = visit.worker.person.removeprefix(f"{visit.panel.provider}:")
        verdicts = [
            verdict
            for submission, verdict in listed.get(name, ())
            if not submission or not visit.session or submission == visit.session
        ]
        panels[visit.worker_id].add(visit.panel_id)
        matched[visit.worker_id] += verdicts
        if verdicts:
            about.add(visit.panel_id)
            names.add(name)
    best = {worker: _best(matched[worker]) for worker, through in panels.items() if through & about}
    refused = [
        worker
        for worker, verdict in best.items()
        if verdict == Verification.REFUSED and matched[worker]
    ]
    return best, refused, len(names)


def _best(verdicts: Iterable[Verification]) -> Verification:
    held = set(verdicts)
    return next(
        (verdict for verdict in _VERDICTS.values() if verdict in held), Verification.REFUSED
    )
