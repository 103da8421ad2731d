"""Grades of the pairs of a batch by a rule, as qrels have them."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.core.counting import counted
from annotation.labels.export.label_formats.qrels import RULES, STANDING
from annotation.labels.export.labels import ExportedLabel
from annotation.labels.queries.deciding import decisions_of_votes, method_chosen, methods_of
from annotation.labels.queries.labels import exported_labels, source_of
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes import study_queries, votes_that_count
from annotation.models import Batch
from annotation.schemes import About, Question
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from metrics.runs.qrels import LEANS


@dataclass(frozen=True)
class Judgments:
    """The graded pairs in the batch's order, and how many are gold, or have no decision."""

    labels: list[ExportedLabel]
    n_gold: int
    n_undecided: int

    @property
    def left_out(self) -> str:
        """The pairs without a grade in words; empty where every pair has one."""
        numbers = {"undecided": self.n_undecided, "gold": self.n_gold}
        parts = [f"{n:,} {what}" for what, n in numbers.items() if n]
        n_pairs = counted(self.n_gold + self.n_undecided, "pair")
        return f"{n_pairs} left out: {', '.join(parts)}." if parts else ""


def is_of_pairs(*, batch: Batch) -> bool:
    """Return whether the items of the batch are pairs of query and passage."""
    return batch.scheme.about == About.PASSAGE


def qrels_values(question: Question) -> Mapping[str, int | str]:
    """The grade of each option in qrels; of genders the label that LabelRaB reads in its place."""
    genders = {code: "both" if code == "b" else code for code in question.codes}
    return question.grades or (genders if LEANS.keys() >= {*genders.values()} else {})


def qrels_rules(*, batch: Batch, question: Question) -> list[str]:
    """The rules by which labels of that question can be exported as qrels."""
    if not (is_of_pairs(batch=batch) and qrels_values(question)):
        return []
    return [rule for rule in RULES if rule == STANDING or rule in methods_of(question)]


def has_grades(*, batch: Batch, question: Question) -> bool:
    """Return whether labels of that question are grades of pairs."""
    return bool(question.grades) and is_of_pairs(batch=batch)


def graded_question(*, batch: Batch, name: str = "") -> Question:
    """The named question whose labels are grades of pairs; without a name the first of them."""
    check_is_of_pairs(batch=batch)
    named = closed_question(batch=batch, name=name) if name else None
    questions = [named] if named else batch.scheme.closed
    graded = [question for question in questions if question.grades]
    if not graded:
        raise _no_grades(questions[0])
    return graded[0]


def check_is_of_pairs(*, batch: Batch) -> None:
    """Raise `InputError` for a batch of queries."""
    if not is_of_pairs(batch=batch):
        raise InputError(
            f"the batch {batch.name!r} judges queries, not pairs of query and passage: it has no "
            "qrels.",
            remedy="Qrels are of a batch whose scheme is about passages, such as relevance.",
        )


def _no_grades(question: Question) -> InputError:
    options = ", ".join(question.codes)
    return InputError(
        f"the options of {question.name!r} ({options}) are not grades: they are not whole numbers, "
        "and have no order.",
        remedy="Its labels are exported as csv, tsv and jsonl.",
    )


def judgments(*, batch: Batch, question: Question, rule: str) -> Judgments:
    """The grade of each pair that the rule decides; `InputError` for labels that are not grades."""
    check_is_of_pairs(batch=batch)
    grades = qrels_values(question)
    if not grades:
        raise _no_grades(question)
    labels = labels_by(rule, batch=batch, question=question)
    graded = [label.graded(grades) for label in labels]
    n_pairs = study_queries(batch=batch).count()
    return Judgments(graded, batch.queries.count() - n_pairs, n_pairs - len(graded))


def labels_by(rule: str, *, batch: Batch, question: Question) -> list[ExportedLabel]:
    """The decided labels by a rule of the export of qrels, without ties."""
    if rule == STANDING:
        return exported_labels(batch=batch, question=question)
    return _by_votes(batch, question, method_chosen(question, rule))


def _by_votes(batch: Batch, question: Question, method: str) -> list[ExportedLabel]:
    if not votes_that_count(batch=batch, question=question.name).exists():
        raise InputError(
            f"the batch {batch.name!r} has no votes yet.",
            remedy=f"Labels that were imported as decided are {STANDING}.",
        )
    texts = dict(study_queries(batch=batch).values_list("qid", "text"))
    decisions = decisions_of_votes(batch=batch, question=question, method=method)
    return [
        ExportedLabel(
            qid,
            texts[decision.item],
            decision.label,
            method,
            source_of(decision.label, method, decision.n_votes, decision.n_for),
            decision.n_votes,
            decision.n_for,
            docno=docno,
        )
        for decision in decisions.rows
        if decision.label is not None
        for qid, docno in [split_pair_id(decision.item)]
    ]
