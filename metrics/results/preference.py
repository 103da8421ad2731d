"""Which wording of a document a model prefers: male, female or neutral.

For collections that hold each document in several wordings, such as Grep-BiasIR (Krieg et al.,
*Grep-BiasIR: A Dataset for Investigating Gender Representation-Bias in Information Retrieval
Results*, 2022). The fractions are those that Sundararaman & Subramanian (*Debiasing Gender Bias in
Information Retrieval Models*, 2022) report in their table 3: only "correctly retrieved examples"
count, and equal male and female scores are "discarded", from the denominator too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..runs import Run

#: Ranks within which a wording counts as retrieved.
PREFERENCE_DEPTH = 10

WORDINGS = ("M", "F", "N")


@dataclass(frozen=True)
class Wordings:
    """The wordings of one document of a query: M, F, N to docno."""

    qid: str
    docnos: Mapping[str, str]


@dataclass(frozen=True)
class Preference:
    """Fractions of the `n` queries in which each wording has the highest score.

    Left out and counted: `n_tied` queries whose highest score male and female wordings share, and
    `n_not_retrieved` queries of which no wording is retrieved.
    """

    male: float
    female: float
    neutral: float
    n: int
    n_tied: int
    n_not_retrieved: int

    @property
    def bias(self) -> float:
        """|male - female|."""
        return abs(self.male - self.female)


def preference(queries: Iterable[Mapping[str, float]]) -> Preference:
    """Return whose wording scores highest, from the scores of each query's retrieved wordings.

    The wordings are M, F and N; of equal scores of a gendered and the neutral one the gendered
    one is taken. NaN where no query is left.
    """
    counts = Counter(map(_preferred, queries))
    n = sum(counts[wording] for wording in WORDINGS)
    male, female, neutral = (counts[w] / n if n else float("nan") for w in ("M", "F", "N"))
    return Preference(male, female, neutral, n, counts["tied"], counts["none"])


def _preferred(retrieved: Mapping[str, float]) -> str:
    if not retrieved:
        return "none"
    best = max(retrieved.values())
    winners = {wording for wording, score in retrieved.items() if score == best}
    if {"M", "F"} <= winners:
        return "tied"
    return min(winners)  # M or F before N


def wording_preference(
    run: Run, documents: Iterable[Wordings], depth: int = PREFERENCE_DEPTH
) -> Preference:
    """Which wording of each document `run` scores highest.

    A wording is retrieved where it stands among the first `depth` documents of its query; the
    documents that are handed in have to be the relevant ones.
    """
    return preference(_retrieved(run, document, depth) for document in documents)


def _retrieved(run: Run, document: Wordings, depth: int) -> dict[str, float]:
    place = run.place_of.get(document.qid)
    if place is None:
        return {}
    start = int(run.offsets[place])
    stop = min(int(run.offsets[place + 1]), start + depth)
    docnos = run.docnos[start:stop].tolist()
    scores = dict(zip(docnos, run.scores[start:stop].tolist(), strict=True))
    return {wording: scores[docno] for wording, docno in document.docnos.items() if docno in scores}
