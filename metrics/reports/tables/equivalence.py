"""The test of equivalence beside tests of differences, where a margin is named."""

from ...statistics.inference import Inference
from ..formats.layout import Column

_GROUP = "Equivalence"


def equivalence_columns(inference: Inference) -> list[Column]:
    """The p-values of equivalence, plain and corrected; none without a margin."""
    if not inference.margin:
        return []
    return [
        Column("equivalence_p", "p", _GROUP, kind="p"),
        Column("equivalence_p_bonferroni", "Bonferroni", _GROUP, kind="p"),
        Column("equivalence_p_holm", "Holm", _GROUP, kind="p"),
    ]


def equivalence_note(inference: Inference) -> list[str]:
    """The margin that was named, in a sentence."""
    if not inference.margin:
        return []
    return [
        (
            "Equivalence: two one-sided paired t-tests that the difference is less than the margin "
            f"({inference.margin}), either way; a small p shows that it is."
        )
    ]
