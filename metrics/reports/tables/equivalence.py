"""The test of equivalence beside tests of differences, where a margin is named."""

from ...statistics.inference import SIGNIFICANT, Inference
from ..formats.layout import EQUIVALENT, Column

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


def equivalence_note(inference: Inference, *, in_print: bool = False) -> list[str]:
    """The margin that was named, in a sentence; `in_print` there are marks in place of columns."""
    if not inference.margin:
        return []
    shows = f"{EQUIVALENT} where it is, p < {SIGNIFICANT}" if in_print else "a small p shows it"
    return [
        (
            "Equivalence: two one-sided paired t-tests that the difference is less than the margin "
            f"({inference.margin}), either way; {shows}."
        )
    ]
