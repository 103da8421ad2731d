"""A retrieval model: data, and one function from passages to a scorer of queries."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankers.vocabulary import SEED

DECIMALS = 6  # of a score; more would show the last bits, which differ between machines

#: The score of every passage for a query, shape (n,); `NOT_RETRIEVED` where it has none.
Scorer = Callable[[str], NDArray[np.float64]]
NOT_RETRIEVED = -np.inf


@dataclass(frozen=True)
class Ranker:
    """A retrieval model.

    `name` is the tag of its runs, `title` what a table calls it, `citation` where it is defined.
    `index(texts, seed)` prepares n passages and returns the scorer of queries. A model that draws
    no random numbers ignores the seed.
    """

    name: str
    title: str
    citation: str
    index: Callable[[Sequence[str], int], Scorer]

    def rank(
        self,
        collection: Iterable[tuple[str, str]],
        queries: Iterable[tuple[str, str]],
        depth: int,
        seed: int = SEED,
    ) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """For each query (qid, text) its first `depth` passages as (docno, score), best first.

        Scores are rounded to six decimals, and equal scores stand by docno descending as text, so
        that the ranking follows from the written run. A query may have fewer passages, or none.
        """
        # Sorted here, a stable sort by score leaves ties by docno descending, and the ranking
        # does not depend on the order of the collection.
        documents = sorted(collection, reverse=True)
        score = self.index([text for _, text in documents], seed)
        for qid, text in queries:
            scores = np.round(score(text), DECIMALS)
            retrieved = np.flatnonzero(scores > NOT_RETRIEVED)
            best = retrieved[np.argsort(-scores[retrieved], kind="stable")[:depth]]
            yield qid, [(documents[i][0], float(scores[i])) for i in best]
