"""Collect what workers handed in.

Collecting again changes nothing. HITs are collected in the order of the batch, as the first
collected vote of a worker on a query counts.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace

from django.db.models import Count, F, Prefetch, Q, QuerySet

from annotation.batches.operations.approve import APPROVE, ApproveParameters, approve_waiting
from annotation.batches.operations.collected_answers import StoredAnswers, answers_store
from annotation.batches.operations.comprehension import comprehension_decide
from annotation.batches.operations.exclusion_qualification import exclude_who_did_their_share
from annotation.batches.operations.troubles import problem_of_hits
from annotation.batches.operations.verification import verifications_refresh
from annotation.core.audit import log_money_event
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdError, CrowdStopError
from annotation.models import HIT, Batch, HITQuery
from annotation.vocabulary import Action, AssignmentState, AuditAction, TaskKind


@dataclass
class CollectReport(StoredAnswers):
    """What one run found. `incomplete` maps the id of a HIT to why its list could not be read.

    `tested` requests for the comprehension check were decided.
    """

    hits: int = 0
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
            answers_store(hit, found, report)
        report.hits += 1
        advance(1)
    exclude_who_did_their_share(batch=batch, gateway=gateway)
    verifications_refresh(environment=batch.environment)
    # Without new answers, known ones may have been paid at the crowd since: that is written down.
    log_money_event(
        batch=batch,
        actor=actor,
        action=AuditAction.ANSWERS_COLLECTED,
        detail={one.name: getattr(report, one.name) for one in fields(StoredAnswers)},
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
