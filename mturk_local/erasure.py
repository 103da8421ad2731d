"""Identity of a worker over all channels, and erasing all of it at once.

A part of the second API, see `people`. A requester can ask about people who have worked for them,
came by their channels, or were sent by their site.
"""

from typing import Any

from django.db import transaction
from django.db.models import Q

from mturk_local.errors import RequestError, does_not_exist
from mturk_local.models import Assignment, EntryChannel, KeyPair, Requester, Withdrawal, Worker
from mturk_local.protocol.paging import page_of
from mturk_local.workers import AtWorkError, is_at_work, worker_erase

_PAGE = 1_000


def find_person(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`WorkerId`: return all workers of the same person, and reasons against forgetting them.

    `Member` is the requester's name for the person, if its site sent them, or "".
    """
    workers = _person(key.requester, str(params["WorkerId"]))
    prefix = _members(key.requester)
    members = [worker.person for worker in workers if worker.person.startswith(prefix)]
    return {
        "WorkerIds": [worker.worker_id for worker in workers],
        "Member": members[0].removeprefix(prefix) if members else "",
        "AtWork": any(is_at_work(worker) for worker in workers),
        "Elsewhere": _works_elsewhere(key.requester, workers),
    }


def forget_person(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`WorkerId`: erase the person's identity in every channel; doing it twice is not an error.

    People who also work for another requester are refused, as their account is not this requester's
    to delete.
    """
    workers = _person(key.requester, str(params["WorkerId"]))
    if _works_elsewhere(key.requester, workers):
        raise RequestError("The person works for others, too.", turk_code="WorksElsewhere")
    try:
        with transaction.atomic(using="crowd"):
            for worker in workers:
                worker_erase(worker=worker)
    except AtWorkError:
        raise RequestError("The person works, or waits for pay.", turk_code="AtWork") from None
    return {"Forgotten": [worker.worker_id for worker in workers]}


def list_withdrawals(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """Each answer that its worker has withdrawn; without `AssignmentId`, a worker who was erased.

    Those workers wished to be erased, also by the requester.
    """
    request = {"NextToken": str(params.get("NextToken") or ""), "MaxResults": _PAGE}
    withdrawals = Withdrawal.objects.filter(requester=key.requester)
    page, token = page_of(withdrawals, request, listing="withdrawals")
    return {
        "Withdrawals": [
            {"WorkerId": withdrawal.worker_id, "AssignmentId": withdrawal.assignment_id}
            for withdrawal in page
        ],
        "NextToken": token,
    }


def _person(requester: Requester, worker_id: str) -> list[Worker]:
    """Return all workers of the worker's person; refuse people whom the requester cannot know."""
    known = (
        Q(assignments__hit__requester=requester)
        | Q(arrivals__channel__requester=requester)
        | Q(visits__panel__channel__requester=requester)
        | Q(qualifications__type__requester=requester)
        | Q(person__startswith=_members(requester))
    )
    worker = (
        Worker.objects.exclude(entry_channel=EntryChannel.SIMULATED)
        .filter(known, worker_id=worker_id)
        .first()
    )
    if worker is None:
        raise does_not_exist("Worker", worker_id)
    return list(Worker.objects.filter(person=worker.person).order_by("pk"))


def _members(requester: Requester) -> str:
    """Return the prefix of persons whom the requester's own site has signed in."""
    return f"member:{requester.pk}:"


def _works_elsewhere(requester: Requester, workers: list[Worker]) -> bool:
    work = Assignment.objects.filter(worker__in=workers)
    return work.exclude(hit__requester=requester).exists()
