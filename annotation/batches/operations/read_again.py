"""Read unreadable answers again, after the rules changed or somebody says what words mean."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from django.db import transaction
from django.db.models import Prefetch

from annotation.batches.operations.collected_answers import StoredAnswers, read_stored
from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.money import lock_batch
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import TermError, parameter
from annotation.core.versions import State
from annotation.labels.operations.decide_again import decide_again
from annotation.models import HIT, Assignment, AuditEvent, Batch, HITQuery
from annotation.models.assignments import AssignmentQuerySet
from annotation.vocabulary import AuditAction
from metrics.io.lines import one_line

#: Reasons that are named, the most frequent first.
_MOST_REASONS = 10


@dataclass(frozen=True, kw_only=True)
class ReadAgainParameters:
    meanings: str = parameter(
        "",
        max_length=4_000,
        allow_blank=True,
        style={"rows": 3},
        label="What words mean",
        help_text="For choices that are not an option: the words and the code of the option, "
        "one per line, as Yes, surely = yes. Left out: only options are read now.",
    )


class ReadAgain(Operation[Batch, ReadAgainParameters]):
    """Read the unreadable answers of a batch again, as they came in.

    Those that can be read have votes then, which count like any other; nothing is paid or rejected,
    and what cannot be read stays as it came. Decided labels are decided again.
    """

    name = "read again"
    path = "read-again"
    example = {"meanings": "Yes, surely = yes"}
    page = "read-again"
    title = "Read unreadable answers again"
    button = "Read them again"
    subject = Batch
    parameters = ReadAgainParameters
    states = PUBLIC_STATES

    def clean(self, subject: Batch, parameters: ReadAgainParameters) -> ReadAgainParameters:
        read_meanings(subject, parameters.meanings)
        return parameters

    def seen(self, subject: Batch, parameters: ReadAgainParameters) -> State:
        return {"Unreadable answers": f"{unreadable_answers(subject).count():,}"}

    def estimate(self, subject: Batch, parameters: ReadAgainParameters) -> Estimate:
        problems = Counter(unreadable_answers(subject).values_list("problem", flat=True))
        reasons = [f"{n:,}: {problem}" for problem, n in problems.most_common(_MOST_REASONS)]
        return Estimate(
            n_answers=problems.total(),
            facts=(
                ("Unreadable answers", f"{problems.total():,}"),
                ("Why", "\n".join(reasons)),
            ),
            nothing="" if problems else "No answer is unreadable.",
        )

    @transaction.atomic
    def run(self, subject: Batch, parameters: ReadAgainParameters, run: Run) -> Result:
        """Read HIT by HIT in their order, as the first vote of a worker on a query counts."""
        batch, report = lock_batch(subject.pk), StoredAnswers()
        meanings = read_meanings(batch, parameters.meanings)
        answers = unreadable_answers(batch).order_by("hit__index", "submitted_at", "assignment_id")
        locked = answers.select_for_update(of=("self",), no_key=True)
        places = Prefetch("places", HITQuery.objects.order_by("place"))
        hits = HIT.objects.select_related("batch").prefetch_related(places)
        hit_by_number = hits.in_bulk({answer.hit_id for answer in locked})
        for number, of_hit in groupby(locked, key=lambda answer: answer.hit_id):
            read_stored(hit_by_number[number], list(of_hit), meanings, report)
        values = {
            "read": report.new,
            "unreadable": report.quarantined,
            "votes": report.votes,
            "cannot_tell": report.cannot_tell,
        }
        changes = decide_again(batch=batch, actor=run.actor.name)
        AuditEvent.objects.create(
            batch=batch,
            actor=run.actor.name,
            action=AuditAction.ANSWERS_READ_AGAIN,
            detail={**values, "meanings": meanings, "labels_changed": changes.n_changed},
        )
        return Result(
            {**values, "labels_changed": changes.n_changed},
            f"{counted(report.new, 'answer')} can be read now, with "
            f"{counted(report.votes, 'vote')}; {report.quarantined:,} still cannot. "
            f"{changes.in_words}",
        )


def unreadable_answers(batch: Batch) -> AssignmentQuerySet:
    """The answers that could not be read and are still there: those of erased people are not."""
    answers = Assignment.objects.filter(hit__batch=batch)
    return answers.exclude(problem="").exclude(answer_xml="")


def read_meanings(batch: Batch, text: str) -> Mapping[str, str]:
    """The code that each word means, by lines of `word = code`, each on one line.

    In place of a code an option's label will do. Raises `TermError` for another line.
    """
    closed = batch.scheme.closed
    meanings = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        word, sign, typed = (one_line(part) for part in line.rpartition("="))
        meant = {code for question in closed if (code := question.code_in(typed))}
        meant = meant or {code for question in closed if (code := question.code_named(typed))}
        if not (word and sign) or len(meant) != 1:
            codes = sorted({code for question in closed for code in question.codes})
            raise TermError(
                "meanings",
                f"{line[:80]!r} does not say the code of an option.",
                remedy=f"Write WORDS = CODE; the codes are {', '.join(codes)}.",
            )
        meanings[word] = meant.pop()
    return meanings


READ_AGAIN = ReadAgain()
