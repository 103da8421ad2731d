"""Agreement and decisions on one question of a scheme, by its kind.

Answers are sets of codes by query and worker: one code for single options and points of a scale,
several for a question with several options.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from annotation.schemes import Level, Question
from metrics.votes import coefficients
from metrics.votes.coefficients import Coefficient
from metrics.votes.estimates import crossed_alpha
from metrics.votes.intervals import Estimate
from metrics.votes.majority import UNDECIDED, VOTES_BESIDE_ABSTENTIONS, majority
from metrics.votes.median import middles
from metrics.votes.patterns import Patterns
from metrics.votes.table import Counts, VoteTable

Answer = frozenset[str]
#: By query, then by worker. "I cannot tell" is no answer: it is left out before.
Answers = Mapping[str, Mapping[str, Answer]]

#: Note on a question that earlier decisions skip, though some workers answered it.
NOT_SHOWN = "Not asked, by the answers that are decided before."
#: Note on a query without answers when a method labelled its question.
NO_LABEL = "Answered after the labels were decided."
#: Note on a query whose votes decide nothing.
TIED = "Tie."
#: Note on a query that somebody could not judge and too few others answered.
TOO_FEW = "Too few answers beside “I cannot tell”."
#: An option of several is decided where more than this share of the workers marked it.
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class QuestionAgreement:
    """Agreement on one question; what is not defined for its kind is None.

    `by_option` is the nominal alpha of each option of a question with several: marked or not.
    `n_queries` have an answer, `n_paired` of them two or more. `warnings` say why alpha has no
    interval.
    """

    coefficient: str
    alpha: Estimate
    ac1: float | None
    raw: float | None
    by_option: dict[str, float | None]
    n_queries: int
    n_paired: int
    n_answers: int
    n_workers: int
    warnings: list[str]


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


def masi_distance(a: Answer, b: Answer) -> float:
    """1 - J M: Jaccard's index times 1 for equal sets, 2/3 subset, 1/3 overlap, 0 disjoint.

    Passonneau, Measuring Agreement on Set-valued Items (MASI), LREC 2006.
    """
    if a == b:
        return 0.0
    common = len(a & b)
    if not common:
        return 1.0
    monotonicity = 2 / 3 if a <= b or b <= a else 1 / 3
    return 1.0 - common / len(a | b) * monotonicity


def question_agreement(
    question: Question, answers: Answers, *, hits: Mapping[str, int] | None = None
) -> QuestionAgreement:
    """Agreement on a closed question by the coefficient that fits its kind.

    Nominal, ordinal or interval alpha by the question's level, and alpha with MASI distances for
    several options; AC1 and raw agreement for single nominal options. The interval of alpha holds
    for other queries and other workers; where no interval would hold, there is none; queries of one
    HIT, by `hits`, are not independent draws.
    """
    values = _values(question, answers)
    table = _table(values, answers, hits)
    counts = table.counts()
    patterns = Patterns.of(counts)
    is_compared = question.kind.takes_one and not question.kind.has_points
    defined = is_compared and bool(patterns.n_queries)
    raw = coefficients.raw_agreement(patterns, patterns.observed)[0] if defined else np.nan
    ac1 = (
        coefficients.gwet_ac1(len(question.options))(patterns, patterns.observed)[0]
        if question.is_nominal and defined
        else np.nan
    )
    alpha, warnings = crossed_alpha(table, _alpha(question, values))
    return QuestionAgreement(
        coefficient="MASI" if question.kind.takes_several else question.level.value,
        alpha=alpha,
        ac1=None if np.isnan(ac1) else float(ac1),
        raw=None if np.isnan(raw) else float(raw),
        by_option=_by_option(question, answers) if question.kind.takes_several else {},
        n_queries=patterns.n_queries,
        n_paired=int((counts.sum(axis=1) > 1).sum()),
        n_answers=len(table),
        n_workers=len(table.workers),
        warnings=warnings,
    )


def decide_answer(
    question: Question,
    answers: Sequence[Answer],
    *,
    threshold: Fraction = HALF,
    is_abstained: bool = False,
) -> AnswerDecision:
    """The decision on `answers`, one set of codes for each worker.

    The majority of single nominal options, with ties left undecided; the median of ordinal
    options and of points, the lower of two middles; of several options each one that more than
    `threshold` of the workers marked. Where somebody could not tell (`is_abstained`), one answer
    decides nothing.
    """
    if not answers or not question.kind.has_options:
        return AnswerDecision(None, len(answers), 0, "No answer.")
    if _are_too_few(answers, is_abstained=is_abstained):
        return AnswerDecision(None, len(answers), 0, TOO_FEW)
    if question.kind.takes_several:
        return _per_option(question, answers, threshold)
    codes = [next(iter(answer)) for answer in answers]
    if question.level == Level.NOMINAL:
        return _majority(question, codes)
    return _median(question, codes)


def unlabelled(answers: Sequence[Answer], *, is_abstained: bool = False) -> AnswerDecision:
    """Return the open decision on a query to which the question's method gave no label."""
    if not answers:
        return AnswerDecision(None, 0, 0, "No answer.")
    too_few = _are_too_few(answers, is_abstained=is_abstained)
    return AnswerDecision(None, len(answers), 0, TOO_FEW if too_few else NO_LABEL)


def adjudicated(answers: Sequence[Answer], decided: Adjudication) -> AnswerDecision:
    """Return an adjudicator's decision, with the number of answers that contain all of it."""
    n_for = sum(decided.codes <= answer for answer in answers)
    return AnswerDecision(decided.codes, len(answers), n_for, "Adjudicated.", decided)


def _are_too_few(answers: Sequence[Answer], *, is_abstained: bool) -> bool:
    return is_abstained and len(answers) < VOTES_BESIDE_ABSTENTIONS


def _majority(question: Question, codes: Sequence[str]) -> AnswerDecision:
    counts = _counts(question, codes)
    place = int(majority(counts)[0])
    if place == UNDECIDED:
        return AnswerDecision(None, len(codes), int(counts.max()), TIED)
    return AnswerDecision(frozenset({question.codes[place]}), len(codes), int(counts[0, place]))


def _median(question: Question, codes: Sequence[str]) -> AnswerDecision:
    low, high = (question.codes[int(of[0])] for of in middles(_counts(question, codes)))
    note = f"Lower of the middles {low} and {high}." if low != high else ""
    return AnswerDecision(frozenset({low}), len(codes), codes.count(low), note)


def _counts(question: Question, codes: Sequence[str]) -> Counts:
    """The answers to one query by option, as the only row."""
    counted = Counter(codes)
    return np.array([[counted[code] for code in question.codes]], dtype=np.int64)


def _per_option(
    question: Question, answers: Sequence[Answer], threshold: Fraction
) -> AnswerDecision:
    n = len(answers)
    marked = Counter(code for answer in answers for code in answer)
    decided = frozenset(code for code in question.codes if marked[code] > threshold * n)
    if not decided:
        return AnswerDecision(None, n, 0, f"No option has more than {threshold} of the answers.")
    return AnswerDecision(decided, n, min(marked[code] for code in decided))


def _values(question: Question, answers: Answers) -> list[Answer]:
    """The values that answers may have: each option, or the different sets that were given."""
    if not question.kind.takes_several:
        return [frozenset({code}) for code in question.codes]
    sets = {answer for by_worker in answers.values() for answer in by_worker.values()}
    return sorted(sets, key=lambda answer: (len(answer), sorted(answer)))


def _table(values: Sequence[Answer], answers: Answers, hits: Mapping[str, int] | None) -> VoteTable:
    """The answers as votes, whose labels are the values."""
    place = {value: str(number) for number, value in enumerate(values)}
    rows = [
        (qid, worker, place[answer])
        for qid, by_worker in answers.items()
        for worker, answer in by_worker.items()
    ]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    table = VoteTable.of(*columns, labels=list(place.values()), queries=list(answers))
    if hits is None:
        return table
    return replace(table, hits=np.array([hits[qid] for qid in answers], dtype=np.int32))


def _alpha(question: Question, values: Sequence[Answer]) -> Coefficient:
    if question.kind.takes_several:
        return coefficients.alpha_of_distances(_masi(values))
    if question.level == Level.ORDINAL:
        return coefficients.ordinal_alpha
    if question.level == Level.NOMINAL:
        return coefficients.krippendorff_alpha
    points = np.array(list(question.grades.values()), dtype=np.float64)
    return coefficients.alpha_of_distances((points[:, None] - points[None, :]) ** 2)


def _masi(values: Sequence[Answer]) -> npt.NDArray[np.float64]:
    return np.array([[masi_distance(a, b) for b in values] for a in values], dtype=np.float64)


def _by_option(question: Question, answers: Answers) -> dict[str, float | None]:
    alphas = {}
    for code in question.codes:
        marked = [
            [sum(code in answer for answer in by_worker.values()), len(by_worker)]
            for by_worker in answers.values()
        ]
        counts = np.array([[yes, n - yes] for yes, n in marked], dtype=np.int64).reshape(-1, 2)
        patterns = Patterns.of(counts)
        alpha = coefficients.krippendorff_alpha(patterns, patterns.observed)[0]
        alphas[code] = None if np.isnan(alpha) else float(alpha)
    return alphas
