"""Collecting submitted answers.

Collecting again changes nothing. HITs are collected in the order of the batch, as the first
collected vote of a worker on a query counts.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields, replace

from django.db.models import Count, F, Prefetch, Q, QuerySet
from django.utils import timezone

from annotation.batches.operations.approve import APPROVE, ApproveParameters, approve_waiting
from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.comprehension import decide_comprehension
from annotation.batches.operations.exclusion_qualification import exclude_who_did_their_share
from annotation.batches.operations.prolific.responses import task_builder_answers
from annotation.batches.operations.troubles import problem_of_hits
from annotation.batches.operations.verification import apply_panel_verdicts
from annotation.batches.operations.withdrawals import delete_withdrawn_answers
from annotation.core.audit import log_money_event
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.operations import PUBLIC_STATES, Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdError, CrowdStopError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, Batch, HITQuery
from annotation.vocabulary import Action, AssignmentState, AuditAction, TaskKind


@dataclass
class CollectReport(StoredAnswers):
    """Result of one run. `incomplete` maps the id of a HIT to why its list could not be read.

    `tested` requests for the comprehension test were decided. New votes and verdicts of panels
    changed `labels_changed` decided labels; `changes` says which, in words.
    """

    hits: int = 0
    tested: int = 0
    labels_changed: int = 0
    changes: str = ""
    incomplete: dict[str, str] = field(default_factory=dict)


#: Fields of a run in the log.
_LOGGED = (*(counter.name for counter in fields(StoredAnswers)), "labels_changed")


def collect_batch(
    *,
    batch_id: int,
    actor: str,
    advance: Advance = no_progress,
    only: Collection[str] | None = None,
) -> CollectReport:
    """Fetch what is new in every incomplete HIT; `advance` is called for each of them.

    With the ids of HITs as `only`, in these alone.
    """
    batch = Batch.objects.get(pk=batch_id)
    at = timezone.now()
    gateway = batch_gateway(batch)
    report = CollectReport(tested=decide_comprehension(batch=batch, gateway=gateway))
    open_hits, votes_changed = find_open_hits(batch), False
    answers = task_builder_answers(batch) or (lambda hit: gateway.assignments(str(hit.hit_id)))
    for hit in open_hits if only is None else open_hits.filter(hit_id__in=only):
        try:
            assignments = answers(hit)
            if hit.n_held or only is not None:
                _store_holders(hit, gateway)
        except CrowdStopError:
            raise
        except CrowdError as error:
            report.incomplete[str(hit.hit_id)] = error.message
        else:
            votes_changed |= store_answers(hit, assignments, report)
        report.hits += 1
        advance(1)
    exclude_who_did_their_share(batch=batch, gateway=gateway)
    delete_withdrawn_answers(environment=batch.environment)
    changes = apply_panel_verdicts(batch=batch, actor=actor, votes_changed=votes_changed)
    if changes.n_changed:
        report.labels_changed, report.changes = changes.n_changed, changes.in_words
    if not report.incomplete:
        Batch.objects.filter(pk=batch.pk).update(collected_at=at)
    # Without new answers, known ones may have been paid at the crowd since: that is stored.
    log_money_event(
        batch=batch,
        actor=actor,
        action=AuditAction.ANSWERS_COLLECTED,
        detail={name: getattr(report, name) for name in _LOGGED},
        only_if_changed=not (report.new or report.labels_changed),
    )
    return report


def _store_holders(hit: HIT, gateway: Gateway) -> None:
    """Store how many workers have accepted the HIT and not submitted it."""
    n_held = gateway.get_hit(str(hit.hit_id)).pending
    HIT.objects.filter(pk=hit.pk).exclude(n_held=n_held).update(n_held=n_held)


def find_open_hits(batch: Batch) -> QuerySet[HIT]:
    """The HITs from which something may still come: until all their answers are reviewed."""
    final = Q(assignments__state__in=(AssignmentState.APPROVED, AssignmentState.REJECTED))
    places = Prefetch("places", HITQuery.objects.order_by("place"))
    published = batch.hits.filter(hit_id__isnull=False)
    if batch.uses_task_builder:  # who was rejected makes room for another there
        return published.order_by("index").select_related("batch").prefetch_related(places)
    return (
        published.annotate(n_final=Count("assignments", filter=final))
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
        help_text="Also approve and pay every readable answer. With real money, this approves only "
        "what was collected before, at the cost that was agreed to.",
    )


class Collect(Operation[Batch, CollectParameters]):
    """Fetch submitted answers. Doing it twice changes nothing; nothing is ever rejected."""

    name = "collect"
    spends = True
    path = "collect"
    example = {"approve": True}
    page = "collect"
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
        """Estimate the answers that wait for review; without consent, new ones are paid as well."""
        if not parameters.approve:
            return Estimate()
        # Collecting can find something, also where nothing waits yet.
        return replace(APPROVE.estimate(subject, ApproveParameters()), nothing="")

    def units(self, subject: Batch, parameters: CollectParameters) -> int:
        return find_open_hits(subject).count()

    def run(self, subject: Batch, parameters: CollectParameters, run: Run) -> Result:
        actor = run.actor.name
        report = collect_batch(batch_id=subject.pk, actor=actor, advance=run.advance)
        approved = 0
        if parameters.approve:
            among = None if run.consent is None else run.consent.subjects
            approved = approve_waiting(subject, actor=actor, among=among)
        return Result(
            {**asdict(report), "approved": approved},
            f"{counted(report.new, 'new answer')} with {counted(report.votes, 'vote')}, "
            f"{report.quarantined:,} of them unreadable; {approved:,} approved. "
            f"{report.changes}".rstrip(),
            problem=problem_of_hits("could not be read", report.incomplete),
        )


COLLECT = Collect()
