"""What the pages say of alpha is what its borders say, at the decimals that are shown."""

import pytest

from metrics.votes.conventions import alpha_in_words
from metrics.votes.intervals import Estimate


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.9, "at least 0.8"),
        (0.7996, "at least 0.8"),
        (0.7994, "between 0.667 and 0.8"),
        (0.6666, "between 0.667 and 0.8"),
        (0.5, "below 0.667"),
        (0.4, "below 0.667"),
        (0.39, "below 0.4"),
        (-0.4, "below 0.4"),
    ],
)
def test_alpha_is_placed_among_the_borders(value: float, said: str) -> None:
    assert alpha_in_words(Estimate(value, None, None)).startswith(f"Alpha is {said}")


def test_an_interval_that_begins_below_a_border_is_said() -> None:
    unsure = alpha_in_words(Estimate(0.82, 0.6, 0.9))
    assert "not sure: its interval begins below 0.667" in unsure
    assert "not sure" not in alpha_in_words(Estimate(0.9, 0.85, 0.95))
    assert alpha_in_words(Estimate(None, None, None)) == ""
