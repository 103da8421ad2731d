"""Publish a batch.

The rule: the intent is committed, the crowd is called, the outcome is committed. A call is made
with a token that the crowd remembers for a day, so that asking again makes no second HIT; a HIT
whose outcome is unknown for longer is looked for by its annotation before anything is created.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal

from annotation.batches.operations.comprehension import comprehension_ensure
from annotation.batches.operations.exclusion_qualification import exclusion_ensure
from annotation.batches.operations.ledger import BatchStoppedError
from annotation.batches.operations.preflight import (
    check_balance,
    check_limits,
    hits_unpublished,
    hits_unpublished_count,
    terms_of,
)
from annotation.batches.operations.publisher import Publisher, PublishReport
from annotation.batches.operations.troubles import as_text_keys, problem_of_hits
from annotation.batches.queries.pay import pay_forecast
from annotation.core.audit import log_money_event
from annotation.core.consent import Charge, Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ParametersError, parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.gateway import Gateway
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import Action, AuditAction, BatchState, HITState, TaskKind
from metrics.errors import InputError


def batch_publish(
    *, batch_id: int, actor: str, advance: Callable[[int], object] = lambda _n: None
) -> PublishReport:
    """Publish what is not published yet; may be called again, and by several at once.

    `advance` is called with 1 for each HIT that was dealt with. Raises `InputError` where nothing
    can go on before a person has acted; the ledger is right then, and the next call goes on.
    """
    batch = Batch.objects.get(pk=batch_id)
    if batch.state == BatchState.PUBLISHED:
        return PublishReport()
    gateway = batch_gateway(batch)
    check_limits(batch, terms_of(batch))
    check_balance(batch, gateway)
    _begin(batch, gateway, actor)
    exclusion_ensure(batch=batch, gateway=gateway)
    comprehension_ensure(batch=batch, gateway=gateway)
    hit_type_id = _hit_type(batch, gateway)
    publisher = Publisher(batch=batch, gateway=gateway, hit_type_id=hit_type_id)
    try:
        for hit in hits_unpublished(batch):
            publisher.publish(hit)
            advance(1)
        _finish(batch, publisher.report, actor)
    except BatchStoppedError:
        publisher.expire_last()
        raise
    finally:
        # Whatever ended it: what the HITs sent may cost is in the log.
        log_money_event(
            batch=batch,
            actor=actor,
            action=AuditAction.PUBLISHING_INTERRUPTED,
            only_if_changed=True,
        )
    return publisher.report


def _begin(batch: Batch, gateway: Gateway, actor: str) -> None:
    begun = Batch.objects.filter(pk=batch.pk, state=BatchState.DRAFT, endpoint="").update(
        state=BatchState.PUBLISHING, endpoint=gateway.endpoint
    )
    batch.refresh_from_db()
    if batch.state in (BatchState.STOPPED, BatchState.IMPORTED):
        raise InputError(
            f"the batch {batch.name!r} is {batch.get_state_display().lower()}.",
            remedy="Create another batch for what is still to be labelled.",
        )
    if begun:
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.PUBLISHING_BEGUN,
            detail={"at": gateway.endpoint},
        )


def _hit_type(batch: Batch, gateway: Gateway) -> str:
    """The id of the batch's type; asking twice gives the same one."""
    if not batch.hit_type_id:
        batch.hit_type_id = gateway.create_hit_type(terms_of(batch))
        Batch.objects.filter(pk=batch.pk).update(hit_type_id=batch.hit_type_id)
    return batch.hit_type_id


def _finish(batch: Batch, report: PublishReport, actor: str) -> None:
    if batch.hits.exclude(state=HITState.PUBLISHED).exists():
        return
    finished = Batch.objects.filter(pk=batch.pk, state=BatchState.PUBLISHING).update(
        state=BatchState.PUBLISHED
    )
    if finished:
        detail = {"hits": report.published}
        log_money_event(batch=batch, actor=actor, action=AuditAction.PUBLISHED, detail=detail)
    elif Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).exists():
        raise BatchStoppedError(f"the batch {batch.name!r} was stopped.")


@dataclass(frozen=True, kw_only=True)
class PublishParameters:
    """What publishing asks for where a batch is forecast to pay too little."""

    pay_reason: str = parameter(
        "",
        allow_blank=True,
        max_length=500,
        label="Reason for paying less",
        help_text="Needed where the forecast is below the site's hourly pay; kept in the log.",
    )


class Publish(Operation[Batch, PublishParameters]):
    """Publish every HIT that is not published yet, within the budget.

    May be interrupted and done again: each HIT comes to exist once.
    """

    name = "publish"
    path = "publish"
    example = {"dry_run": True}
    title = "Publish batch"
    button = "Publish"
    queued = "Publishing. Progress updates live."
    subject = Batch
    parameters = PublishParameters
    permission = Action.PUBLISH
    states = (BatchState.DRAFT, BatchState.PUBLISHING, BatchState.PUBLISHED)
    job = TaskKind.PUBLISH
    asks_first = True

    def clean(self, subject: Batch, parameters: PublishParameters) -> PublishParameters:
        """A draft that pays too little needs a reason."""
        if subject.state != BatchState.DRAFT or parameters.pay_reason.strip():
            return parameters
        forecast = pay_forecast(batch=subject)
        if forecast.is_low:
            basis = f"{forecast.seconds_per_query:.1f} s for a query"
            problem = (
                f"The batch pays about {forecast.usd_per_hour} USD an hour at {basis}, below "
                f"{forecast.floor:g} USD. Say why, or raise the reward."
            )
            raise ParametersError({"pay_reason": [problem]})
        return parameters

    def estimate(self, subject: Batch, parameters: PublishParameters) -> Estimate:
        """The HITs that were not sent yet; what was sent before is committed already."""
        number = hits_unpublished_count(subject)
        waiting = subject.hits.filter(state__in=(HITState.PLANNED, HITState.REFUSED))
        by_price: dict[tuple[Decimal, int], list[int]] = {}
        for pk, price, quantity in waiting.values_list("pk", "unit_cost", "max_assignments"):
            by_price.setdefault((price, quantity), []).append(pk)
        return Estimate(
            n_answers=number * subject.assignments_per_hit,
            n_hits=number,
            charges=tuple(
                Charge(subject.reward, price - subject.reward, tuple(hits), quantity)
                for (price, quantity), hits in sorted(by_price.items())
            ),
            facts=(("HITs to publish", f"{number:,}"),),
            nothing="" if number else "Every HIT is published.",
        )

    def units(self, subject: Batch, parameters: PublishParameters) -> int:
        return hits_unpublished_count(subject)

    def run(self, subject: Batch, parameters: PublishParameters, run: Run) -> Result:
        report = batch_publish(batch_id=subject.pk, actor=run.actor.name, advance=run.advance)
        subject.refresh_from_db()
        values = as_text_keys(asdict(report))
        return Result(
            {**values, "state": subject.state, "committed": str(subject.committed)},
            f"{report.published:,} HITs published.",
            problem=publishing_problem(report),
        )


def publishing_problem(report: PublishReport) -> str:
    """Why a person should look at what was published, if so."""
    return problem_of_hits("could not be published", {**report.refused, **report.unresolved})


PUBLISH = Publish()
