"""Results of a scheme: agreement and decision for each question, and the subset."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from annotation.labels.answers import (
    NO_LABEL,
    NOT_SHOWN,
    Adjudication,
    Answer,
    AnswerDecision,
    Answers,
    QuestionAgreement,
    adjudicated,
    decide_answer,
    question_agreement,
    unlabelled,
)
from annotation.schemes import CANNOT_TELL, JOINED, Level, Question, Scheme
from metrics.votes.adaptive import asked_of_everybody
from metrics.votes.table import VoteTable
from metrics.votes.warnings import about_asking

#: The query and the worker of each answer that every query was asked for.
FirstRound = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class OptionShare:
    code: str
    label: str
    n: int
    alpha: float | None


@dataclass(frozen=True)
class QuestionResult:
    """One question: agreement of the workers, number of answers by option, and decisions.

    Agreement takes longer than all else, and is computed on demand.
    """

    question: Question
    answers: Answers
    n_cannot_tell: int
    n_decided: int
    n_undecided: int
    hits: Mapping[str, int]
    #: Of a batch that asks adaptively the answers that agreement is computed from.
    first_round: FirstRound | None = None

    @cached_property
    def agreement(self) -> QuestionAgreement:
        first = self.first_round
        if first is None:
            return question_agreement(self.question, self.answers, hits=self.hits)
        answers = {
            qid: {worker: answer for worker, answer in of.items() if (qid, worker) in first}
            for qid, of in self.answers.items()
        }
        agreement = question_agreement(self.question, answers, hits=self.hits)
        words = about_asking(_n_answers(answers), _n_answers(self.answers))
        return replace(agreement, warnings=[*words, *agreement.warnings])

    @property
    def options(self) -> list[OptionShare]:
        counts = Counter(
            code for of in self.answers.values() for answer in of.values() for code in answer
        )
        alphas = self.agreement.by_option
        return [
            OptionShare(option.code, option.label, counts[option.code], alphas.get(option.code))
            for option in self.question.options
        ]

    @property
    def rule(self) -> str:
        """The rule that decides the question, in words."""
        if self.question.kind.takes_several:
            return "each option that more than half of the workers marked"
        if self.question.level == Level.NOMINAL:
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
    def n_answers(self) -> int:
        """Answers to the question that most workers answered."""
        return max(decision.n_answers for decision in self.decisions.values())

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

    @property
    def cells(self) -> list[str]:
        """The texts of `shown`, with words where nothing is decided: no answer, or a tie."""
        return [
            _cell(decision) or ("undecided" if _applies(decision) else "–")
            for decision in self.decisions.values()
        ]

    @property
    def shown_with_source(self) -> list[tuple[str, str]]:
        """Each of `cells`, with who decided it."""
        sources = (decision.source for decision in self.decisions.values())
        return list(zip(self.cells, sources, strict=True))


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
    def n_open(self) -> int:
        """Questions about queries that wait for an adjudicator."""
        return sum(len(query.open) for query in self.queries)

    @property
    def closed(self) -> list[Question]:
        return self.scheme.closed


class AskedQuery(NamedTuple):
    """A query of a batch; `number` is its key where it is stored, `hit` its first HIT's place."""

    number: int
    qid: str
    text: str
    hit: int


#: The codes that were given, by question, then by the id of the query, then by worker.
AnswersByQuestion = Mapping[str, Mapping[str, Mapping[str, Answer]]]
#: What a person decided, by question and the id of the query.
Adjudications = Mapping[tuple[str, str], Adjudication]
#: What a method decided in place of the rule of the question's kind: by question, then by the id of
#: the query. A query that is missing there has no label.
Labels = Mapping[str, Mapping[str, AnswerDecision]]


class AdaptiveRule(NamedTuple):
    """The question by which a batch asks adaptively, and the share that gets three votes anyway."""

    question: str
    share: float
    seed: int
    any_three: bool = False


#: By question and the id of the query.
_Decided = dict[tuple[str, str], AnswerDecision]


def results_of(
    scheme: Scheme,
    queries: Sequence[AskedQuery],
    answers: AnswersByQuestion,
    *,
    adjudications: Adjudications | None = None,
    labels: Labels | None = None,
    adaptive: AdaptiveRule | None = None,
) -> SchemeResults:
    """Agreement, decisions and subset from `answers` that count; free texts decide nothing.

    Agreement is that of the answers, whatever a person decided; where the batch asks by the rule
    `adaptive`, that of the answers which every query was asked for.
    """
    first = adaptive and first_round(scheme, answers, adaptive)
    by_question = _by_question(scheme, queries, answers)
    decided = _decide(scheme, by_question, adjudications or {}, labels or {})
    hits = {query.qid: query.hit for query in queries}
    return SchemeResults(
        scheme,
        [
            _question_result(scheme.question(name), by_query, decided, hits, first)
            for name, by_query in by_question.items()
        ],
        [_query_result(scheme, query, decided, by_question) for query in queries],
        len(
            {worker for of in answers.values() for by_worker in of.values() for worker in by_worker}
        ),
    )


def decisions_of(
    scheme: Scheme,
    queries: Sequence[AskedQuery],
    answers: AnswersByQuestion,
    *,
    adjudications: Adjudications | None = None,
    labels: Labels | None = None,
) -> list[QueryResult]:
    """The decisions alone, without agreement."""
    by_question = _by_question(scheme, queries, answers)
    decided = _decide(scheme, by_question, adjudications or {}, labels or {})
    return [_query_result(scheme, query, decided, by_question) for query in queries]


def _by_question(
    scheme: Scheme, queries: Sequence[AskedQuery], answers: AnswersByQuestion
) -> dict[str, dict[str, Mapping[str, Answer]]]:
    """Group the answers by closed question and query, also where there are none."""
    return {
        question.name: {
            query.qid: answers.get(question.name, {}).get(query.qid, {}) for query in queries
        }
        for question in scheme.closed
    }


def _decide(
    scheme: Scheme, by_question: AnswersByQuestion, adjudications: Adjudications, labels: Labels
) -> _Decided:
    """Decide question by question: whether one is asked depends on earlier decisions."""
    decided: _Decided = {}
    for name, by_query in by_question.items():
        question, by_method = scheme.question(name), labels.get(name)
        for qid, of in _without_abstentions(by_query).items():
            answers, is_abstained = list(of.values()), len(of) < len(by_query[qid])
            if person := adjudications.get((name, qid)):
                decision = adjudicated(answers, person)
            elif by_method is None:
                decision = decide_answer(question, answers, is_abstained=is_abstained)
            else:
                label = by_method.get(qid)
                decision = label or unlabelled(answers, is_abstained=is_abstained)
            if not _is_shown(scheme, question, qid, decided):
                decision = AnswerDecision(None, len(answers), 0, NOT_SHOWN)
            decided[name, qid] = decision
    return decided


def _question_result(
    question: Question,
    by_query: Answers,
    decided: _Decided,
    hits: Mapping[str, int],
    first: FirstRound | None,
) -> QuestionResult:
    answers = _without_abstentions(by_query)
    decisions = [decided[question.name, qid] for qid in answers]
    decisions = [decision for decision in decisions if _applies(decision)]
    n_decided = sum(decision.codes is not None for decision in decisions)
    return QuestionResult(
        question,
        answers,
        n_cannot_tell=_n_answers(by_query) - _n_answers(answers),
        n_decided=n_decided,
        n_undecided=len(decisions) - n_decided,
        hits=hits,
        first_round=first,
    )


def first_round(scheme: Scheme, answers: AnswersByQuestion, rule: AdaptiveRule) -> FirstRound:
    """The answers that every query was asked for, by query and worker, whatever the question.

    Whether a further worker is asked follows from the answers to one question.
    """
    by_query = _without_abstentions(answers.get(rule.question, {}))
    votes = [(qid, worker, code) for qid, of in by_query.items() for worker, (code,) in of.items()]
    table = VoteTable.of(
        *([vote[part] for vote in votes] for part in range(3)),
        labels=scheme.question(rule.question).codes,
    )
    is_first = asked_of_everybody(
        table,
        share=rule.share,
        seed=rule.seed,
        answers=_by_worker(scheme, answers),
        any_three=rule.any_three,
    )
    return frozenset(
        (qid, worker)
        for (qid, worker, _), is_asked in zip(votes, is_first, strict=True)
        if is_asked
    )


def _by_worker(scheme: Scheme, answers: AnswersByQuestion) -> dict[str, str]:
    """All that each worker answered, as text."""
    is_one = len(scheme.closed) == 1
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for question, by_query in answers.items():
        for qid, of in _without_abstentions(by_query).items():
            for worker, answer in of.items():
                codes = JOINED.join(sorted(answer))
                texts[worker].append(f"{qid}={codes}" if is_one else f"{qid}:{question}={codes}")
    return {worker: " ".join(sorted(of)) for worker, of in texts.items()}


def _n_answers(answers: Answers) -> int:
    return sum(len(of) for of in answers.values())


def _without_abstentions(by_query: Answers) -> dict[str, dict[str, Answer]]:
    """The answers without "I cannot tell"."""
    return {
        qid: {worker: answer for worker, answer in of.items() if CANNOT_TELL not in answer}
        for qid, of in by_query.items()
    }


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


def _query_result(
    scheme: Scheme,
    query: AskedQuery,
    decided: Mapping[tuple[str, str], AnswerDecision],
    by_question: AnswersByQuestion,
) -> QueryResult:
    number, qid, text, _ = query
    decisions = {question.name: decided[question.name, qid] for question in scheme.closed}
    codes = decisions[scheme.subset.question].codes
    answers = {name: by_question[name][qid].values() for name in decisions}
    return QueryResult(
        number=number,
        qid=qid,
        text=text,
        decisions=decisions,
        chosen={name: _chosen(scheme.question(name), of) for name, of in answers.items()},
        n_cannot_tell={
            name: sum(CANNOT_TELL in answer for answer in of) for name, of in answers.items()
        },
        is_in_subset=scheme.subset.holds(codes or frozenset()),
    )


def _chosen(question: Question, answers: Iterable[Answer]) -> dict[str, int]:
    counted = Counter(code for answer in answers for code in answer)
    return {code: counted[code] for code in question.codes}


def _cell(decision: AnswerDecision) -> str:
    return JOINED.join(sorted(decision.codes)) if decision.codes else ""
