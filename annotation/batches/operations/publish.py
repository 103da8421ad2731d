"""Publish a batch.

The rule: the intent is committed, the crowd is called, the outcome is committed. A call is made
with a token that the crowd remembers for a day, so that asking again makes no second HIT; a HIT
whose outcome is unknown for longer is looked for by its annotation before anything is created.
"""

from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from annotation.batches.operations import ledger
from annotation.batches.operations.batches import request_token
from annotation.batches.operations.comprehension import ensure_comprehension_test
from annotation.batches.operations.exclusion_qualification import ensure_exclusion
from annotation.batches.operations.preflight import (
    charges_to_come,
    check_balance,
    check_limits,
    check_questions,
    count_unpublished_hits,
    hit_question,
    hits_unpublished,
    reserved_cost,
    terms_of,
)
from annotation.batches.operations.troubles import as_text_keys, problem_of_hits
from annotation.batches.queries.pay import pay_forecast
from annotation.batches.queries.schemes import page_texts
from annotation.batches.queries.task_builder import left_out_fact, parts_left_out
from annotation.core.audit import log_money_event
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.operations import Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import ParametersError, parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import (
    AlreadyDoneError,
    CrowdRefusedError,
    CrowdStopError,
    NotThereError,
    OutcomeUnknownError,
)
from annotation.crowd.gateway import TOKEN_MEMORY, CrowdHIT, Gateway
from annotation.models import HIT, Batch
from annotation.vocabulary import (
    LONGEST_REASON,
    Action,
    AuditAction,
    BatchState,
    HITState,
    TaskKind,
)

#: Consecutive unknown outcomes after which the crowd is taken to be down.
_UNKNOWN_IN_A_ROW = 3


@dataclass
class PublishReport:
    """Result of one run. `refused` and `unresolved` map a HIT's place to the reason."""

    published: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    unresolved: dict[int, str] = field(default_factory=dict)


def publish_batch(*, batch_id: int, actor: str, advance: Advance = no_progress) -> PublishReport:
    """Publish the HITs not published yet; may be repeated, also by several processes at once.

    `advance` is called with 1 for each HIT. Raises `InputError` where a person has to act first;
    the ledger is right then, and the next call continues.
    """
    batch = Batch.objects.get(pk=batch_id)
    if batch.state == BatchState.PUBLISHED:
        return PublishReport()
    gateway = batch_gateway(batch)
    check_limits(batch, terms_of(batch))
    check_balance(batch, gateway)
    ledger.publishing_begin(batch, endpoint=gateway.endpoint, actor=actor)
    batch.refresh_from_db()
    try:
        return _publish(batch, gateway, actor, advance)
    finally:
        # However it ended: HITs not sent hold no money, and sent ones are in the log.
        ledger.publishing_end(batch)
        log_money_event(
            batch=batch,
            actor=actor,
            action=AuditAction.PUBLISHING_INTERRUPTED,
            only_if_changed=True,
        )


def _publish(batch: Batch, gateway: Gateway, actor: str, advance: Advance) -> PublishReport:
    ensure_exclusion(batch=batch, gateway=gateway)
    ensure_comprehension_test(batch=batch, gateway=gateway)
    hit_type_id = _hit_type(batch, gateway)
    publisher = Publisher(batch=batch, gateway=gateway, hit_type_id=hit_type_id)
    try:
        for hit in hits_unpublished(batch):
            publisher.publish(hit)
            advance(1)
        _finish(batch, publisher.report, actor)
    except ledger.BatchStoppedError:
        publisher.expire_last()
        raise
    return publisher.report


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
        raise ledger.BatchStoppedError(f"the batch {batch.name!r} was stopped.")


class Publisher:
    """Takes the HITs of one batch from the ledger to the crowd, one after another."""

    def __init__(self, *, batch: Batch, gateway: Gateway, hit_type_id: str) -> None:
        self.report = PublishReport()
        self._batch = batch
        self._texts = page_texts(batch)
        self._gateway = gateway
        self._hit_type_id = hit_type_id
        self._last_hit_id = ""
        self._unknown_in_a_row = 0

    def publish(self, hit: HIT) -> None:
        """Make sure that `hit` exists once, or that the ledger says why that is unknown."""
        question = hit_question(hit, self._texts)
        token = request_token(
            uid=self._batch.uid, index=hit.index, attempt=hit.attempt, question=question
        )
        if not ledger.hit_intend(hit=hit, token=token):
            return
        if hit.sent_at is not None and hit.sent_at < timezone.now() - TOKEN_MEMORY:
            if self._adopt_by_annotation(hit):
                return
            ledger.hit_forget_token(hit=hit)
        self._create(hit, question)

    def expire_last(self) -> None:
        """Expire the HIT that was being published when the batch was stopped."""
        if self._last_hit_id:
            self._gateway.expire(self._last_hit_id)

    def _create(self, hit: HIT, question: str) -> None:
        try:
            hit_id = self._gateway.create_hit(
                hit_type_id=self._hit_type_id,
                question=question,
                annotation=hit.annotation,
                token=hit.request_token,
                max_assignments=hit.max_assignments,
                lifetime_seconds=self._batch.lifetime_seconds,
            )
        except AlreadyDoneError as seen:
            self._adopt(hit, seen.hit_id)
        except CrowdRefusedError as error:
            ledger.hit_record_refused(hit=hit, reason=error.message)
            self.report.refused[hit.index] = error.message
        except CrowdStopError as error:
            ledger.hit_record_unknown(hit=hit, reason=error.message)
            raise
        except OutcomeUnknownError as error:
            self._leave_unknown(hit, error)
        else:
            self._record(hit, hit_id, self._expiry())
            if self.report.published == 1:
                self._check_terms(hit, hit_id)

    def _expiry(self) -> datetime | None:
        """The end of the offer; None at Prolific, where a study has none until it is stopped."""
        if self._batch.uses_task_builder:
            return None
        return timezone.now() + timedelta(seconds=self._batch.lifetime_seconds)

    def _record(self, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
        ledger.hit_record_published(hit=hit, hit_id=hit_id, expires_at=expires_at)
        self._last_hit_id = hit_id
        self._unknown_in_a_row = 0
        self.report.published += 1

    def _leave_unknown(self, hit: HIT, error: OutcomeUnknownError) -> None:
        ledger.hit_record_unknown(hit=hit, reason=error.message)
        self.report.unresolved[hit.index] = error.message
        self._unknown_in_a_row += 1
        if self._unknown_in_a_row == _UNKNOWN_IN_A_ROW:
            raise error

    def _adopt(self, hit: HIT, hit_id: str) -> None:
        """Find the HIT that an earlier use of the token made."""
        named = self._get(hit_id) if hit_id else None
        if named is not None and named.annotation == hit.annotation:
            self._record(hit, named.hit_id, named.expires_at)
        elif not self._adopt_by_annotation(hit):
            reason = "the crowd says that the HIT exists, but no HIT there carries its annotation"
            self._conflict(hit, reason)

    def _adopt_by_annotation(self, hit: HIT) -> bool:
        """Look through the account for the HIT; True unless it certainly does not exist."""
        matching = [
            known for known in self._gateway.list_hits() if known.annotation == hit.annotation
        ]
        if len(matching) == 1:
            self._record(hit, matching[0].hit_id, matching[0].expires_at)
        elif matching:
            ids = ", ".join(sorted(known.hit_id for known in matching))
            self._conflict(hit, f"several HITs carry its annotation: {ids}")
        return bool(matching)

    def _conflict(self, hit: HIT, reason: str) -> None:
        ledger.hit_record_unknown(hit=hit, reason=reason)
        self.report.unresolved[hit.index] = reason

    def _get(self, hit_id: str) -> CrowdHIT | None:
        try:
            return self._gateway.get_hit(hit_id)
        except NotThereError:
            return None

    def _check_terms(self, hit: HIT, hit_id: str) -> None:
        """Read the first HIT back: a type can silently have other terms than requested."""
        crowd_hit = self._gateway.get_hit(hit_id)
        expected = (hit.annotation, hit.max_assignments, self._batch.reward)
        if (crowd_hit.annotation, crowd_hit.max_assignments, crowd_hit.reward) != expected:
            self._gateway.expire(hit_id)
            raise CrowdStopError(
                f"the HIT {hit_id} does not have the terms that were requested; Fairpool ended it.",
                remedy="Compare the batch with the HIT's type in the crowd.",
            )


@dataclass(frozen=True, kw_only=True)
class PublishParameters:
    """Reason for publishing a batch that is forecast to pay too little."""

    pay_reason: str = parameter(
        "",
        allow_blank=True,
        max_length=LONGEST_REASON,
        label="Reason for paying less",
        help_text="Needed if the forecast is below the site's hourly pay; kept in the log.",
    )


class Publish(Operation[Batch, PublishParameters]):
    """Publish every HIT that is not published yet, within the budget.

    May be interrupted and done again: each HIT comes to exist once.
    """

    name = "publish"
    spends = True
    path = "publish"
    example = {"dry_run": True}
    page = "publish"
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
        """A draft has questions by now, and one that pays too little needs a reason."""
        check_questions(subject)
        parts_left_out(batch=subject)  # refuses what Prolific cannot ask
        if subject.state == BatchState.DRAFT and not parameters.pay_reason.strip():
            forecast, noun = pay_forecast(batch=subject), subject.scheme.item_noun
            if forecast.is_low:
                raise ParametersError(
                    {"pay_reason": [f"{forecast.warning(noun)} Say why, or raise the reward."]}
                )
        return parameters

    def estimate(self, subject: Batch, parameters: PublishParameters) -> Estimate:
        """Estimate the HITs not sent yet; others are committed already."""
        number = count_unpublished_hits(subject)
        return Estimate(
            n_answers=number * subject.assignments_per_hit,
            n_hits=number,
            charges=charges_to_come(subject),
            committed=reserved_cost(subject),
            facts=(("HITs to publish", f"{number:,}"), *left_out_fact(batch=subject)),
            nothing="" if number else "Every HIT is published.",
        )

    def units(self, subject: Batch, parameters: PublishParameters) -> int:
        return count_unpublished_hits(subject)

    def run(self, subject: Batch, parameters: PublishParameters, run: Run) -> Result:
        report = publish_batch(batch_id=subject.pk, actor=run.actor.name, advance=run.advance)
        subject.refresh_from_db()
        values = as_text_keys(asdict(report))
        return Result(
            {**values, "state": subject.state, "committed": str(subject.committed)},
            f"{counted(report.published, 'HIT')} published.",
            problem=publishing_problem(report),
        )


def publishing_problem(report: PublishReport) -> str:
    """Say why a person should look at the result, if so."""
    return problem_of_hits("could not be published", {**report.refused, **report.unresolved})


PUBLISH = Publish()
