"""Agreement and decisions on one question of a scheme, by its kind.

Answers are sets of codes by query and worker: one code for single options and points of a scale,
several for a question with several options.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from annotation.agreement import coefficients
from annotation.agreement.alpha import alpha_of_distances, alpha_of_level, krippendorff_alpha
from annotation.agreement.intervals import RESAMPLES, Estimate, Statistic, bootstrap, estimate
from annotation.agreement.patterns import Patterns, Weights
from annotation.agreement.table import Counts
from annotation.schemes import Kind, Level, Question

Answer = frozenset[str]
#: By query, then by worker. "I cannot tell" is no answer: it is left out before.
Answers = Mapping[str, Mapping[str, Answer]]

#: An option of several is decided where more than this share of the workers marked it.
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class QuestionAgreement:
    """Agreement on one question; what is not defined for its kind is None.

    `by_option` is the nominal alpha of each option of a question with several: marked or not.
    """

    coefficient: str
    alpha: Estimate
    ac1: float | None
    raw: float | None
    by_option: dict[str, float | None]
    n_queries: int
    n_answers: int
    n_workers: int


@dataclass(frozen=True)
class Adjudication:
    """The answer that a person decided, by whom and why. It stands before what answers decide."""

    codes: Answer
    by: str
    reason: str


@dataclass(frozen=True)
class AnswerDecision:
    """The decided answer, None for a tie or no answer, with why it is so in words."""

    codes: Answer | None
    n_answers: int
    n_for: int
    note: str = ""
    adjudication: Adjudication | None = None

    @property
    def source(self) -> str:
        """Who decided: `answers`, or `adjudicated`; empty where nothing is decided."""
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
    question: Question, answers: Answers, *, resamples: int = RESAMPLES, seed: int = 0
) -> QuestionAgreement:
    """Agreement on a closed question by the coefficient that fits its kind.

    Nominal, ordinal or interval alpha by the question's level, and alpha with MASI distances for
    several options, with the percentile interval of a bootstrap over queries; AC1 and raw
    agreement for single nominal options.
    """
    values = _values(question, answers)
    counts = _counts(values, answers)
    is_nominal = question.kind == Kind.SINGLE and question.level == Level.NOMINAL
    patterns = Patterns.of(counts)
    defined = question.kind == Kind.SINGLE and bool(patterns.n_queries)
    raw = coefficients.raw_agreement(patterns, patterns.observed)[0] if defined else np.nan
    ac1 = (
        coefficients.gwet_ac1(len(question.options))(patterns, patterns.observed)[0]
        if is_nominal and defined
        else np.nan
    )
    return QuestionAgreement(
        coefficient="MASI" if question.kind == Kind.MULTI else question.level.value,
        alpha=estimate(
            _alpha(question, values, counts), _resampled(question, values, counts, resamples, seed)
        ),
        ac1=None if np.isnan(ac1) else float(ac1),
        raw=None if np.isnan(raw) else float(raw),
        by_option=_by_option(question, answers) if question.kind == Kind.MULTI else {},
        n_queries=patterns.n_queries,
        n_answers=int(counts.sum()),
        n_workers=len({worker for given in answers.values() for worker in given}),
    )


def decide_answer(
    question: Question, given: Sequence[Answer], *, threshold: Fraction = HALF
) -> AnswerDecision:
    """The answer that stands for `given`, one set of codes for each worker.

    The plurality of single nominal options, with ties left undecided; the median of ordinal
    options and of points, the lower of two middles; of several options each one that more than
    `threshold` of the workers marked.
    """
    n = len(given)
    if not n or question.kind == Kind.TEXT:
        return AnswerDecision(None, n, 0, "No answer.")
    if question.kind == Kind.MULTI:
        return _per_option(question, given, threshold)
    codes = [next(iter(answer)) for answer in given]
    if question.level == Level.NOMINAL:
        return _plurality(codes)
    return _median(question, codes)


def adjudicated(given: Sequence[Answer], decided: Adjudication) -> AnswerDecision:
    """What a person decided, with how many of the answers hold all of it."""
    n_for = sum(decided.codes <= answer for answer in given)
    return AnswerDecision(decided.codes, len(given), n_for, "Adjudicated.", decided)


def _plurality(codes: Sequence[str]) -> AnswerDecision:
    counted = Counter(codes).most_common()
    most = counted[0][1]
    if len(counted) > 1 and counted[1][1] == most:
        return AnswerDecision(None, len(codes), most, "Tie.")
    return AnswerDecision(frozenset({counted[0][0]}), len(codes), most)


def _median(question: Question, codes: Sequence[str]) -> AnswerDecision:
    places = sorted(question.codes.index(code) for code in codes)
    low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
    code = question.codes[low]
    note = f"Lower of the middles {code} and {question.codes[high]}." if low != high else ""
    return AnswerDecision(frozenset({code}), len(codes), codes.count(code), note)


def _per_option(question: Question, given: Sequence[Answer], threshold: Fraction) -> AnswerDecision:
    n = len(given)
    marked = Counter(code for answer in given for code in answer)
    decided = frozenset(code for code in question.codes if marked[code] > threshold * n)
    if not decided:
        return AnswerDecision(None, n, 0, f"No option has more than {threshold} of the answers.")
    return AnswerDecision(decided, n, min(marked[code] for code in decided))


def _values(question: Question, answers: Answers) -> list[Answer]:
    """The values that answers may have: each option, or the different sets that were given."""
    if question.kind != Kind.MULTI:
        return [frozenset({code}) for code in question.codes]
    sets = {answer for given in answers.values() for answer in given.values()}
    return sorted(sets, key=lambda answer: (len(answer), sorted(answer)))


def _counts(values: Sequence[Answer], answers: Answers) -> Counts:
    column = {value: place for place, value in enumerate(values)}
    counts = np.zeros((len(answers), len(values)), dtype=np.int64)
    for row, given in enumerate(answers.values()):
        for answer in given.values():
            counts[row, column[answer]] += 1
    return counts


def _alpha(question: Question, values: Sequence[Answer], counts: Counts) -> float | None:
    if question.kind == Kind.MULTI:
        return alpha_of_distances(counts, _masi(values))
    return alpha_of_level(counts, question.level, _domain(question))


def _domain(question: Question) -> list[float]:
    """Points of a scale by their numbers, other options by their places."""
    if question.kind == Kind.SCALE:
        return [float(code) for code in question.codes]
    return [float(place) for place in range(len(question.codes))]


def _masi(values: Sequence[Answer]) -> npt.NDArray[np.float64]:
    return np.array([[masi_distance(a, b) for b in values] for a in values], dtype=np.float64)


def _by_option(question: Question, answers: Answers) -> dict[str, float | None]:
    found = {}
    for code in question.codes:
        marked = [
            [sum(code in answer for answer in given.values()), len(given)]
            for given in answers.values()
        ]
        counts = np.array([[yes, n - yes] for yes, n in marked], dtype=np.int64).reshape(-1, 2)
        found[code] = krippendorff_alpha(counts)
    return found


def _resampled(
    question: Question, values: Sequence[Answer], counts: Counts, resamples: int, seed: int
) -> npt.NDArray[np.float64]:
    """Alpha of queries drawn anew with replacement, `resamples` times."""
    pairable = Patterns.of(counts[counts.sum(axis=1) > 1])
    if not pairable.n_queries:
        return np.full(0, np.nan)
    is_ordinal = question.level == Level.ORDINAL
    alpha = _ordinal_alphas if is_ordinal else _alphas(_distances(question, values))
    return bootstrap(pairable, {"alpha": alpha}, resamples=resamples, seed=seed)["alpha"]


def _distances(question: Question, values: Sequence[Answer]) -> npt.NDArray[np.float64]:
    if question.kind == Kind.MULTI:
        return _masi(values)
    points = np.array(_domain(question))
    gap: npt.NDArray[np.float64] = points[:, None] - points[None, :]
    return gap**2 if question.level == Level.INTERVAL else (gap != 0).astype(np.float64)


def _alphas(delta: npt.NDArray[np.float64]) -> Statistic:
    """1 - (n - 1) D_o / D_e: D_o the differences within queries, D_e those of all pairs."""

    def found(patterns: Patterns, weights: Weights) -> npt.NDArray[np.float64]:
        rows = patterns.rows
        within = np.einsum("ui,ij,uj->u", rows, delta, rows) / (patterns.votes - 1)
        totals = weights @ rows
        over = np.einsum("si,ij,sj->s", totals, delta, totals)
        return _ratio(weights @ within, over, totals.sum(axis=1))

    return found


def _ordinal_alphas(patterns: Patterns, weights: Weights) -> npt.NDArray[np.float64]:
    """The ordinal difference depends on the values drawn, and so is computed for each draw."""
    per_answer = 1.0 / (patterns.votes - 1)
    return np.array([_ordinal(patterns.rows, per_answer, drawn) for drawn in weights])


def _ordinal(
    pairable: npt.NDArray[np.float64],
    per_answer: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> float:
    totals = weights @ pairable
    below = np.cumsum(totals) - totals / 2
    delta = (below[:, None] - below[None, :]) ** 2
    # Pairs of an answer with itself have no difference: the coincidences may keep them.
    together = (pairable * (weights * per_answer)[:, None]).T @ pairable
    over = np.array([(together * delta).sum()])
    under = np.array([totals @ delta @ totals])
    return float(_ratio(over, under, np.array([totals.sum()]))[0])


def _ratio(
    over: npt.NDArray[np.float64], under: npt.NDArray[np.float64], n: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    alpha = np.full(over.shape, np.nan)
    np.divide(over * (n - 1.0), under, out=alpha, where=under > 0)
    return 1.0 - alpha
