"""Queries from their retrieved lists to their answers: the share of each group at every step.

Many queries are followed at once, as columns: an entry for each document of each list, and one for
each citation. `of` says which query an entry belongs to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .answer import Answer
from .groups import Groups

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

RETRIEVED, DISCOUNTED = "retrieved", "retrieved (discounted)"
#: The two ways to count the documents of a list.
LISTED = (RETRIEVED, DISCOUNTED)
REFERENCED, CITED, CITED_BY_WORDS, ANSWERED = "referenced", "cited", "cited (by words)", "answered"


@dataclass(frozen=True, eq=False)
class Step:
    """The shares of the groups (Q, G) at a step, NaN where nothing is known of any document.

    `n` documents stand at the step, `n_known` of them with a group.
    """

    shares: Array
    n: int
    n_known: int


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents of queries, entry by entry: groups (n, G), whether known, query, rank from 0."""

    shares: Array
    known: NDArray[np.bool_]
    of: Whole
    rank: Whole
    n_queries: int

    def step(self, weights: Array | None = None) -> Step:
        """The mean over the documents of a query that are known, weighted as said."""
        weights = np.ones(len(self.of)) if weights is None else weights
        weights = np.where(self.known, weights, 0.0)
        totals = np.bincount(self.of, weights, self.n_queries)
        sums = [
            np.bincount(self.of, weights * np.where(self.known, column, 0.0), self.n_queries)
            for column in self.shares.T
        ]
        shares = np.full((self.n_queries, self.shares.shape[1]), np.nan)
        np.divide(np.transpose(sums), totals[:, None], out=shares, where=totals[:, None] > 0)
        return Step(shares, len(self.of), int(self.known.sum()))


def documents_of(lists: Sequence[Sequence[str]], groups: Groups) -> Documents:
    """The documents of these lists, one list a query."""
    lengths = [len(listed) for listed in lists]
    shares = groups.aligned([docno for listed in lists for docno in listed])
    starts = np.cumsum(lengths) - lengths
    return Documents(
        shares,
        ~np.isnan(shares[:, 0]),
        np.repeat(np.arange(len(lists)), lengths),
        np.arange(len(shares)) - np.repeat(starts, lengths),
        len(lists),
    )


@dataclass(frozen=True, eq=False)
class Followed:
    """The steps of Q queries, and what their citations are made of.

    `listed` are the documents of the lists, `is_cited` (listed,) those that are cited. The cited
    documents of each query, each once, have the `weights` (cited,) that they have in its cited
    share, and their `places` (cited,) in the list, -1 outside of it. `n_citations` counts document
    by sentence, `n_outside` those outside of the list.
    """

    steps: Mapping[str, Step]
    listed: Documents
    is_cited: NDArray[np.bool_]
    cited: Documents
    weights: Array
    places: Whole
    n_citations: int
    n_outside: int


def follow(lists: Sequence[Sequence[str]], answers: Sequence[Answer], groups: Groups) -> Followed:
    """Follow queries: their retrieved documents, best first, and their answers."""
    listed = documents_of(lists, groups)
    cited_lists = [answer.cited for answer in answers]
    cited = documents_of(cited_lists, groups)
    alike, by_words, n_citations = _weights(answers, cited_lists, cited.known)
    place_of = [{docno: place for place, docno in enumerate(of_query)} for of_query in lists]
    places = np.fromiter(
        (
            of_query.get(docno, -1)
            for of_query, docnos in zip(place_of, cited_lists, strict=True)
            for docno in docnos
        ),
        dtype=np.int64,
        count=len(cited.of),
    )
    starts = np.searchsorted(listed.of, np.arange(len(lists)))
    is_cited = np.zeros(len(listed.of), dtype=np.bool_)
    inside = places >= 0
    is_cited[starts[cited.of[inside]] + places[inside]] = True
    steps = {
        RETRIEVED: listed.step(),
        DISCOUNTED: listed.step(1 / np.log2(listed.rank + 2)),
        REFERENCED: documents_of([answer.references for answer in answers], groups).step(),
        CITED: cited.step(alike),
        CITED_BY_WORDS: cited.step(by_words),
    }
    n_outside = int(n_citations[~inside].sum())
    return Followed(
        steps, listed, is_cited, cited, alike, places, int(n_citations.sum()), n_outside
    )


def _weights(
    answers: Sequence[Answer], cited: Sequence[Sequence[str]], known: NDArray[np.bool_]
) -> tuple[Array, Array, Whole]:
    """The weight of each cited document in its query: sentences alike, by words; its citations.

    A sentence is divided among those of its documents whose groups are known; a sentence without
    any has no part.
    """
    is_known = known.tolist()
    alike, by_words, citations = ([0.0] * len(is_known) for _ in range(3))
    start = 0
    for answer, docnos in zip(answers, cited, strict=True):
        place_of = {docno: place for place, docno in enumerate(docnos, start=start)}
        start += len(docnos)
        for sentence in answer.sentences:
            places = [place_of[docno] for docno in sentence.citations]
            for place in places:
                citations[place] += 1
            places = [place for place in places if is_known[place]]
            for place in places:
                alike[place] += 1 / len(places)
                by_words[place] += sentence.n_words / len(places)
    return np.array(alike), np.array(by_words), np.array(citations, dtype=np.int64)
