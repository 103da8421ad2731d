"""Which weights of the penalty to take, decided on the training category alone."""

from collections.abc import Sequence

from .logits import LogitRun
from .statistics import accuracy, gender_gap, gender_preference

#: How much accuracy on its own category a debiased model may lose.
TOLERANCE = 0.05


def choose_debiased(
    plain: LogitRun, candidates: Sequence[LogitRun], tolerance: float = TOLERANCE
) -> LogitRun:
    """The least biased of `candidates` that keeps the accuracy of `plain`, or `plain` itself.

    Bias is |male - female| of the preferred wordings, then the mean |z_M - z_F|, then the sum of
    the weights. All of it is measured on the category that the models were trained on, so that the
    other categories stay unseen.
    """
    own = plain.train_on
    floor = accuracy(plain, own).value - tolerance

    def key(run: LogitRun) -> tuple[float, float, float, tuple[float, ...]]:
        bias = gender_preference(run, [own]).bias
        return (bias if bias == bias else 1.0, gender_gap(run, [own]), sum(run.alpha), run.alpha)  # noqa: PLR0124 - NaN

    kept = [run for run in candidates if accuracy(run, own).value >= floor]
    return min(kept, key=key) if kept else plain
