"""Measuring gender bias in ranked lists: arrays in, arrays out, no Django needed.

>>> from metrics import read_lexicon, score_texts
>>> scores = score_texts(["He said he saw her."], read_lexicon())
>>> int(scores.tc["m"][0])
2
"""

from importlib import import_module
from typing import TYPE_CHECKING

from metrics.version import VERSION

if TYPE_CHECKING:
    from metrics.collection import read_collection
    from metrics.errors import InputError
    from metrics.lexicon import Lexicon, read_lexicon
    from metrics.magnitude_store import Magnitudes, open_magnitudes
    from metrics.measures import arab, awrf, fairr, neutrality, nfairr, rab, ted, texfair
    from metrics.queries import read_queries
    from metrics.rank_biased_overlap import rbo
    from metrics.runs import Run, read_run
    from metrics.scan.texts import score_texts
    from metrics.scoring import score_collection
    from metrics.significance import (
        bootstrap_interval,
        compare_all,
        correlation,
        paired_t_test,
        permutation_test,
    )
    from metrics.tokens import tokenize

__version__ = VERSION

# Name and home of what is public. Imported when first asked for: Django loads this package with
# every command, and most commands need none of it.
_PUBLIC = {
    "InputError": "errors",
    "Lexicon": "lexicon",
    "Magnitudes": "magnitude_store",
    "Run": "runs",
    "arab": "measures",
    "awrf": "measures",
    "bootstrap_interval": "significance",
    "compare_all": "significance",
    "correlation": "significance",
    "fairr": "measures",
    "neutrality": "measures",
    "nfairr": "measures",
    "open_magnitudes": "magnitude_store",
    "paired_t_test": "significance",
    "permutation_test": "significance",
    "rab": "measures",
    "rbo": "rank_biased_overlap",
    "read_collection": "collection",
    "read_lexicon": "lexicon",
    "read_queries": "queries",
    "read_run": "runs",
    "score_collection": "scoring",
    "score_texts": "scan.texts",
    "ted": "measures",
    "texfair": "measures",
    "tokenize": "tokens",
}

__all__ = [
    "InputError",
    "Lexicon",
    "Magnitudes",
    "Run",
    "__version__",
    "arab",
    "awrf",
    "bootstrap_interval",
    "compare_all",
    "correlation",
    "fairr",
    "neutrality",
    "nfairr",
    "open_magnitudes",
    "paired_t_test",
    "permutation_test",
    "rab",
    "rbo",
    "read_collection",
    "read_lexicon",
    "read_queries",
    "read_run",
    "score_collection",
    "score_texts",
    "ted",
    "texfair",
    "tokenize",
]


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"metrics.{_PUBLIC[name]}"), name)
