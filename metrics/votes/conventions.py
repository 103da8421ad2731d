"""Conventional thresholds of alpha. They are neither a test nor a licence.

Krippendorff (2004) relies on data from 0.8, draws tentative conclusions from 0.667, and none below.
Fleiss (1981) calls kappa, which is close to alpha, poor below 0.4.
"""

from .intervals import Estimate

#: Thresholds of alpha, and of kappa.
RELIABLE, TENTATIVE, POOR = 0.8, 0.667, 0.4
_BETWEEN = f"between {TENTATIVE} and {RELIABLE}"
_BANDS = (
    (RELIABLE, f"at least {RELIABLE}, from which Krippendorff (2004) relies on data"),
    (TENTATIVE, f"{_BETWEEN}, where Krippendorff (2004) draws tentative conclusions only"),
    (POOR, f"below {TENTATIVE}, where Krippendorff (2004) draws no conclusions from data"),
    (-2.0, f"below {POOR}, which Fleiss (1981) calls poor agreement beyond chance"),
)
#: Marks on the scale of a coefficient: chance, the thresholds, and perfect agreement.
BORDERS = (0, POOR, TENTATIVE, RELIABLE, 1)
#: Thresholds of Krippendorff's conclusions.
_CONCLUSIONS = (TENTATIVE, RELIABLE)
_DECIMALS = 3


def alpha_in_words(alpha: Estimate) -> str:
    """Say where alpha lies among the thresholds, with the decimals of pages; "" where undefined."""
    if alpha.value is None:
        return ""
    words = f"Alpha is {_band(alpha.value)}."
    if alpha.low is not None and alpha.high is not None:
        words += _certainty(alpha.value, alpha.low, alpha.high)
    return f"{words} How much is enough depends on what the labels are for."


def _certainty(value: float, low: float, high: float) -> str:
    """Say whether the whole interval allows the same conclusions; nothing within one band."""
    if _band(low) == _band(value) == _band(high):
        return ""
    conclusions = [
        sum(round(end, _DECIMALS) >= border for border in _CONCLUSIONS)
        for end in (low, value, high)
    ]
    if len({*conclusions}) == 1:
        # Only the lowest of them has two bands.
        return f" Its whole interval is below {_CONCLUSIONS[0]}."
    begins = f"begins {_band(low)}" if conclusions[0] != conclusions[1] else ""
    ends = f"ends {_band(high)}" if conclusions[2] != conclusions[1] else ""
    return f" This is not sure: its interval {' and '.join(filter(None, (begins, ends)))}."


def _band(value: float) -> str:
    return next(words for border, words in _BANDS if round(value, _DECIMALS) >= border)
