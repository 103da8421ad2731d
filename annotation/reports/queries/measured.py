"""The queries of a batch for measuring, and who labelled them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.labels.queries.questions import category_chosen
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import study_queries, voter_kinds
from annotation.models import Batch
from annotation.reports.queries.comparison import decided_by
from annotation.schemes import ALL, JOINED, Question, Scheme
from annotation.vocabulary import UNVERIFIED, WorkerKind
from metrics.errors import InputError
from metrics.io.digests import bytes_digest
from metrics.runs.queries import Queries

_WHO: dict[str, str] = {
    WorkerKind.HUMAN: "of people",
    WorkerKind.SIMULATED: "simulated",
    WorkerKind.MODEL: "of language models",
    UNVERIFIED: "of participants of panels whose identity nothing proves",
}


@dataclass(frozen=True)
class LabelSource:
    """The queries to measure: those of a category in some batches, as decided by a method.

    All the batches ask the question that makes the subset of each. `category` is an option of it,
    or several joined, or `all` that have an answer; empty for the subset. `method` is empty for the
    decisions that stand, `strict` for a majority of more than half of the votes, or one of the
    methods of `decide`.
    """

    batches: Sequence[Batch]
    category: str = ""
    method: str = ""

    @property
    def question(self) -> Question:
        """The question that the batches have in common; `InputError` where they make no subset."""
        first, *others = (batch.scheme for batch in self.batches)
        if different := next((other for other in others if _subset(other) != _subset(first)), None):
            raise InputError(
                f"the batches make different subsets: {first.subset.words} "
                f"(by {first.subset.question!r}), and {different.subset.words} "
                f"(by {different.subset.question!r}).",
                remedy="Choose batches that ask for the same subset by the same question.",
            )
        return first.subset_question

    @property
    def codes(self) -> list[str]:
        """The options that put a query among those to measure by themselves."""
        scheme = self.batches[0].scheme
        return category_chosen(scheme, self.question, self.category).split(JOINED)

    @property
    def words(self) -> str:
        """The queries in words, as after "the mean over"; empty without a batch."""
        if not self.batches:
            return ""
        if not self.category:
            return self.batches[0].scheme.subset.words
        if self.category == ALL:
            return f"queries with an answer to {self.question.name}"
        labels = " or ".join(self.question.words([code]) for code in self.codes)
        return f"queries labelled {labels}"

    def has(self, answer: frozenset[str]) -> bool:
        """Return whether a query with this decided answer is among those to measure."""
        if not self.category:
            return self.batches[0].scheme.subset.holds(answer)
        return not answer.isdisjoint(self.codes)


def _subset(scheme: Scheme) -> tuple[object, ...]:
    """Everything that is the same in schemes that make one subset, whatever their words."""
    question = scheme.subset_question
    about = (question.name, question.kind, question.level, question.codes)
    return *about, replace(scheme.subset, words="")


def queries_of(source: LabelSource) -> tuple[Queries, list[str]]:
    """Return the queries of the source with their answers, and notes on their selection."""
    question = source.question
    decided = [_decided(batch, question, source.method) for batch in source.batches]
    doubtful = {
        qid
        for of_batch in decided
        for qid, (_, answer) in of_batch.items()
        if any(other.get(qid, ("", answer))[1] != answer for other in decided)
    }
    chosen = {
        qid: (text, JOINED.join(question.in_order(answer)))
        for of_batch in decided
        for qid, (text, answer) in of_batch.items()
        if qid not in doubtful and source.has(answer)
    }
    names = " and ".join(batch.name for batch in source.batches)
    if not chosen:
        who = f"the batch {names!r} has" if len(decided) == 1 else f"the batches {names} have"
        category = source.category
        where = f"of category {category!r}" if category else f"yet in: {source.words}"
        raise InputError(f"{who} no query {where}.")
    rows = [f"{qid}\t{answer}\t{text}\n" for qid, (text, answer) in sorted(chosen.items())]
    by = f", labels by {source.method}" if source.method else ""
    queries = Queries(
        path=f"batch {names}: {source.words}{by}",
        layout="labels",
        texts={qid: text for qid, (text, _) in chosen.items()},
        labels={qid: answer for qid, (_, answer) in chosen.items()},
        digest=bytes_digest("".join(rows).encode()),
    )
    left_out = f"{len(doubtful):,} queries are left out: the batches label them differently."
    return queries, [left_out] if doubtful else []


def _decided(
    batch: Batch, question: Question, method: str
) -> dict[str, tuple[str, frozenset[str]]]:
    """Text and answer of every query that has one, by id."""
    if not method:
        return {
            query.qid: (query.text, answer)
            for query in scheme_results(batch=batch).queries
            if (answer := query.decisions[question.name].codes)
        }
    if not question.is_nominal:
        raise InputError(
            f"{question.name!r} takes several answers or ordered ones, which no method decides.",
            remedy="Leave out the method: the rule of its kind decides.",
        )
    texts = dict(study_queries(batch=batch).values_list("qid", "text"))
    return {
        decision.item: (texts[decision.item], frozenset({decision.label}))
        for decision in decided_by(batch=batch, method=method, question=question.name).rows
        if decision.label is not None
    }


def labels_note(*, batch: Batch) -> str:
    """Say who voted; votes that no person gave are named wherever results show."""
    kinds = voter_kinds(batch=batch)
    if not kinds:
        return "labels imported as decided"
    if set(kinds) == {WorkerKind.SIMULATED}:
        return f"labels made from simulated votes ({kinds[WorkerKind.SIMULATED]:,})"
    votes = ", ".join(f"{count:,} {_WHO[kind]}" for kind, count in kinds.items())
    return f"labels made from votes: {votes}"


def not_by_people(*, batch: Batch) -> bool:
    """Return whether any vote behind the labels was not given by a person."""
    return bool(set(voter_kinds(batch=batch)) - {WorkerKind.HUMAN})


def labels_notes(*, batches: Sequence[Batch]) -> str:
    """`labels_note` of each batch."""
    return "; ".join(dict.fromkeys(labels_note(batch=batch) for batch in batches))


def labels_warnings(*, batches: Sequence[Batch]) -> list[str]:
    """Return notices for labels that are not by people alone."""
    return [
        f"Not the judgement of people alone: {labels_note(batch=batch)}. Do not report it as if "
        "it were."
        for batch in batches
        if not_by_people(batch=batch)
    ]
