"""Results of a batch question by question: agreement, the decisions on each query, the subset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annotation.schemes import Question, Scheme
from metrics.vocabulary import JOINED
from metrics.votes.agreeing import agree
from metrics.votes.agreement import Agreement
from metrics.votes.deciding import Decision, State, decide_votes
from metrics.votes.table import Kind, Votes, joined


@dataclass(frozen=True)
class Adjudication:
    """The answer that a person decided, by whom and why. It overrides the answers."""

    codes: frozenset[str]
    by: str
    reason: str


def kind_of(question: Question) -> Kind:
    """The kind of the question: what two answers have in common."""
    return Kind.SEVERAL if question.kind.takes_several else Kind(question.level.value)


def points_of(question: Question) -> tuple[float, ...]:
    """The values of its options, where differences between them mean something."""
    return tuple(map(float, question.grades.values())) if kind_of(question) == Kind.INTERVAL else ()


def stored_decision(
    item: str, label: str, n_votes: int, n_for: int, confidence: float | None = None
) -> Decision:
    """The decision of a method as it is stored: without a label a tie, or of no votes."""
    undecided = State.TIE if n_votes else State.NO_VOTES
    state = State.DECIDED if label else undecided
    return Decision(item, label or None, n_votes, n_for, state, confidence=confidence)


def marking(agreement: Agreement) -> dict[str, float | None]:
    """Of a question with several options the alpha of marking each one; else nothing."""
    if agreement.coefficient != Kind.SEVERAL.distance:
        return {}
    return {code: alpha.value for code, alpha in agreement.per_category_alpha.items()}


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
    """One query: for each closed question its decision, votes by option, and a person's decision.

    `adjudications` are those of the questions that a person decided.
    """

    number: int
    qid: str
    text: str
    decisions: Mapping[str, Decision]
    chosen: Mapping[str, Mapping[str, int]]
    adjudications: Mapping[str, Adjudication]
    is_in_subset: bool

    @property
    def shown(self) -> list[str]:
        """The decided codes of each question, as tables show them."""
        return [joined(decision.codes) for decision in self.decisions.values()]

    @property
    def open(self) -> list[str]:
        """The questions with an answer about the query, but without a decision."""
        return [
            name
            for name, decision in self.decisions.items()
            if decision.state in (State.TIE, State.TOO_FEW)
            or (
                decision.state == State.NO_VOTES and decision.n_cannot_tell and not decision.n_votes
            )
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
Labels = Mapping[str, Mapping[str, Decision]]
#: By question and the id of the query.
_Decided = dict[tuple[str, str], Decision]


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
    adjudications = adjudications or {}
    decided = _decide(scheme, votes, adjudications, labels or {})
    return SchemeResults(
        scheme,
        [_question_result(scheme.question(name), of, decided) for name, of in votes.items()],
        list(_query_results(scheme, queries, votes, decided, adjudications)),
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
            decision = row
            if row.is_asked:
                if by_method is not None:
                    decision = by_method.get(row.item) or _unlabelled(row)
                    decision = replace(decision, n_cannot_tell=row.n_cannot_tell)
                if person := adjudications.get((name, row.item)):
                    n_for = sum(
                        int(n)
                        for n, label in zip(counted, of.labels, strict=True)
                        if person.codes <= set(label.split(JOINED))
                    )
                    label = joined(person.codes)
                    decision = Decision(
                        row.item, label, row.n_votes, n_for, State.DECIDED, row.n_cannot_tell
                    )
            decided[name, row.item] = decision
    return decided


def _unlabelled(row: Decision) -> Decision:
    """The open decision on a query to which the question's method gave no label.

    Votes that came since are not a tie.
    """
    state = State.TOO_FEW if row.state == State.TOO_FEW else State.NO_VOTES
    return Decision(row.item, None, row.n_votes, 0, state)


def _question_result(question: Question, votes: Votes, decided: _Decided) -> QuestionResult:
    decisions = [decided[question.name, qid] for qid in votes.items]
    states = [decision.state for decision in decisions]
    are_asked = np.array([decision.is_asked for decision in decisions], dtype=bool)
    votes = replace(votes, asked=are_asked)
    return QuestionResult(question, votes, states.count(State.DECIDED), states.count(State.TIE))


def _is_shown(scheme: Scheme, question: Question, qid: str, decided: _Decided) -> bool:
    """Return whether the decisions on earlier questions lead to this question."""
    condition = question.shown_if
    if condition is None:
        return True
    before = scheme.question(condition.question)
    codes = decided[before.name, qid].codes
    return _is_shown(scheme, before, qid, decided) and not codes.isdisjoint(condition.any_of)


def _query_results(
    scheme: Scheme,
    queries: Sequence[AskedQuery],
    votes: Mapping[str, Votes],
    decided: _Decided,
    adjudications: Adjudications,
) -> Iterator[QueryResult]:
    chosen = {name: of.counted().counts_of_options().tolist() for name, of in votes.items()}
    for place, (number, qid, text) in enumerate(queries):
        decisions = {name: decided[name, qid] for name in votes}
        yield QueryResult(
            number=number,
            qid=qid,
            text=text,
            decisions=decisions,
            chosen={
                name: dict(zip(of.options, chosen[name][place], strict=True))
                for name, of in votes.items()
            },
            adjudications={
                name: adjudications[name, qid]
                for name, decision in decisions.items()
                if decision.is_asked and (name, qid) in adjudications
            },
            is_in_subset=scheme.subset.holds(decisions[scheme.subset.question].codes),
        )
