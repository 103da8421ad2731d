"""Decide the labels of a batch."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.core.counting import plural
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.queries.deciding import decisions_of_votes, method_chosen
from annotation.labels.queries.exporting import labelling_state
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes import study_queries, votes_that_count
from annotation.labels.queries.votes_out import VotesOut, votes_out
from annotation.models import AuditEvent, Batch, Label, Labelling
from annotation.schemes import JOINED, LONGEST_NAME, Question
from annotation.vocabulary import DECIDING, TIE, AuditAction, TaskKind
from metrics.errors import InputError
from metrics.vocabulary import LARGEST_SEED
from metrics.votes.deciding import MEDIAN, Decisions

_CHUNK = 2_000
_FIELDS = ("value", "n_votes", "n_for", "confidence", "decided_at")


@dataclass(frozen=True)
class LabellingReport:
    """The decided labels of a question.

    `labels` counts them by option; `n_changed` is the number that changed. `votes_out` says which
    votes may still count, and how many of these labels they could change.
    """

    question: str
    method: str
    n_queries: int
    labels: dict[str, int]
    ties: int
    without_votes: int
    n_changed: int
    votes_out: VotesOut
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def batch_label(
    *,
    batch: Batch,
    question: str = "",
    method: str = "",
    strict: bool = False,
    seed: int = 0,
    actor: str,
    only_if_changed: bool = False,
) -> LabellingReport:
    """Decide the label of every query with a vote, and let `method` stand for the question.

    `question` is the name of one with options, needed where the batch asks several. Without
    `method` it is the usual one for such a question, of ordered options the strict median. Doing it
    twice changes nothing. Labels of other methods stay beside it; an adjudicator's decision stands
    before every method's. With `only_if_changed` the log has an entry only where a label changed.
    """
    closed = closed_question(batch=batch, name=question)
    is_usual, method = not method, method_chosen(closed, method)
    strict = strict or (is_usual and method == MEDIAN)
    terms: dict[str, Any] = {"method": method, "strict": strict, "seed": seed}
    decisions = decisions_of_votes(batch=batch, question=closed, **terms)
    if not decisions.rows and not votes_that_count(batch=batch, question=closed.name).exists():
        raise InputError(
            f"the batch {batch.name!r} has no votes yet.",
            remedy="`batch collect` collects them; released labels need no vote.",
        )
    with transaction.atomic():
        labelling, _is_new = Labelling.objects.update_or_create(
            batch=batch, question=closed.name, defaults=terms
        )
        changed = _store_labels(batch=batch, by=labelling, decisions=decisions)
        if changed or not only_if_changed:
            AuditEvent.objects.create(
                batch=batch,
                actor=actor,
                action=AuditAction.LABELS_DECIDED,
                detail={"question": closed.name, **terms, "changed": changed},
            )
    out = votes_out(batch=batch, question=closed, by=labelling)
    return _report(closed, method, decisions, changed, out)


def _store_labels(*, batch: Batch, by: Labelling, decisions: Decisions) -> int:
    """Write the labels that differ from the stored ones, and delete those of queries without votes.

    Returns the number of changed labels; the same label by more votes is not one of them.
    """
    keys = dict(study_queries(batch=batch).values_list("qid", "pk"))
    same = {"question": by.question, "method": by.method}
    stored = {label.query_id: label for label in Label.objects.filter(query__batch=batch, **same)}
    now = timezone.now()
    changed, n_others = [], 0
    for decision in decisions.rows:
        new = Label(
            query_id=keys[decision.item],
            **same,
            value=decision.label if decision.label is not None else TIE,
            n_votes=decision.n_votes,
            n_for=decision.n_for,
            confidence=decision.confidence,
            decided_at=now,
        )
        old = stored.pop(new.query_id, None)
        if old is None or any(getattr(old, name) != getattr(new, name) for name in _FIELDS[:-1]):
            changed.append(new)
            n_others += old is None or old.value != new.value
    Label.objects.bulk_create(
        changed,
        batch_size=_CHUNK,
        update_conflicts=True,
        unique_fields=["query", "question", "method"],
        update_fields=_FIELDS,
    )
    gone = list(stored)
    for start in range(0, len(gone), _CHUNK):
        Label.objects.filter(query__in=gone[start : start + _CHUNK], **same).delete()
    return n_others + len(gone)


def _report(
    question: Question, method: str, decisions: Decisions, changed: int, out: VotesOut
) -> LabellingReport:
    labels = [decision.label for decision in decisions.rows]
    n_by_code = Counter(code for label in labels if label for code in label.split(JOINED))
    return LabellingReport(
        question=question.name,
        method=method,
        n_queries=len(labels),
        labels={code: n_by_code[code] for code in question.codes},
        ties=labels.count(None),
        without_votes=decisions.without_votes,
        n_changed=changed,
        votes_out=out,
        notes=list(decisions.notes),
    )


@dataclass(frozen=True, kw_only=True)
class LabelParameters:
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        help_text="Which to decide; left out, the only question with options that the batch asks.",
    )
    method: str = parameter(
        "",
        choices=[("", "The usual one"), *DECIDING],
        help_text="How votes become a label. Left out: for ordered options the median, where "
        "two middles that lie two options or more apart are a tie; for other options the "
        "majority.",
    )
    strict: bool = parameter(
        default=False,
        help_text="Majority needs more than half of a query's votes; two middles of a median "
        "that lie two options or more apart are a tie. Without it, the lower middle is the "
        "label.",
    )
    seed: int = parameter(
        0, min_value=0, max_value=LARGEST_SEED, help_text="Seed of the model's start."
    )


class DecideLabels(Operation[Batch, LabelParameters]):
    """Decide the label of every query that has votes.

    By majority it is the option with strictly more votes than every other; a query without one is a
    tie, never a guess. Of ordered options it is the median, the lower of two middles, and a tie
    where these lie two options apart or more, unless another method is named; of several options
    each one that more than half of the workers marked.
    """

    name = "label"
    command = "label decide"
    path = "label"
    example = {"method": "dawid_skene"}
    title = "Decide labels"
    button = "Decide labels"
    queued = "Deciding labels."
    subject = Batch
    parameters = LabelParameters
    job = TaskKind.LABEL

    def seen(self, subject: Batch, parameters: LabelParameters) -> State:
        question = closed_question(batch=subject, name=parameters.question)
        return labelling_state(subject, question)

    def run(self, subject: Batch, parameters: LabelParameters, run: Run) -> Result:
        report = batch_label(
            batch=subject,
            question=parameters.question,
            method=parameters.method,
            strict=parameters.strict,
            seed=parameters.seed,
            actor=run.actor.name,
        )
        question = closed_question(batch=subject, name=report.question)
        counts = ", ".join(
            f"{count:,} {question.words([code]).lower()}" for code, count in report.labels.items()
        )
        remarks, nouns = list(report.notes), plural(subject.scheme.item_noun)
        if report.without_votes:
            remarks.insert(0, f"{report.without_votes:,} {nouns} have no vote yet.")
        message = f"{report.n_queries:,} {nouns} labelled: {counts}, {report.ties:,} ties."
        return Result(
            report.as_dict(), " ".join([message, *remarks]), note=report.votes_out.warning
        )


LABEL = DecideLabels()
