"""The terms on which runs are compared, and the verdicts that tests allow."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from math import inf, nan

from ..errors import InputError
from ..vocabulary import Correction, Family, PairedTest
from .significance import bonferroni, holm

#: A difference is called significant below this p-value, corrected.
SIGNIFICANT = 0.05
#: The p-values below which a difference has each mark.
MARKS = ((0.001, "***"), (0.01, "**"), (SIGNIFICANT, "*"))

_CORRECTIONS = {"holm": holm, "bonferroni": bonferroni}
#: How the fields of a `Comparison` that a test fills begin.
_FIELDS: dict[PairedTest, str] = {"randomization": "permutation_p", "paired-t": "t_p"}


def _sizes(name: str, text: str) -> dict[str, float]:
    """Sizes by measure, "" for every measure that is not named."""
    sizes: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        measure, _, size = part.strip().rpartition("=")
        try:
            number = float(size)
        except ValueError:
            number = nan
        if not 0 < number < inf or measure in sizes:
            raise InputError(
                f"{name}: {part.strip()!r} is not a number above 0, or named twice.",
                remedy="Write for example 0.05, or RaB=0.05,NFaiRR=0.01.",
            )
        sizes[measure] = number
    return sizes


def _size_of(sizes: dict[str, float], measure: str) -> float | None:
    # A measure may carry parameters, as MRR(relevant=2) does.
    named = sizes.get(measure, sizes.get(measure.partition("(")[0]))
    return sizes.get("") if named is None else named


@dataclass(frozen=True)
class Inference:
    """The test that marks and sentences follow, the correction of its p-values, and their family.

    The family is the pairs under one measure, magnitude and cut-off, all of a table, or all pairs
    of runs under everything that a report measures. `margin` says below which difference two runs
    count as equivalent, `detect` which difference the queries should show: a number for every
    measure, or `RaB=0.05,NFaiRR=0.01`; "" for none. `InputError` for anything else.
    """

    test: PairedTest = "randomization"
    correction: Correction = "holm"
    family: Family = "measure+cutoff"
    margin: str = ""
    detect: str = ""

    def __post_init__(self) -> None:
        for name, sizes in (("margin", self.margin), ("detect", self.detect)):
            _sizes(name, sizes)

    def margin_of(self, measure: str) -> float | None:
        """The margin of equivalence; None where none is named."""
        return _size_of(_sizes("margin", self.margin), measure)

    def detect_of(self, measure: str) -> float | None:
        """The difference that the queries should show; None where none is named."""
        return _size_of(_sizes("detect", self.detect), measure)

    @property
    def measures(self) -> set[str]:
        """The measures that `margin` and `detect` name."""
        return ({*_sizes("margin", self.margin)} | {*_sizes("detect", self.detect)}) - {""}

    @property
    def equivalence_p_name(self) -> str:
        """The field of a `Comparison` with the corrected p-value of equivalence."""
        return f"equivalence_p_{self.correction}"

    @property
    def terms(self) -> dict[str, str]:
        """By name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def p_name(self) -> str:
        """The field of a `Comparison` with the corrected p-value of the chosen test."""
        return f"{_FIELDS[self.test]}_{self.correction}"

    def correct(self, p_values: Sequence[float | None]) -> list[float | None]:
        """The p-values of one family, corrected; undefined ones stay."""
        return _CORRECTIONS[self.correction](p_values)


#: The default terms.
USUAL = Inference()


def mark_of(p: float | None) -> str:
    """The asterisks of a p-value; "" for none, and for one that is not small."""
    return "" if p is None else next((mark for limit, mark in MARKS if p < limit), "")


class Verdict(StrEnum):
    """The conclusion that tests allow about a number that would be 0 were there no effect."""

    HIGHER = "higher"
    LOWER = "lower"
    #: Another, but by less than the margin.
    SLIGHTLY_HIGHER = "slightly higher"
    SLIGHTLY_LOWER = "slightly lower"
    #: Not shown to be another, and shown to be nearer than the margin.
    EQUIVALENT = "equivalent"
    OPEN = "open"
    UNTESTED = "untested"


def verdict(value: float | None, p: float | None, equivalence_p: float | None = None) -> Verdict:
    """The verdict on `value`, from the two-sided p of a test that it is 0, and that of equivalence.

    A test that shows no effect does not show that there is none: alone its verdict is `OPEN`, and
    only `equivalence_p` shows that a value is nearer to 0 than a margin.
    """
    is_near = equivalence_p is not None and equivalence_p < SIGNIFICANT
    if value is None or (p is None and equivalence_p is None):
        return Verdict.UNTESTED
    if p is None or p >= SIGNIFICANT or value == 0:
        return Verdict.EQUIVALENT if is_near else Verdict.OPEN
    if value > 0:
        return Verdict.SLIGHTLY_HIGHER if is_near else Verdict.HIGHER
    return Verdict.SLIGHTLY_LOWER if is_near else Verdict.LOWER
