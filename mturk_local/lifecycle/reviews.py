"""Carrying out review policies: results are stored, actions done."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from mturk_local.answers import answer_values
from mturk_local.errors import CrowdError
from mturk_local.lifecycle.approvals import assignment_approve, assignment_reject
from mturk_local.lifecycle.slots import hit_reopen, slots_add
from mturk_local.models import (
    HIT,
    Assignment,
    AssignmentState,
    PolicyLevel,
    ReviewResult,
)
from mturk_local.policies import (
    Parameters,
    answers_agreed,
    known_answer_score,
    parameters_of,
)

_JUDGED_BY_PEOPLE = "The known answers of this task were not met."


def assignment_review(*, assignment: Assignment, now: datetime) -> None:
    """Carry out the assignment's policy, ScoreMyKnownAnswers, right after the submission."""
    hit = assignment.hit
    if not hit.assignment_review_policy:
        return
    parameters = parameters_of(hit.assignment_review_policy)
    answers = answer_values(assignment.answer)
    score, correct = known_answer_score(parameters.key, answers)
    record = _Record(hit, PolicyLevel.ASSIGNMENT, now)
    for question, right in correct.items():
        record.finding(
            assignment.assignment_id, "Assignment", "KnownAnswerCorrect", str(int(right)), question
        )
    record.finding(assignment.assignment_id, "Assignment", "KnownAnswerScore", str(score))
    _judge(
        record,
        assignment,
        approve=_reaches(score, parameters.number("ApproveIfKnownAnswerScoreIsAtLeast")),
        reject=_misses(score, parameters.number("RejectIfKnownAnswerScoreIsLessThan")),
        parameters=parameters,
    )
    if _misses(score, parameters.number("ExtendIfKnownAnswerScoreIsLessThan")):
        _extend(record, parameters)


def hit_review(*, hit: HIT, now: datetime) -> bool:
    """Carry out the HIT's policy, SimplePlurality; return whether it requested another answer."""
    if not hit.hit_review_policy:
        return False
    parameters = parameters_of(hit.hit_review_policy)
    assignments = _counted(hit, parameters)
    answers = {a.assignment_id: answer_values(a.answer) for a in assignments}
    agreement = answers_agreed(
        parameters.values("QuestionIds"),
        answers,
        parameters.number("QuestionAgreementThreshold") or 0,
    )
    record = _Record(hit, PolicyLevel.HIT, now)
    for question, (answer, level) in agreement.agreed.items():
        record.finding(hit.hit_id, "HIT", "PluralityAnswer", answer, question)
        record.finding(hit.hit_id, "HIT", "PluralityLevel", str(level), question)
    record.finding(hit.hit_id, "HIT", "HITAgreementScore", str(agreement.hit_score))
    for assignment in assignments:
        score = agreement.worker_scores[assignment.assignment_id]
        for question, agrees in agreement.agrees(assignment.assignment_id).items():
            record.finding(
                *(assignment.assignment_id, "Assignment", "AgreedWithPlurality"),
                *(str(int(agrees)), question),
            )
        record.finding(assignment.assignment_id, "Assignment", "WorkerAgreementScore", str(score))
        _judge(
            record,
            assignment,
            approve=_reaches(score, parameters.number("ApproveIfWorkerAgreementScoreIsAtLeast")),
            reject=_misses(score, parameters.number("RejectIfWorkerAgreementScoreIsLessThan")),
            parameters=parameters,
        )
    if _misses(agreement.hit_score, parameters.number("ExtendIfHITAgreementScoreIsLessThan")):
        return _extend(record, parameters)
    return False


def _counted(hit: HIT, parameters: Parameters) -> list[Assignment]:
    """The assignments whose answers count."""
    states = [AssignmentState.SUBMITTED, AssignmentState.APPROVED]
    if not parameters.flag("DisregardAssignmentIfRejected"):
        states.append(AssignmentState.REJECTED)
    assignments = list(hit.assignments.filter(state__in=states).select_related("hit"))
    least = parameters.number("DisregardAssignmentIfKnownAnswerScoreIsLessThan")
    if least is None:
        return assignments
    scores = dict(
        hit.review_results.filter(key="KnownAnswerScore").values_list("subject_id", "value")
    )
    return [a for a in assignments if int(scores.get(a.assignment_id, least)) >= least]


def _judge(
    record: "_Record",
    assignment: Assignment,
    *,
    approve: bool,
    reject: bool,
    parameters: Parameters,
) -> None:
    if approve:
        record.action(
            *("approve", assignment.assignment_id, "Assignment"),
            lambda: assignment_approve(
                assignment=assignment,
                feedback=parameters.text("ApproveReason"),
                override_rejection=False,
                now=record.now,
            ),
        )
    elif reject:
        record.action(
            *("reject", assignment.assignment_id, "Assignment"),
            lambda: assignment_reject(
                assignment=assignment,
                feedback=parameters.text("RejectReason") or _JUDGED_BY_PEOPLE,
                now=record.now,
            ),
        )


def _extend(record: "_Record", parameters: Parameters) -> bool:
    """Request one more answer, up to the policy's maximum; return whether that was done."""
    current = HIT.objects.get(pk=record.hit.pk)
    if current.max_assignments >= (parameters.number("ExtendMaximumAssignments") or 0):
        return False
    longer = timedelta(seconds=parameters.number("ExtendMinimumTimeInSeconds") or 0)

    def extend() -> None:
        if current.expired:
            hit_reopen(hit=current, until=record.now + longer)
        else:
            HIT.objects.filter(pk=current.pk).update(expiration=F("expiration") + longer)
        slots_add(hit=current, by=1)

    return record.action("extend", record.hit.hit_id, "HIT", extend)


def _reaches(score: int, least: int | None) -> bool:
    return least is not None and score >= least


def _misses(score: int, least: int | None) -> bool:
    return least is not None and score < least


class _Record:
    """Records the results and actions of one policy on one HIT."""

    def __init__(self, hit: HIT, level: PolicyLevel, now: datetime) -> None:
        self.hit, self.level, self.now = hit, level, now

    def finding(
        self, subject_id: str, subject_type: str, key: str, value: str, question: str = ""
    ) -> None:
        self._write(subject_id, subject_type, key=key, value=value, question_id=question)

    def action(self, name: str, target: str, kind: str, act: Callable[[], None]) -> bool:
        """Do an action, and record whether it succeeded."""
        outcome: dict[str, Any] = {"value": "Done"}
        try:
            # A refusal undoes only what this action did.
            with transaction.atomic(using="crowd"):
                act()
        except CrowdError as error:
            outcome = {"value": error.message, "succeeded": False, "error_code": error.turk_code}
        self._write(target, kind, key=name, is_action=True, **outcome)
        return outcome.get("succeeded", True) is True

    def _write(self, subject_id: str, subject_type: str, **other: Any) -> None:
        ReviewResult.objects.create(
            hit=self.hit,
            level=self.level,
            subject_id=subject_id,
            subject_type=subject_type,
            at=self.now,
            **other,
        )
