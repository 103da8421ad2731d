"""Source bias: whether a ranker prefers the copies that one source wrote, such as a model.

The Relative Delta and its setting are of Sunhao Dai et al. Neural Retrievers are Biased Towards
LLM-Generated Content. KDD 2024, and Cocktail: A Comprehensive Information Retrieval Benchmark with
LLM-Generated Documents Integration. ACL 2024. They give no interval; these are ours, and so are
twins.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..measures.effectiveness import ndcg
from ..runs import Run
from ..statistics.significance import MIN_QUERIES
from ..vocabulary import LEVEL

Array = NDArray[np.float64]
Qrels = Mapping[str, Mapping[str, int]]

COLUMNS = (
    "run", "measure", "cutoff", "sources", "value", "low", "high", "level", "n_queries", "n",
    "withheld",
)  # fmt: skip
NUMBERS = ("cutoff", "value", "low", "high", "level", "n_queries", "n")
#: A rule for ids names the source and, if there are copies, what they are copies of.
RULE = r"(?P<document>.+)-(?P<source>[^-]+)"


@dataclass(frozen=True)
class Sources:
    """The writers of documents: `of(docno)` is its source and the document that it is a copy of.

    None where nobody knows. `pair` are the two that are compared: positive values of SourceDelta
    prefer the first.
    """

    of: Callable[[str], tuple[str, str] | None]
    pair: tuple[str, str]


def by_rule(pattern: str, pair: tuple[str, str]) -> Sources:
    """Sources by a pattern that matches whole ids and names `source`, for copies also `document`.

    `InputError` for a pattern that is none, or does not name `source`.
    """
    try:
        rule = re.compile(pattern)
    except re.error as error:
        wrong = f"{pattern!r} is not a pattern ({error})."
        raise InputError(wrong, remedy=f"Write {RULE}") from None
    if "source" not in rule.groupindex:
        raise InputError(f"{pattern!r} has no group that is the source.", remedy=f"Write {RULE}")
    has_document = "document" in rule.groupindex

    def of(docno: str) -> tuple[str, str] | None:
        match = rule.fullmatch(docno)
        return (match["source"], match["document"] if has_document else docno) if match else None

    return Sources(of, pair)


def by_label(
    source_of: Mapping[str, str], pair: tuple[str, str], copy_of: Mapping[str, str] | None = None
) -> Sources:
    """Sources by docno; `copy_of` names the document that a document is a copy of."""
    copies = copy_of or {}

    def of(docno: str) -> tuple[str, str] | None:
        source = source_of.get(docno)
        return None if source is None else (source, copies.get(docno, docno))

    return Sources(of, pair)


def source_rows(
    run: Run, qrels: Qrels, sources: Sources, cutoffs: Sequence[int], level: float = LEVEL
) -> list[dict[str, object]]:
    """SourceDelta and SourceShare at each cut-off, and SourceTwins, of one run.

    `qrels` judge documents under their own ids, or under those of what they are copies of. The
    queries are the judged ones, without an answer of the run 0, as everywhere for nDCG. Columns:
    `COLUMNS`; `n` counts the documents whose source is known, or the pairs of copies.
    `InputError` where nothing is judged or no source is known.
    """
    judged = {qid: grades for qid, grades in sorted(qrels.items()) if grades}
    if not judged:
        raise InputError("nothing is judged.", remedy="Give qrels of these queries.")
    known = {qid: [sources.of(docno) for docno in run.documents(qid)] for qid in judged}
    if not any(chain.from_iterable(known.values())):
        raise InputError(
            f"the source of no document of {run.name} is known.",
            remedy=f"The run has {', '.join(run.docnos[:3].tolist())}.",
        )
    first, second = (_judged_of(name, run, judged, sources) for name in sources.pair)
    delta, share = " - ".join(sources.pair), sources.pair[0]
    rows = [
        _row(
            "SourceDelta",
            cutoff,
            delta,
            relative_delta(ndcg(run, first, cutoff), ndcg(run, second, cutoff), level),
            level,
        )
        for cutoff in cutoffs
    ]
    for cutoff in cutoffs:
        counts = np.array([_counts(listed[:cutoff], share) for listed in known.values()])
        rows.append(
            _row("SourceShare", cutoff, share, ratio(counts[:, 0], counts[:, 1], level), level)
        )
    counts = np.array([_twins(known[qid], grades, sources) for qid, grades in judged.items()])
    rows.append(_row("SourceTwins", None, delta, ratio(counts[:, 0], counts[:, 1], level), level))
    return [{"run": run.name, **row} for row in rows]


@dataclass(frozen=True)
class Estimate:
    """A value over queries, half the width of its interval (NaN without spread), and n."""

    value: float
    half: float
    n_queries: int
    n: int


def relative_delta(first: Array, second: Array, level: float = LEVEL) -> Estimate:
    """200 (h - l) / (h + l) of the means h and l over queries of two measures (Q,), in percent.

    Positive where the first is higher. Half the width by linearisation of the ratio of the means.

    >>> relative_delta(np.array([0.6, 0.4]), np.array([0.9, 0.6])).value
    -40.0
    """
    h, l = float(first.mean()), float(second.mean())  # noqa: E741 - as in the papers
    n = len(first)
    if h + l <= 0:
        return Estimate(np.nan, np.nan, n, n)
    influence = 400 * (l * (first - h) - h * (second - l)) / (h + l) ** 2
    return Estimate(200 * (h - l) / (h + l), _half(influence, level), n, n)


def ratio(parts: Array, totals: Array, level: float = LEVEL) -> Estimate:
    """The sum of the parts over the sum of the totals, clustered by query (Q,)."""
    has = totals > 0
    parts, totals = parts[has], totals[has]
    n = len(totals)
    if not n:
        return Estimate(np.nan, np.nan, 0, 0)
    value = float(parts.sum() / totals.sum())
    influence = (parts - value * totals) / totals.mean()
    return Estimate(value, _half(influence, level), n, int(totals.sum()))


def _half(influence: Array, level: float) -> float:
    n = len(influence)
    if n < MIN_QUERIES:
        return float("nan")
    quantile = float(need("scipy.special").ndtri((1 + level) / 2))
    return quantile * float(influence.std(ddof=1)) / float(n**0.5)


def _judged_of(source: str, run: Run, qrels: Qrels, sources: Sources) -> dict[str, dict[str, int]]:
    """The judgements of the copies of a source, by their ids in the run where it has them."""
    judged: dict[str, dict[str, int]] = {}
    for qid, grades in qrels.items():
        own: dict[tuple[str, str] | None, str] = {sources.of(d): d for d in run.documents(qid)}
        judged[qid] = {}
        for docno, grade in grades.items():
            of = sources.of(docno)
            if of is None:  # judged is the document, whoever wrote its copy
                judged[qid][own.get((source, docno), f"{docno} of {source}")] = grade
            elif of[0] == source:
                judged[qid][docno] = grade
    return judged


def _counts(listed: Sequence[tuple[str, str] | None], source: str) -> tuple[int, int]:
    """The numbers of documents of the source, and of all whose source is known."""
    known = [of[0] for of in listed if of is not None]
    return known.count(source), len(known)


def _twins(
    listed: Sequence[tuple[str, str] | None], grades: Mapping[str, int], sources: Sources
) -> tuple[float, float]:
    """The number of relevant documents whose copy of the first source stands first; of all pairs.

    A copy that is not retrieved stands last; where neither is, the document is left out.
    """
    relevant = {
        docno if (of := sources.of(docno)) is None else of[1]
        for docno, grade in grades.items()
        if grade > 0
    }
    rank_of: dict[tuple[str, str], int] = {}
    for rank, of in enumerate(listed):
        if of is not None and of[1] in relevant:
            rank_of.setdefault(of, rank)
    first, pairs = 0, 0
    for document in relevant:
        ours, theirs = (rank_of.get((source, document), len(listed)) for source in sources.pair)
        pairs += ours != theirs
        first += ours < theirs
    return first, pairs


def of_source(run: Run, source: str, sources: Sources) -> Run:
    """The run with the documents of one source alone, in their order."""
    rankings = {
        qid: {
            d: score for d, score in documents.items() if (of := sources.of(d)) and of[0] == source
        }
        for qid, documents in run.items()
    }
    return Run.from_dict(rankings, run.name, run.order)


def _row(
    measure: str, cutoff: int | None, sources: str, estimate: Estimate, level: float
) -> dict[str, object]:
    has = not np.isnan(estimate.half)
    return {
        "measure": measure,
        "cutoff": cutoff,
        "sources": sources,
        "value": None if np.isnan(estimate.value) else estimate.value,
        "low": estimate.value - estimate.half if has else None,
        "high": estimate.value + estimate.half if has else None,
        "level": level if has else None,
        "n_queries": estimate.n_queries,
        "n": estimate.n,
        "withheld": "" if has else f"fewer than {MIN_QUERIES} queries",
    }
