"""Collect what workers handed in.

Collecting again changes nothing. The first collected vote of a worker on a query counts; HITs are
collected in the order of the batch. What somebody has rejected casts no vote that counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

from django.db import transaction
from django.db.models import Count, F, Prefetch, Q, QuerySet

from annotation.batches.operations.approve import APPROVE, ApproveParameters, approve_waiting
from annotation.batches.operations.comprehension import comprehension_decide
from annotation.batches.operations.exclusion_qualification import exclude_who_did_their_share
from annotation.batches.operations.troubles import problem_of_hits
from annotation.batches.operations.verification import verifications_refresh
from annotation.core.audit import log_money_event
from annotation.core.consent import Estimate
from annotation.core.erased import erased_id
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.answers import UnreadableAnswerError, read_fields
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdError, CrowdStopError
from annotation.crowd.gateway import CrowdAssignment
from annotation.models import HIT, Abstention, Assignment, Batch, HITQuery, Vote, Worker
from annotation.task_page import CANNOT_TELL, Answer, AnswerError, read_answer
from annotation.vocabulary import (
    Action,
    AssignmentState,
    AuditAction,
    Environment,
    TaskKind,
    Verification,
    WorkerKind,
)

#: The crowd service gives ids with this start to workers that `simulate_workers` plays.
SIMULATED_PREFIX = "ASIM"
#: And ids with this start to participants of panels.
PANEL_PREFIX = "APANEL"


@dataclass
class CollectReport:
    """What one run found. `incomplete` maps the id of a HIT to why its list could not be read.

    `tested` requests for the comprehension check were decided.
    """

    hits: int = 0
    new: int = 0
    votes: int = 0
    cannot_tell: int = 0
    quarantined: int = 0
    tested: int = 0
    incomplete: dict[str, str] = field(default_factory=dict)


def batch_collect(
    *, batch_id: int, actor: str, advance: Callable[[int], object] = lambda _n: None
) -> CollectReport:
    """Fetch what is new in every HIT that is not complete; `advance` is called for each of them."""
    batch = Batch.objects.get(pk=batch_id)
    gateway = batch_gateway(batch)
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
    exclude_who_did_their_share(batch=batch, gateway=gateway)
    verifications_refresh(environment=batch.environment)
    # Without new answers, known ones may have been paid at the crowd since: that is written down.
    log_money_event(
        batch=batch,
        actor=actor,
        action=AuditAction.ANSWERS_COLLECTED,
        detail={
            "new": report.new,
            "votes": report.votes,
            "cannot_tell": report.cannot_tell,
            "quarantined": report.quarantined,
        },
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
    erased: set[str] = set()
    for assignment_id, worker_id, is_erased, pk, state in hit.assignments.order_by().values_list(
        "assignment_id", "worker__worker_id", "worker__is_erased", "pk", "state"
    ):
        known[assignment_id, worker_id] = (pk, state)
        if is_erased:
            erased.add(assignment_id)
    # The crowd goes on listing the answers of people whose data were deleted: they stay deleted.
    found = [one for one in found if erased_id(one.assignment_id) not in erased]
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
                Abstention.objects.filter(assignment__in=keys).update(counts=False)
        if new:
            _store_new(hit, new, report)


def _store_new(hit: HIT, new: Sequence[CrowdAssignment], report: CollectReport) -> None:
    environment = hit.batch.environment
    workers = _workers_ensure(environment, {_storable(one.worker_id) for one in new})
    query_ids = [place.query_id for place in hit.places.all()]
    needs_consent = bool(hit.batch.consent.strip())
    read = [_read(one.answer, len(query_ids), needs_consent=needs_consent) for one in new]
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
                comment=_storable(answer.comment),
            )
            for one, (answer, problem) in zip(new, read, strict=True)
        ),
        ignore_conflicts=True,
    )
    stored = {
        (assignment_id, worker_id): pk
        for assignment_id, worker_id, pk in hit.assignments.order_by().values_list(
            "assignment_id", "worker_id", "pk"
        )
    }
    votes: list[Vote] = []
    abstentions: list[Abstention] = []
    for one, (answer, _problem) in zip(new, read, strict=True):
        worker_id = workers[_storable(one.worker_id)]
        assignment_id = stored[one.assignment_id, worker_id]
        counts = one.status != AssignmentState.REJECTED
        for query_id, choice, comment in zip(
            query_ids, answer.choices, answer.comments, strict=False
        ):
            if choice == CANNOT_TELL:
                abstention = Abstention(query_id=query_id, comment=_storable(comment))
                abstentions.append(abstention)
                answered: Vote | Abstention = abstention
            else:
                vote = Vote(query_id=query_id, category=choice)
                votes.append(vote)
                answered = vote
            answered.worker_id, answered.assignment_id = worker_id, assignment_id
            answered.counts = counts
    _votes_record(votes)
    Abstention.objects.bulk_create(abstentions, ignore_conflicts=True)
    report.new += len(new)
    report.votes += len(votes)
    report.cannot_tell += len(abstentions)
    report.quarantined += sum(1 for _answer, problem in read if problem)


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
            Worker(
                environment=environment,
                worker_id=one,
                kind=_kind(environment, one),
                verification=_verification(environment, one),
            )
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


def _verification(environment: str, worker_id: str) -> Verification:
    """Participants of panels have proved nothing until the crowd service says so."""
    if environment == Environment.LOCAL and worker_id.startswith(PANEL_PREFIX):
        return Verification.WAITING
    return Verification.VERIFIED


def _read(answer: str, n_places: int, *, needs_consent: bool) -> tuple[Answer, str]:
    """What was answered, or an empty answer and the problem with it."""
    try:
        return read_answer(read_fields(answer), n_places, needs_consent=needs_consent), ""
    except (UnreadableAnswerError, AnswerError) as error:
        return Answer([], []), str(error)


def _storable(text: str) -> str:
    """`text` without what no database takes: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, kw_only=True)
class CollectParameters:
    approve: bool = parameter(
        default=False,
        label="Also approve and pay every readable answer",
        help_text="Also approve and pay every readable answer. Where money is real, only what was "
        "collected before, at the cost that was agreed to.",
    )


class Collect(Operation[Batch, CollectParameters]):
    """Fetch what workers handed in. Doing it twice changes nothing; nothing is ever rejected."""

    name = "collect"
    path = "collect"
    example = {"approve": True}
    title = "Collect answers"
    button = "Collect answers"
    queued = "Collecting answers. Progress updates live."
    subject = Batch
    parameters = CollectParameters
    states = PUBLIC_STATES
    job = TaskKind.COLLECT
    is_divisible = True

    def needs(self, parameters: CollectParameters) -> Action | None:
        return Action.PAY if parameters.approve else self.permission

    def estimate(self, subject: Batch, parameters: CollectParameters) -> Estimate:
        """What waits for a review now; without a consent, what comes in is paid as well."""
        if not parameters.approve:
            return Estimate()
        # Collecting is something to do, also where nothing waits yet.
        return replace(APPROVE.estimate(subject, ApproveParameters()), nothing="")

    def units(self, subject: Batch, parameters: CollectParameters) -> int:
        return hits_open(subject).count()

    def run(self, subject: Batch, parameters: CollectParameters, run: Run) -> Result:
        actor = run.actor.name
        report = batch_collect(batch_id=subject.pk, actor=actor, advance=run.advance)
        approved = 0
        if parameters.approve:
            among = None if run.consent is None else run.consent.subjects
            approved = approve_waiting(subject, actor=actor, among=among)
        return Result(
            {**asdict(report), "approved": approved},
            f"{report.new:,} new answers with {report.votes:,} votes, {report.quarantined:,} of "
            f"them unreadable; {approved:,} approved.",
            problem=problem_of_hits("could not be read", report.incomplete),
        )


COLLECT = Collect()
