"""A grid of weightings as a table: the effect of each on its own category and on the others."""

from collections.abc import Iterable

from metrics.reports.formats.tables import Row

from .logits import LogitRun
from .statistics import (
    accuracy,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    other_categories,
)

COLUMNS = (
    "train_on",
    "alpha_mf",
    "alpha_mn",
    "alpha_fn",
    "own_accuracy",
    "own_bias",
    "own_gap",
    "other_accuracy",
    "other_bias",
    "other_gap",
)


def grid_rows(runs: Iterable[LogitRun]) -> list[Row]:
    """Accuracy, bias (|male - female|; None: all tied) and gender gap of each model."""
    return [_row(run) for run in runs]


def _row(run: LogitRun) -> Row:
    others = other_categories(run)
    own_preference = gender_preference(run, [run.train_on])
    other_preference = gender_preference(run, others)
    return {
        "train_on": run.train_on,
        "alpha_mf": run.alpha.mf,
        "alpha_mn": run.alpha.mn,
        "alpha_fn": run.alpha.fn,
        "own_accuracy": accuracy(run, run.train_on).value,
        "own_bias": own_preference.bias if own_preference.n else None,
        "own_gap": gender_gap(run, [run.train_on]),
        "other_accuracy": mean_other_accuracy(run),
        "other_bias": other_preference.bias if other_preference.n else None,
        "other_gap": gender_gap(run, others),
    }
