"""Measuring gender bias in ranked lists: arrays and data frames in and out, no Django needed.

In a checkout the package is `metrics`, installed it is `fairpool`.

>>> from fairpool import score_texts
>>> scores = score_texts(["He said he saw her."])
>>> int(scores.tc["m"][0])
2
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .version import VERSION

if TYPE_CHECKING:
    from .answers.picture import plot_chain
    from .answers.public import chain, read_answers
    from .api import compare, evaluate, list_measures, plot_bias
    from .automatic_labels import promise
    from .errors import InputError
    from .machine_texts import source_bias
    from .measures import arab, awrf, fairr, label_exposure, neutrality, nfairr, rab, ted, texfair
    from .measures.rank_biased_overlap import rbo
    from .reports.plots.repetitions import plot_judges, plot_repeats
    from .runs import Run, read_run
    from .runs.qrels import read_qrels
    from .runs.queries import read_queries
    from .sources import load_magnitudes
    from .statistics.correlations import correlation
    from .statistics.significance import (
        compare_all,
        mean_interval,
        paired_t_test,
        permutation_test,
    )
    from .texts.collection import read_collection
    from .texts.lexicon import Lexicon, read_lexicon
    from .texts.magnitude_store import Magnitudes, open_magnitudes
    from .texts.scan.texts import score_batch, score_texts
    from .texts.scoring import score_collection
    from .texts.tokens import tokenize
    from .vocabulary import Category
    from .votes.objects import MACE, DawidSkene, GoldWeighted, Majority, Median
    from .votes.public import agreement, decide
    from .votes.reading import read_votes

__version__ = VERSION

# Name and home of what is public. Imported when first asked for: Django loads this package with
# every command, and most commands need none of it.
_PUBLIC = {
    "Category": "vocabulary",
    "DawidSkene": "votes.objects",
    "GoldWeighted": "votes.objects",
    "InputError": "errors",
    "Lexicon": "texts.lexicon",
    "MACE": "votes.objects",
    "Magnitudes": "texts.magnitude_store",
    "Majority": "votes.objects",
    "Median": "votes.objects",
    "Run": "runs",
    "agreement": "votes.public",
    "arab": "measures",
    "awrf": "measures",
    "chain": "answers.public",
    "compare": "api",
    "compare_all": "statistics.significance",
    "correlation": "statistics.correlations",
    "decide": "votes.public",
    "evaluate": "api",
    "fairr": "measures",
    "label_exposure": "measures",
    "list_measures": "api",
    "load_magnitudes": "sources",
    "mean_interval": "statistics.significance",
    "neutrality": "measures",
    "nfairr": "measures",
    "open_magnitudes": "texts.magnitude_store",
    "paired_t_test": "statistics.significance",
    "permutation_test": "statistics.significance",
    "plot_bias": "api",
    "plot_chain": "answers.picture",
    "plot_judges": "reports.plots.repetitions",
    "plot_repeats": "reports.plots.repetitions",
    "promise": "automatic_labels",
    "rab": "measures",
    "rbo": "measures.rank_biased_overlap",
    "read_answers": "answers.public",
    "read_collection": "texts.collection",
    "read_lexicon": "texts.lexicon",
    "read_qrels": "runs.qrels",
    "read_queries": "runs.queries",
    "read_run": "runs",
    "read_votes": "votes.reading",
    "score_batch": "texts.scan.texts",
    "score_collection": "texts.scoring",
    "score_texts": "texts.scan.texts",
    "source_bias": "machine_texts",
    "ted": "measures",
    "texfair": "measures",
    "tokenize": "texts.tokens",
}

#: Packages that people complete: `fairpool.measures.RaB`.
_PACKAGES = ("measures",)

__all__ = [
    "MACE",
    "Category",
    "DawidSkene",
    "GoldWeighted",
    "InputError",
    "Lexicon",
    "Magnitudes",
    "Majority",
    "Median",
    "Run",
    "__version__",
    "agreement",
    "arab",
    "awrf",
    "chain",
    "compare",
    "compare_all",
    "correlation",
    "decide",
    "evaluate",
    "fairr",
    "label_exposure",
    "list_measures",
    "load_magnitudes",
    "mean_interval",
    "neutrality",
    "nfairr",
    "open_magnitudes",
    "paired_t_test",
    "permutation_test",
    "plot_bias",
    "plot_chain",
    "plot_judges",
    "plot_repeats",
    "promise",
    "rab",
    "rbo",
    "read_answers",
    "read_collection",
    "read_lexicon",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_votes",
    "score_batch",
    "score_collection",
    "score_texts",
    "source_bias",
    "ted",
    "texfair",
    "tokenize",
]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f".{_PUBLIC[name]}", __name__), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec(f"{__name__}.{name}"):
        return import_module(f".{name}", __name__)
    return import_module(".names", __name__).named(name, __name__, __all__)


def __dir__() -> list[str]:
    return [*__all__, *_PACKAGES]
