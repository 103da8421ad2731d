"""Topping up a batch: missing answers, and more assignments to each HIT if wanted."""

import shlex
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.growing import Growth, TopUpReport
from annotation.batches.operations.publish import publish_batch
from annotation.batches.queries.hit_answers import hit_answers
from annotation.core.audit import log_money_event
from annotation.core.consent import Charge, Estimate
from annotation.core.counting import counted
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.gateway import CrowdHIT, Gateway
from annotation.models import HIT, AdaptivePolicy, AuditEvent, Batch
from annotation.vocabulary import Action, AuditAction, BatchState, TaskKind
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class TopUpParameters:
    assignments: int | None = parameter(
        None,
        min_value=1,
        max_value=1_000,
        label="Answers to each HIT, in all",
        help_text="As many as before, or left out: only what is missing is requested again "
        "(unreadable, rejected, expired).",
    )


class TopUp(Operation[Batch, TopUpParameters]):
    """Collect, then request as many assignments as are unreadable, rejected or missing.

    More if you say so, for another lifetime. Also revives a batch that was stopped or has expired.
    A worker who has answered a HIT never gets it again.
    """

    name = "top up"
    spends = True
    path = "top-up"
    example = {"assignments": 5, "dry_run": True}
    page = "more"
    title = "Request more assignments"
    button = "Request them"
    queued = "Requesting more assignments."
    subject = Batch
    parameters = TopUpParameters
    permission = Action.PUBLISH
    states = PUBLIC_STATES
    job = TaskKind.TOP_UP

    def __init__(self, *, pause: Callable[[float], object] = time.sleep) -> None:
        self._pause = pause

    def initial(self, subject: Batch) -> dict[str, int]:
        return {"assignments": subject.assignments_per_hit}

    def clean(self, subject: Batch, parameters: TopUpParameters) -> TopUpParameters:
        if AdaptivePolicy.objects.filter(batch=subject).exists():
            # Its later rounds ask for fewer answers than the batch, and ask again for lost ones.
            raise InputError(
                f"the batch {subject.name!r} asks adaptively.",
                remedy=f"Run: python manage.py batch plan-round {shlex.quote(subject.name)}",
            )
        if _goal(subject, parameters) < subject.assignments_per_hit:
            raise InputError(
                f"each HIT asks for {subject.assignments_per_hit} answers already.",
                remedy="Ask for as many or more.",
            )
        return parameters

    def estimate(self, subject: Batch, parameters: TopUpParameters) -> Estimate:
        """Estimate as of now: running it collects before, and another estimate may follow."""
        by_price: dict[tuple[Decimal, int], list[int]] = {}
        goal, n_lacking = _goal(subject, parameters), 0
        for answers in hit_answers(batch=subject):
            hit, lacking = answers.hit, answers.needed(goal) - answers.n_good
            added = max(answers.n_all + lacking - hit.max_assignments, 0)
            n_lacking += lacking > 0
            if lacking > 0 and added:
                by_price.setdefault((hit.unit_cost, added), []).append(hit.pk)
        charges = tuple(
            Charge(subject.reward, cost - subject.reward, tuple(hits), added)
            for (cost, added), hits in sorted(by_price.items())
        )
        n_answers = sum(len(charge.subjects) * charge.quantity for charge in charges)
        return Estimate(
            n_answers=n_answers,
            n_hits=n_lacking,
            charges=charges,
            facts=(
                ("HITs that lack answers", f"{n_lacking:,}"),
                ("Further answers to pay for", f"{n_answers:,}"),
            ),
            nothing="" if n_lacking else "Every HIT has all its answers.",
        )

    def run(self, subject: Batch, parameters: TopUpParameters, run: Run) -> Result:
        """Collect, then request what each HIT lacks.

        The intended number of answers is committed before the call, and the crowd's own number is
        read before it is changed, so that repeating, also after a kill, requests nothing twice.
        """
        actor = run.actor.name
        collect_batch(batch_id=subject.pk, actor=actor)
        if run.consent is not None:
            run.consent.check(self.estimate(subject, parameters))
        _raise_goal(subject, _goal(subject, parameters), actor)
        gateway = batch_gateway(subject)
        report = TopUpReport()
        lacking = [
            answers
            for answers in hit_answers(batch=subject)
            if answers.n_good < answers.needed(subject.assignments_per_hit)
        ]
        with Growth(subject, lacking, gateway, report, self._pause) as growth:
            for answers in lacking:
                known = growth.grow(answers)
                if answers.hit.max_assignments > answers.n_all:
                    _reopen(answers.hit, known, gateway, report)
                run.advance(1)
        _note(subject, actor, report)
        if report.further_hits:
            publish_batch(batch_id=subject.pk, actor=actor)
        note = _FURTHER.format(report.further_hits) if report.further_hits else ""
        return Result(asdict(report), _in_words(report), note=note)


def _in_words(report: TopUpReport) -> str:
    parts = [f"{counted(report.added, 'further answer')} requested."] if report.added else []
    parts += [f"{counted(report.reopened, 'HIT')} offered again."] if report.reopened else []
    parts += [f"{counted(report.further_hits, 'HIT')} made."] if report.further_hits else []
    return " ".join(parts) or "Every HIT has all its answers."


_FURTHER = (
    "{:,} further HITs ask for the rest, because a HIT of fewer than ten assignments cannot grow "
    "to ten. People who voted in the batch are excluded from them. The fee stays at 20 %, "
    "because each HIT asks for fewer than ten assignments."
)


def _goal(batch: Batch, parameters: TopUpParameters) -> int:
    return parameters.assignments or batch.assignments_per_hit


def _raise_goal(batch: Batch, goal: int, actor: str) -> None:
    """Set every HIT's goal to `goal` answers; setting it twice changes nothing."""
    before = batch.assignments_per_hit
    if goal <= before:
        return
    with transaction.atomic():
        batch.hits.filter(target_answers=before).update(target_answers=goal)
        Batch.objects.filter(pk=batch.pk).update(assignments_per_hit=goal)
        detail = {"before": before, "now": goal}
        AuditEvent.objects.create(
            batch=batch, actor=actor, action=AuditAction.MORE_ANSWERS_REQUESTED, detail=detail
        )
    batch.assignments_per_hit = goal


def _note(batch: Batch, actor: str, report: TopUpReport) -> None:
    changed = bool(report.added or report.reopened or report.further_hits)
    if changed:
        stopped = Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED)
        stopped.update(state=BatchState.PUBLISHED)
    detail = asdict(report)
    log_money_event(
        batch=batch,
        actor=actor,
        action=AuditAction.TOPPED_UP,
        detail=detail,
        only_if_changed=not changed,
    )


def _reopen(hit: HIT, known: CrowdHIT, gateway: Gateway, report: TopUpReport) -> None:
    """Offer an expired HIT for another lifetime."""
    now = timezone.now()
    if known.expires_at is not None and known.expires_at > now:
        return
    until = now + timedelta(seconds=hit.batch.lifetime_seconds)
    gateway.extend(str(hit.hit_id), until)
    HIT.objects.filter(pk=hit.pk).update(expires_at=until)
    report.reopened += 1


TOP_UP = TopUp()
