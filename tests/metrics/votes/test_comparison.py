import pytest

from annotation.batches.planning.prevalence import SHARES, prevalence_curves
from metrics.votes.comparison import Change, compare_methods
from metrics.votes.deciding import Decision, Decisions, State


def decisions(**labels: str | None) -> Decisions:
    return Decisions(
        [
            Decision(q, label, 3, 2 if label else 0, State.DECIDED if label else State.TIE)
            for q, label in labels.items()
        ]
    )


def test_flips_and_resolved_ties_are_told_apart() -> None:
    _, other = compare_methods(
        {
            "majority": decisions(a="n", b=None, c="f", d="m"),
            "model": decisions(a="f", b="m", c="f", d=None),
        },
        reference="majority",
        categories=("n", "f", "m"),
    )
    assert other.flipped == [Change("a", "n", "f")]
    assert other.resolved == [Change("b", None, "m")]
    assert other.undecided == [Change("d", "m", None)]
    assert other.labels == {"n": 0, "f": 2, "m": 1}
    assert other.ties == 1


def test_with_the_same_voters_alpha_falls_with_prevalence_and_ac1_does_not() -> None:
    curves = prevalence_curves(0.95)
    # By hand: two votes agree with .95 ** 2 + 3 * (.05 / 3) ** 2 whatever the category.
    assert curves["raw agreement"] == pytest.approx([0.95**2 + 0.05**2 / 3] * len(SHARES))
    alpha, ac1 = curves["Krippendorff's alpha"], curves["Gwet's AC1"]
    assert alpha[0] == pytest.approx(ac1[0], abs=1e-6)
    assert alpha[-1] < 0.3
    assert min(ac1) > 0.85
    assert ac1 == sorted(ac1)
