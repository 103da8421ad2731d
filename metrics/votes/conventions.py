"""Conventional thresholds of alpha. They are no test, and no licence.

Krippendorff (2004) relies on data from 0.8, draws tentative conclusions from 0.667, and none below.
Fleiss (1981) calls kappa, which is close to alpha, poor below 0.4.
"""

from .intervals import Estimate

_BANDS = (
    (0.8, "at least 0.8, from which Krippendorff (2004) relies on data"),
    (0.667, "between 0.667 and 0.8, where Krippendorff (2004) draws tentative conclusions only"),
    (0.4, "below 0.667, where Krippendorff (2004) draws no conclusions from data"),
    (-2.0, "below 0.4, which Fleiss (1981) calls poor agreement beyond chance"),
)
_DECIMALS = 3


def alpha_in_words(alpha: Estimate) -> str:
    """Say where alpha lies among the thresholds, with the decimals of pages; "" where undefined."""
    if alpha.value is None:
        return ""
    words = f"Alpha is {_band(alpha.value)}."
    if alpha.low is not None and _band(alpha.low) != _band(alpha.value):
        words += f" This is not sure: its interval begins {_band(alpha.low)}."
    return f"{words} How much is enough depends on what the labels are for."


def _band(value: float) -> str:
    return next(words for border, words in _BANDS if round(value, _DECIMALS) >= border)
