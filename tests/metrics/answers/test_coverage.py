"""The short form of `python -m measurements.chain_coverage`: what is said of a chain holds."""

import pytest

from measurements.chain_coverage import DESIGNS, coverages

#: .95 less five standard errors of 60 studies.
_LEAST = 0.95 - 5 * (0.95 * 0.05 / 60) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS)
def test_odds_net_of_rank_hold_their_truth_and_uniform_citations_amplify_nothing(
    design: str,
) -> None:
    coverage = {name.partition(":")[0]: holds for name, holds, _mean in coverages(design, 60)}
    assert coverage["odds of being cited, within query and rank"] >= _LEAST
    if design != "citations by rank, groups differ by rank":
        assert coverage["amplification, retrieved > cited"] >= _LEAST
    if design == "citations uniform over the list":
        assert coverage["total variation within its band by chance"] >= _LEAST
        # The discounted share moves although nobody prefers anything.
        assert coverage["amplification, retrieved (discounted) > cited"] < _LEAST
