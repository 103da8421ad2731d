"""Collecting what workers handed in: every answer is kept, and becomes votes or says why not.

Collecting again changes nothing. The first collected vote of a worker on a query counts; HITs are
collected in the order of the batch. What somebody has rejected casts no vote that counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, F, Prefetch, Q, QuerySet

from annotation.models import HIT, Assignment, Batch, HITQuery, Vote, Worker
from annotation.mturk.answers import UnreadableAnswerError, read_fields
from annotation.mturk.errors import CrowdError, CrowdStopError
from annotation.mturk.gateway import CrowdAssignment
from annotation.services.audit import money_note
from annotation.services.comprehension import comprehension_decide
from annotation.services.crowd import gateway_of_batch
from annotation.services.forgotten import forgotten_id
from annotation.services.keeping_out import keep_out_who_did_their_share
from annotation.task_page import AnswerError, read_answer
from annotation.vocabulary import AssignmentState, Environment, WorkerKind

#: The crowd service gives ids with this start to workers that `simulate_workers` plays.
SIMULATED_PREFIX = "ASIM"


@dataclass
class CollectReport:
    """What one run found. `incomplete` maps the id of a HIT to why its list could not be read.

    `tested` requests for the comprehension check were decided.
    """

    hits: int = 0
    new: int = 0
    votes: int = 0
    quarantined: int = 0
    tested: int = 0
    incomplete: dict[str, str] = field(default_factory=dict)


def batch_collect(
    *, batch_id: int, actor: str, advance: Callable[[int], object] = lambda _n: None
) -> CollectReport:
    """Fetch what is new in every HIT that is not complete; `advance` is called for each of them."""
    batch = Batch.objects.get(pk=batch_id)
    gateway = gateway_of_batch(batch)
    report = CollectReport(tested=comprehension_decide(batch=batch, gateway=gateway))
    for hit in hits_open(batch):
        try:
            found = gateway.assignments(str(hit.hit_id))
        except CrowdStopError:
            raise
        except CrowdError as error:
            report.incomplete[str(hit.hit_id)] = error.message
        else:
            _store(hit, found, report)
        report.hits += 1
        advance(1)
    keep_out_who_did_their_share(batch=batch, gateway=gateway)
    # Without new answers, known ones may have been paid at the crowd since: that is written down.
    money_note(
        batch=batch,
        actor=actor,
        action="answers collected",
        detail={"new": report.new, "votes": report.votes, "quarantined": report.quarantined},
        only_if_changed=not report.new,
    )
    return report


def hits_open(batch: Batch) -> QuerySet[HIT]:
    """The HITs from which something may still come: until all their answers are reviewed."""
    final = Q(assignments__state__in=(AssignmentState.APPROVED, AssignmentState.REJECTED))
    places = Prefetch("places", HITQuery.objects.order_by("place"))
    return (
        batch.hits.filter(hit_id__isnull=False)
        .annotate(n_final=Count("assignments", filter=final))
        .filter(n_final__lt=F("max_assignments"))
        .order_by("index")
        .select_related("batch")
        .prefetch_related(places)
    )


def _store(hit: HIT, found: Sequence[CrowdAssignment], report: CollectReport) -> None:
    """Keep the new answers of one HIT and the new states of known ones.

    The number of statements does not depend on the number of answers, and rows that another
    collector stores at the same time are left as they are.
    """
    known: dict[tuple[str, str], tuple[int, str]] = {}
    forgotten: set[str] = set()
    for assignment_id, worker_id, is_forgotten, pk, state in hit.assignments.order_by().values_list(
        "assignment_id", "worker__worker_id", "worker__forgotten", "pk", "state"
    ):
        known[assignment_id, worker_id] = (pk, state)
        if is_forgotten:
            forgotten.add(assignment_id)
    # The crowd goes on listing the answers of people whose data were deleted: they stay deleted.
    found = [one for one in found if forgotten_id(one.assignment_id) not in forgotten]
    new = sorted(
        (one for one in found if (one.assignment_id, _storable(one.worker_id)) not in known),
        key=lambda one: (one.submitted_at is None, one.submitted_at, one.assignment_id),
    )
    moved: dict[str, list[int]] = {}
    for one in found:
        pk, state = known.get((one.assignment_id, _storable(one.worker_id)), (0, one.status))
        if state != one.status:
            moved.setdefault(one.status, []).append(pk)
    if not new and not moved:
        return
    with transaction.atomic():
        for state, keys in moved.items():
            Assignment.objects.filter(pk__in=keys).update(state=state)
            if state == AssignmentState.REJECTED:
                # Somebody did so at the crowd itself, past `reject_assignment`.
                Vote.objects.filter(assignment__in=keys).update(counts=False)
        if new:
            _store_new(hit, new, report)


def _store_new(hit: HIT, new: Sequence[CrowdAssignment], report: CollectReport) -> None:
    environment = hit.batch.environment
    workers = _workers_ensure(environment, {_storable(one.worker_id) for one in new})
    query_ids = [place.query_id for place in hit.places.all()]
    read = [_read(one.answer, len(query_ids)) for one in new]
    Assignment.objects.bulk_create(
        (
            Assignment(
                hit=hit,
                worker_id=workers[_storable(one.worker_id)],
                assignment_id=one.assignment_id,
                state=one.status,
                accepted_at=one.accepted_at,
                submitted_at=one.submitted_at,
                answer_xml=_storable(one.answer),
                problem=_storable(problem),
            )
            for one, (_categories, problem) in zip(new, read, strict=True)
        ),
        ignore_conflicts=True,
    )
    stored = {
        (assignment_id, worker_id): pk
        for assignment_id, worker_id, pk in hit.assignments.order_by().values_list(
            "assignment_id", "worker_id", "pk"
        )
    }
    votes = [
        Vote(
            query_id=query_id,
            worker_id=worker_id,
            assignment_id=stored[one.assignment_id, worker_id],
            category=category,
            counts=one.status != AssignmentState.REJECTED,
        )
        for one, (categories, _problem) in zip(new, read, strict=True)
        for worker_id in (workers[_storable(one.worker_id)],)
        for query_id, category in zip(query_ids, categories, strict=False)
    ]
    _votes_record(votes)
    report.new += len(new)
    report.votes += len(votes)
    report.quarantined += sum(1 for _categories, problem in read if problem)


def _votes_record(votes: Sequence[Vote]) -> None:
    """Store the votes; where the worker has voted on the query before, as one that counts not.

    The constraint decides, so that of two collectors at once one vote counts, and only one. A vote
    stored by the first statement is left alone by the second: query and assignment are unique.
    """
    Vote.objects.bulk_create((vote for vote in votes if vote.counts), ignore_conflicts=True)
    for vote in votes:
        vote.counts = False
    Vote.objects.bulk_create(votes, ignore_conflicts=True)


def _workers_ensure(environment: str, worker_ids: set[str]) -> dict[str, int]:
    """The workers' keys by id. What a worker is, is decided when it is first met."""
    ordered = sorted(worker_ids)
    Worker.objects.bulk_create(
        (
            Worker(environment=environment, worker_id=one, kind=_kind(environment, one))
            for one in ordered
        ),
        ignore_conflicts=True,
    )
    met = Worker.objects.filter(environment=environment, worker_id__in=ordered)
    return dict(met.values_list("worker_id", "pk"))


def _kind(environment: str, worker_id: str) -> WorkerKind:
    # Only our own service hands out such ids on purpose; at Amazon it would be chance.
    if environment == Environment.LOCAL and worker_id.startswith(SIMULATED_PREFIX):
        return WorkerKind.SIMULATED
    return WorkerKind.HUMAN


def _read(answer: str, n_places: int) -> tuple[list[str], str]:
    """The categories of an answer, or none and the problem with it."""
    try:
        return read_answer(read_fields(answer), n_places), ""
    except (UnreadableAnswerError, AnswerError) as error:
        return [], str(error)


def _storable(text: str) -> str:
    """`text` without what no database takes: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
