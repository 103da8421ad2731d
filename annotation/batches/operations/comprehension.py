"""The comprehension check: a test that a worker passes before the first HIT, in `TRIES` at most.

The crowd keeps the test as a qualification and asks us to decide each request. A decision is stored
before the crowd is told, so that a request seen twice is decided once.
"""

from django.db import transaction

from annotation import task_page
from annotation.core.counting import counted
from annotation.core.money import lock_batch
from annotation.crowd.answers import UnreadableAnswerError
from annotation.crowd.comprehension import number_right, question_form
from annotation.crowd.gateway import Gateway, QualificationRequest
from annotation.labels.queries.questions import nominal_question
from annotation.models import Batch, ComprehensionTry

TRIES = 2
#: The share of right answers that passes.
PASS_PERCENT = 80
#: Value of the qualification after passing, and after the last failed attempt.
PASSED, FAILED = 100, 0
#: For requesters.
PASSING = f"{counted(TRIES, 'try')}, {PASS_PERCENT} % to pass"
_AGAIN = "Please read what each answer means once more, and try again."
_NO_MORE = "Sorry, you have no more tries."


def ensure_comprehension_test(*, batch: Batch, gateway: Gateway) -> None:
    """Make the batch's test at the crowd, where it has one."""
    if not batch.comprehension or batch.comprehension_type_id:
        return
    question = nominal_question(batch=batch, name=batch.comprehension_question)
    batch.comprehension_type_id = gateway.ensure_qualification(
        name=f"fairpool {batch.uid.hex}: {question.name}",
        description="Shows that you know what each answer means. "
        f"You have {counted(TRIES, 'try')}.",
        test=question_form(
            title=question.text,
            introduction=" ".join(
                f"{option.label}: {option.definition}" for option in question.options
            ),
            texts=[task_page.printable(text) for text, _ in batch.comprehension],
            choices=question.labels,
        ),
    )
    Batch.objects.filter(pk=batch.pk).update(comprehension_type_id=batch.comprehension_type_id)


def decide_comprehension(*, batch: Batch, gateway: Gateway) -> int:
    """Decide every waiting request for the batch's test; return their number."""
    if not batch.comprehension_type_id:
        return 0
    requests = gateway.qualification_requests(batch.comprehension_type_id)
    for request in requests:
        _tell(_decided(batch, request), gateway)
    return len(requests)


def _decided(batch: Batch, request: QualificationRequest) -> ComprehensionTry:
    expected = [option for _, option in batch.comprehension]
    try:
        n_right = number_right(request.answer, expected)
    except UnreadableAnswerError:
        n_right = 0
    with transaction.atomic():
        # The lock on the batch's row orders simultaneous decisions, and so numbers the attempts.
        lock_batch(batch.pk)
        tries = batch.comprehension_tries
        number = tries.filter(worker_id=request.worker_id).count() + 1
        decided, _is_new = tries.get_or_create(
            request_id=request.request_id,
            defaults={
                "worker_id": request.worker_id,
                "number": number,
                "n_right": n_right,
                "passed": number <= TRIES and n_right * 100 >= PASS_PERCENT * len(expected),
            },
        )
    return decided


def _tell(decided: ComprehensionTry, gateway: Gateway) -> None:
    if decided.passed:
        gateway.qualification_grant(decided.request_id, PASSED)
    elif decided.number == TRIES:
        # The worthless qualification stops the worker from asking again.
        gateway.qualification_grant(decided.request_id, FAILED)
    else:
        gateway.qualification_refuse(
            decided.request_id, reason=_AGAIN if decided.number < TRIES else _NO_MORE
        )
