"""Every ranker by name. To add one, write it and name it here."""

from collections.abc import Iterable

from metrics.errors import InputError
from rankers.bm25 import BM25, BM25_PORTER, BM25_SNOWBALL, BM25L, BM25PLUS
from rankers.cosine import CHAR_NGRAMS, TFIDF
from rankers.dirichlet import DIRICHLET
from rankers.lsa import LSA, LSA_RANDOM
from rankers.ranker import Ranker

#: The seven of a study, in the order of its tables.
DEFAULT = (BM25, BM25L, BM25PLUS, TFIDF, CHAR_NGRAMS, DIRICHLET, LSA)
RANKERS = {ranker.name: ranker for ranker in (*DEFAULT, BM25_PORTER, BM25_SNOWBALL, LSA_RANDOM)}


def rankers_named(names: Iterable[str]) -> list[Ranker]:
    """The rankers of these names, whatever their letter case; `InputError` for an unknown one."""
    chosen = [name.strip().upper() for name in names]
    if unknown := [name for name in chosen if name not in RANKERS]:
        raise InputError(
            f"there is no ranker {', '.join(unknown) or 'nothing'}.",
            remedy=f"Choose from {', '.join(RANKERS)}.",
        )
    if len(set(chosen)) < len(chosen):
        raise InputError("a ranker is named twice.", remedy="Name each one once.")
    return [RANKERS[name] for name in chosen]
