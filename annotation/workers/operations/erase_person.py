"""Erasing a worker's personal data: one job over the site's database and the crowd service's.

Each step can be repeated, and the worker's row is deleted last: until then an interrupted attempt
is continued.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.accounts.operations.erase_account import check_account_may_go, erase_account
from annotation.core.access import is_staff
from annotation.core.operations import NotPermittedError, Operation, Result, Run, checkpoint
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.crowd.connection import people_at_local_crowd
from annotation.crowd.people import Person
from annotation.models import Batch, CrowdSnapshot, Worker
from annotation.vocabulary import Environment, TaskKind
from annotation.workers.operations.erasure import (
    Erasure,
    batches_among,
    batches_of,
    check_may_be_erased,
    erase_workers,
    nobody_here,
)
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class ErasePersonParameters:
    worker: int = parameter(**ROW_NUMBER, help_text="Number of the worker.")
    everywhere: bool = parameter(
        False,
        label="In all studies, with the account of this site",
        help_text="For members of staff; otherwise in the study of the batch.",
    )


class ErasePerson(Operation[Batch, ErasePersonParameters]):
    """Delete the worker's personal data in the study, for good; votes and money stay.

    Once no study knows the worker, our own crowd service forgets who it was, in every channel by
    which the person came.
    """

    name = "erase personal data"
    command = "worker erase"
    title = "Delete personal data"
    queued = "Deleting the worker's personal data. Votes and money stay, under another name."
    subject = Batch
    parameters = ErasePersonParameters
    job = TaskKind.ERASE

    def clean(self, subject: Batch, parameters: ErasePersonParameters) -> ErasePersonParameters:
        """Refuse a worker who is not a person, or waits for pay, before anything is queued."""
        worker = Worker.objects.filter(pk=parameters.worker).first()
        if worker is not None:
            mine = batches_among(worker=worker, batches=_batches(subject, parameters))
            if not mine and batches_of(worker=worker).exists():
                raise nobody_here()
            check_may_be_erased(worker=worker, batches=mine)
        return parameters

    def run(self, subject: Batch, parameters: ErasePersonParameters, run: Run) -> Result:
        user = run.actor.user
        if parameters.everywhere and user is not None and not is_staff(user):
            raise NotPermittedError(f"{run.actor.name} may delete in their own study only.")
        worker = Worker.objects.filter(pk=parameters.worker).first()
        if worker is None:  # an earlier attempt was completed
            return _result(Erasure(0, 0, 0), is_whole=True)
        batches = _batches(subject, parameters)
        person = _person(worker)
        workers = _workers(worker, person)
        is_whole = not any(
            batches_of(worker=member).exclude(pk__in=batches.order_by().values("pk")).exists()
            for member in workers
        )
        account = _account(person) if parameters.everywhere else None
        _check(person if is_whole else None, account)
        batches_by_worker = {
            member: batches_among(worker=member, batches=batches) for member in workers
        }

        def beside() -> None:
            if account is not None:
                erase_account(user=account)
            checkpoint(run.advance)

        total = erase_workers(
            batches_by_worker=batches_by_worker,
            gone=workers[1:],
            actor=run.actor.name,
            beside=beside,
        )
        if is_whole:
            if person is not None and not person.works_elsewhere:
                people_at_local_crowd().forget_person(worker.worker_id)
            # Copies of the person's messages are refreshed without them.
            CrowdSnapshot.objects.all().delete()
            worker.delete()
        return _result(total, is_whole=is_whole and not (person and person.works_elsewhere))


def _batches(batch: Batch, parameters: ErasePersonParameters) -> QuerySet[Batch]:
    """Return the batches within the requester's reach: those of a study, or all."""
    if parameters.everywhere:
        return Batch.everything.all()
    return Batch.everything.filter(study=batch.study_id)


def _person(worker: Worker) -> Person | None:
    """Return the worker's person at our own crowd service, if known there."""
    if worker.environment != Environment.LOCAL:
        return None
    return people_at_local_crowd().find_person(worker.worker_id)


def _workers(worker: Worker, person: Person | None) -> list[Worker]:
    """Return the worker, then the person's other workers."""
    ids = person.worker_ids if person else ()
    others = Worker.objects.filter(environment=worker.environment, worker_id__in=ids)
    return [worker, *others.exclude(pk=worker.pk).order_by("pk")]


def _account(person: Person | None) -> User | None:
    """The account of this site by which the person came to the crowd service."""
    number = person.member if person else ""
    return User.objects.filter(pk=int(number)).first() if number.isdecimal() else None


def _check(person: Person | None, account: User | None) -> None:
    """Raise `InputError` where the crowd service, or the account, cannot be erased yet."""
    if person is not None and person.is_at_work and not person.works_elsewhere:
        raise InputError(
            "the person has a HIT at the crowd service, or waits there for pay.",
            remedy="Collect, approve or reject the answers, and ask again.",
        )
    if account is not None:
        check_account_may_go(user=account)


def _result(done: Erasure, *, is_whole: bool) -> Result:
    values = {"batches": done.batches, "answers": done.answers, "votes": done.votes}
    return Result(
        {**values, "crowd_forgot": is_whole},
        f"erased in {done.batches} batches; {done.votes} votes and {done.answers} answers stay, "
        "under another name.",
        note="" if is_whole else "Other studies, or other requesters, know the person still.",
    )


ERASE_PERSON = ErasePerson()
