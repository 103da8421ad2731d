"""Decide the labels of a batch."""

from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.agreement.aggregation import METHODS, Decisions, decide
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.labels.queries.exporting import labelling_state
from annotation.labels.queries.gold import gold_answers
from annotation.labels.queries.votes import abstained_queries, gold_table, study_queries, vote_table
from annotation.labels.queries.votes_out import VotesOut, votes_out
from annotation.models import AuditEvent, Batch, Label, Labelling
from annotation.vocabulary import TIE, AuditAction, Category, LabelMethod, TaskKind
from metrics.errors import InputError

_CHUNK = 2_000
_FIELDS = ("value", "n_votes", "n_for", "confidence", "decided_at")


@dataclass(frozen=True)
class LabellingReport:
    """The decided labels. `labels` counts queries by category; `n_changed` were written.

    `votes_out` says which votes may still count, and how many of these labels they could change.
    """

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
    method: str = LabelMethod.MAJORITY,
    strict: bool = False,
    seed: int = 0,
    actor: str = "label_batch",
) -> LabellingReport:
    """Decide the label of every query with a vote, and let `method` stand for the batch.

    Doing it twice changes nothing. Labels of other methods stay beside it; an adjudicator's
    decision stands before every method's.
    """
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}.", remedy=f"Use {', '.join(METHODS)}.")
    table = vote_table(batch=batch)
    if not len(table):
        raise InputError(
            f"the batch {batch.name!r} has no votes yet.",
            remedy="`batch collect` collects them; released labels need no vote.",
        )
    decisions = decide(
        table,
        method=method,
        strict=strict,
        seed=seed,
        gold_table=gold_table(batch=batch),
        gold=gold_answers(batch=batch),
        abstained=abstained_queries(batch=batch),
    )
    with transaction.atomic():
        labelling, _is_new = Labelling.objects.update_or_create(
            batch=batch, defaults={"method": method, "strict": strict, "seed": seed}
        )
        changed = _labels_store(batch=batch, method=method, decisions=decisions)
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.LABELS_DECIDED,
            detail={"method": method, "strict": strict, "seed": seed, "changed": changed},
        )
    return _report(method, decisions, changed, votes_out(batch=batch, by=labelling))


def _labels_store(*, batch: Batch, method: str, decisions: Decisions) -> int:
    """Write the labels that differ from the stored ones; those of queries without votes go."""
    keys = dict(study_queries(batch=batch).values_list("qid", "pk"))
    stored = {
        label.query_id: label for label in Label.objects.filter(query__batch=batch, method=method)
    }
    now = timezone.now()
    changed = []
    for one in decisions.rows:
        new = Label(
            query_id=keys[one.query],
            method=method,
            value=one.label if one.label is not None else TIE,
            n_votes=one.n_votes,
            n_for=one.n_for,
            confidence=one.confidence,
            decided_at=now,
        )
        old = stored.pop(new.query_id, None)
        if old is None or any(getattr(old, name) != getattr(new, name) for name in _FIELDS[:-1]):
            changed.append(new)
    Label.objects.bulk_create(
        changed,
        batch_size=_CHUNK,
        update_conflicts=True,
        unique_fields=["query", "method"],
        update_fields=_FIELDS,
    )
    gone = list(stored)
    for start in range(0, len(gone), _CHUNK):
        Label.objects.filter(query__in=gone[start : start + _CHUNK], method=method).delete()
    return len(changed) + len(gone)


def _report(method: str, decisions: Decisions, changed: int, out: VotesOut) -> LabellingReport:
    labels = [one.label for one in decisions.rows]
    return LabellingReport(
        method=method,
        n_queries=len(labels),
        labels={category: labels.count(category) for category in Category.values},
        ties=labels.count(None),
        without_votes=decisions.without_votes,
        n_changed=changed,
        votes_out=out,
        notes=list(decisions.notes),
    )


@dataclass(frozen=True, kw_only=True)
class LabelParameters:
    method: str = parameter(
        str(LabelMethod.MAJORITY),
        choices=[(method, LabelMethod(method).label) for method in METHODS],
        help_text="How votes become a label.",
    )
    strict: bool = parameter(
        default=False, help_text="Majority needs more than half of a query's votes."
    )
    seed: int = parameter(0, min_value=0, max_value=2**31 - 1, help_text="Of the model's start.")


class DecideLabels(Operation[Batch, LabelParameters]):
    """Decide the label of every query that has votes.

    By majority it is the category with strictly more votes than every other; a query without one
    is a tie, never a guess.
    """

    needs_categories = "each question is decided by its kind, on the page of the scheme"
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
        return labelling_state(subject)

    def run(self, subject: Batch, parameters: LabelParameters, run: Run) -> Result:
        report = batch_label(
            batch=subject,
            method=parameters.method,
            strict=parameters.strict,
            seed=parameters.seed,
            actor=run.actor.name,
        )
        counts = ", ".join(
            f"{count:,} {Category(code).label.lower()}" for code, count in report.labels.items()
        )
        remarks = list(report.notes)
        if report.without_votes:
            remarks.insert(0, f"{report.without_votes:,} queries have no vote yet.")
        message = f"{report.n_queries:,} queries labelled: {counts}, {report.ties:,} ties."
        return Result(
            report.as_dict(), " ".join([message, *remarks]), note=report.votes_out.warning
        )


LABEL = DecideLabels()
