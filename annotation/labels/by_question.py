"""Results of a batch question by question: agreement, the decisions on each query, the subset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.schemes import Question, Scheme
from metrics.vocabulary import JOINED
from metrics.votes.agreeing import MASI, Agreement, agree
from metrics.votes.deciding import Decision, State, decide_votes
from metrics.votes.table import Kind, Votes, joined

Answer = frozenset[str]

#: Note on a question that earlier decisions skip, though some workers answered it.
NOT_SHOWN = "Not asked, by the answers that are decided before."
#: Note on a query without answers when a method labelled its question.
NO_LABEL = "Answered after the labels were decided."
#: Note on a query whose votes decide nothing.
TIED = "Tie."
#: Note on a query that somebody could not judge and too few others answered.
TOO_FEW = "Too few answers beside “I cannot tell”."
#: The note on a decision that stands like this.
_NOTES = {
    State.TIE: TIED,
    State.TOO_FEW: TOO_FEW,
    State.NOT_ASKED: NOT_SHOWN,
    State.NO_VOTES: "No answer.",
}


@dataclass(frozen=True)
class Adjudication:
    """The answer that a person decided, by whom and why. It overrides the answers."""

    codes: Answer
    by: str
    reason: str


@dataclass(frozen=True)
class AnswerDecision:
    """The decided answer, None for a tie or no answer, with the reason in words.

    `confidence` is the posterior, if the method that decided has one.
    """

    codes: Answer | None
    n_answers: int
    n_for: int
    note: str = ""
    adjudication: Adjudication | None = None
    confidence: float | None = None

    @property
    def is_tie(self) -> bool:
        """True if there are enough answers, and they decide nothing."""
        is_open = self.codes is None and bool(self.n_answers)
        return is_open and self.note not in (NOT_SHOWN, TOO_FEW, NO_LABEL)

    @property
    def is_asked(self) -> bool:
        """True if the decisions on earlier questions lead to this question."""
        return self.note != NOT_SHOWN

    @property
    def source(self) -> str:
        """`answers` or `adjudicated`; empty where nothing is decided."""
        if self.codes is None:
            return ""
        return "adjudicated" if self.adjudication else "answers"


def kind_of(question: Question) -> Kind:
    """The kind of the question: what two answers have in common."""
    return Kind.SEVERAL if question.kind.takes_several else Kind(question.level.value)


def points_of(question: Question) -> tuple[float, ...]:
    """The values of its options, where differences between them mean something."""
    return tuple(map(float, question.grades.values())) if kind_of(question) == Kind.INTERVAL else ()


def marking(agreement: Agreement) -> dict[str, float | None]:
    """Of a question with several options the alpha of marking each one; else nothing."""
    if agreement.coefficient != MASI:
        return {}
    return {code: alpha.value for code, alpha in agreement.per_category_alpha.items()}


def answer_of(row: Decision) -> AnswerDecision:
    """The decision by votes as a batch has it."""
    codes = frozenset(row.label.split(JOINED)) if row.label else None
    note = row.note or _NOTES.get(row.state, "")
    return AnswerDecision(codes, row.n_votes, row.n_for, note, confidence=row.confidence)


@dataclass(frozen=True)
class OptionShare:
    code: str
    label: str
    n: int
    alpha: float | None


@dataclass(frozen=True)
class QuestionResult:
    """One question: its votes, how far the workers agree, and how many queries are decided.

    Agreement takes longer than all else, and is computed on demand.
    """

    question: Question
    votes: Votes
    n_decided: int
    n_undecided: int

    @cached_property
    def agreement(self) -> Agreement:
        return agree(self.votes)

    @property
    def options(self) -> list[OptionShare]:
        chosen = self.votes.counted().counts_of_options().sum(axis=0).tolist()
        alphas = marking(self.agreement)
        return [
            OptionShare(option.code, option.label, n, alphas.get(option.code))
            for option, n in zip(self.question.options, chosen, strict=True)
        ]

    @property
    def rule(self) -> str:
        """The rule that decides the question, in words."""
        if self.votes.kind == Kind.SEVERAL:
            return "each option that more than half of the workers marked"
        if self.votes.kind == Kind.NOMINAL:
            return "majority; a tie stays open"
        return "median, the lower of two middles"


@dataclass(frozen=True)
class QueryResult:
    """One query: for each closed question its decision, votes by option, and abstentions."""

    number: int
    qid: str
    text: str
    decisions: Mapping[str, AnswerDecision]
    chosen: Mapping[str, Mapping[str, int]]
    n_cannot_tell: Mapping[str, int]
    is_in_subset: bool

    @property
    def shown(self) -> list[str]:
        """The decided codes of each question, as tables show them."""
        return [_cell(decision) for decision in self.decisions.values()]

    @property
    def adjudicated(self) -> list[str]:
        """The questions that a person decided."""
        return [name for name, decision in self.decisions.items() if decision.adjudication]

    @property
    def open(self) -> list[str]:
        """The questions with an answer about the query, but without a decision."""
        return [
            name
            for name, decision in self.decisions.items()
            if decision.codes is None
            and decision.note not in (NOT_SHOWN, NO_LABEL)
            and (decision.n_answers or self.n_cannot_tell[name])
        ]


@dataclass(frozen=True)
class SchemeResults:
    scheme: Scheme
    questions: list[QuestionResult]
    queries: list[QueryResult]
    n_workers: int

    @property
    def subset(self) -> list[QueryResult]:
        return [query for query in self.queries if query.is_in_subset]

    @property
    def votes(self) -> dict[str, Votes]:
        """The votes by question, with the queries that earlier decisions ask it about."""
        return {row.question.name: row.votes for row in self.questions}


class AskedQuery(NamedTuple):
    """A query of a batch; `number` is its key where it is stored."""

    number: int
    qid: str
    text: str


#: What a person decided, by question and the id of the query.
Adjudications = Mapping[tuple[str, str], Adjudication]
#: What a method decided in place of the rule of the question's kind: by question, then by the id of
#: the query. A query that is missing there has no label.
Labels = Mapping[str, Mapping[str, AnswerDecision]]
#: By question and the id of the query.
_Decided = dict[tuple[str, str], AnswerDecision]


def results_of(
    scheme: Scheme,
    queries: Sequence[AskedQuery],
    votes: Mapping[str, Votes],
    *,
    adjudications: Adjudications | None = None,
    labels: Labels | None = None,
) -> SchemeResults:
    """Agreement, decisions and subset from the votes on each closed question about `queries`.

    On each query a person decides, else the method by which a question is labelled, else the rule
    of its kind. Agreement is that of the answers, whatever a person decided.
    """
    decided = _decide(scheme, votes, adjudications or {}, labels or {})
    return SchemeResults(
        scheme,
        [_question_result(scheme.question(name), of, decided) for name, of in votes.items()],
        list(_query_results(scheme, queries, votes, decided)),
        len({worker for of in votes.values() for worker in of.counted().workers}),
    )


def _decide(
    scheme: Scheme, votes: Mapping[str, Votes], adjudications: Adjudications, labels: Labels
) -> _Decided:
    """Decide question by question: whether one is asked depends on earlier decisions."""
    decided: _Decided = {}
    for name, of in votes.items():
        question, by_method = scheme.question(name), labels.get(name)
        are_asked = [_is_shown(scheme, question, qid, decided) for qid in of.items]
        counts = of.counted().counts()
        rows = decide_votes(replace(of, asked=np.array(are_asked, dtype=bool))).every
        for row, counted in zip(rows, counts, strict=True):
            decision = answer_of(row)
            if decision.is_asked:
                if by_method is not None:
                    decision = by_method.get(row.item) or _unlabelled(row)
                if person := adjudications.get((name, row.item)):
                    n_for = sum(
                        int(n)
                        for n, label in zip(counted, of.labels, strict=True)
                        if person.codes <= set(label.split(JOINED))
                    )
                    decision = AnswerDecision(
                        person.codes, row.n_votes, n_for, "Adjudicated.", person
                    )
            decided[name, row.item] = decision
    return decided


def _unlabelled(row: Decision) -> AnswerDecision:
    """The open decision on a query to which the question's method gave no label."""
    is_open = row.state in (State.TOO_FEW, State.NO_VOTES)
    return AnswerDecision(None, row.n_votes, 0, _NOTES[row.state] if is_open else NO_LABEL)


def _question_result(question: Question, votes: Votes, decided: _Decided) -> QuestionResult:
    decisions = [decided[question.name, qid] for qid in votes.items]
    are_asked = np.array([decision.is_asked for decision in decisions], dtype=bool)
    decisions = [decision for decision in decisions if _applies(decision)]
    n_decided = sum(decision.codes is not None for decision in decisions)
    votes = replace(votes, asked=are_asked)
    return QuestionResult(question, votes, n_decided, len(decisions) - n_decided)


def _is_shown(
    scheme: Scheme, question: Question, qid: str, decided: Mapping[tuple[str, str], AnswerDecision]
) -> bool:
    """Return whether the decisions on earlier questions lead to this question."""
    condition = question.shown_if
    if condition is None:
        return True
    before = scheme.question(condition.question)
    codes = decided[before.name, qid].codes or frozenset()
    return _is_shown(scheme, before, qid, decided) and not codes.isdisjoint(condition.any_of)


def _applies(decision: AnswerDecision) -> bool:
    return decision.codes is not None or decision.is_tie


def _query_results(
    scheme: Scheme, queries: Sequence[AskedQuery], votes: Mapping[str, Votes], decided: _Decided
) -> Iterator[QueryResult]:
    counted = {name: of.counted() for name, of in votes.items()}
    chosen = {name: of.counts_of_options().tolist() for name, of in counted.items()}
    untold = {name: of.untold().tolist() for name, of in counted.items()}
    for place, (number, qid, text) in enumerate(queries):
        decisions = {name: decided[name, qid] for name in votes}
        codes = decisions[scheme.subset.question].codes
        yield QueryResult(
            number=number,
            qid=qid,
            text=text,
            decisions=decisions,
            chosen={
                name: dict(zip(of.options, chosen[name][place], strict=True))
                for name, of in votes.items()
            },
            n_cannot_tell={name: of[place] for name, of in untold.items()},
            is_in_subset=scheme.subset.holds(codes or frozenset()),
        )


def _cell(decision: AnswerDecision) -> str:
    return joined(decision.codes or ())
