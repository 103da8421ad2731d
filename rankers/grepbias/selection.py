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
    tolerance: float = TOLERANCE,
    selection: Selection = "own",
) -> LogitRun:
    """The least biased of `candidates` that keeps the accuracy of `plain`, or `plain` itself.

    Bias is |male - female| of the preferred wordings, then the mean |z_M - z_F|, then the sum of
    the weights, each on the categories of the selection.
    """
    is_own = selection == "own"
    categories = [plain.train_on] if is_own else list(other_categories(plain))
    accuracy_of: Callable[[LogitRun], float] = (
        (lambda run: accuracy(run, plain.train_on).value) if is_own else mean_other_accuracy
    )
    floor = accuracy_of(plain) - tolerance

    def key(run: LogitRun) -> tuple[float, float, float, tuple[float, ...]]:
        preference = gender_preference(run, categories)
        bias = preference.bias if preference.n else 1.0
        return (bias, gender_gap(run, categories), sum(run.alpha), run.alpha)

    kept = [run for run in candidates if accuracy_of(run) >= floor]
    return min(kept, key=key) if kept else plain
