"""Which weights of the penalty to take."""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from .logits import LogitRun
from .statistics import (
    accuracy,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    other_categories,
)

#: `own` decides on the training category alone, so that the others stay unseen. `others` decides
#: on the categories that the tables then report: its figures are the best case, not a test.
Selection = Literal["own", "others"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)
#: How much accuracy a debiased model may lose.
TOLERANCE = 0.05


def choose_debiased(
    plain: LogitRun,
    candidates: Sequence[LogitRun],
    selection: Selection = "own",
) -> LogitRun:
    """The least biased of `plain` and the `candidates` that keep its accuracy.

    Bias is |male - female| of the preferred wordings, then the mean |z_M - z_F|, then the sum of
    the weights, each on the categories of the selection. Weights of 0 compete like all others: the
    rows of Domestic Work are the same in the paper's Tables 2 and 5.
    """
    return _ranked(plain, [plain, *candidates], selection)[0]


def runner_up(
    plain: LogitRun, candidates: Sequence[LogitRun], selection: Selection = "own"
) -> LogitRun:
    """The best of the `candidates`, whether or not it is better than `plain`."""
    return _ranked(plain, candidates, selection)[0]


def _ranked(
    plain: LogitRun, candidates: Sequence[LogitRun], selection: Selection
) -> list[LogitRun]:
    """The candidates, first those that keep the accuracy of `plain`, each least biased first."""
    is_own = selection == "own"
    categories = [plain.train_on] if is_own else list(other_categories(plain))
    accuracy_of: Callable[[LogitRun], float] = (
        (lambda run: accuracy(run, plain.train_on).value) if is_own else mean_other_accuracy
    )
    floor = accuracy_of(plain) - TOLERANCE

    def key(run: LogitRun) -> tuple[bool, float, float, float, tuple[float, ...]]:
        preference = gender_preference(run, categories)
        bias = preference.bias if preference.n else 1.0
        is_worse = run is not plain and not accuracy_of(run) >= floor
        return (is_worse, bias, gender_gap(run, categories), sum(run.alpha), run.alpha)

    return sorted(candidates, key=key)
