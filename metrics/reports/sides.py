"""The two sides of RaB in words, by the groups of the word list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..measures.sides import USUAL_SIDES, sides_of

_PAIR = 2


@dataclass(frozen=True)
class Sides:
    """Words for the negative (`low`) and the positive (`high`) side, and for the bias itself."""

    low: str = "female"
    high: str = "male"
    low_words: str = "female words"
    high_words: str = "male words"
    bias: str = "Gender bias"

    @property
    def note(self) -> str:
        return (
            f"Positive values lean towards the {self.high_words}, negative ones towards the "
            f"{self.low_words}."
        )


GENDERS = Sides()


def groups_in(source: Mapping[str, Any]) -> tuple[str, ...]:
    """The groups of the word list, by the provenance of the scored collection.

    It names no groups where they are `f` and `m` alone.
    """
    return tuple(source.get("groups", USUAL_SIDES))


def sides_in_words(groups: Sequence[str]) -> Sides:
    """The sides of a word list of these groups; where it has none, words for the bias alone."""
    low, high = sides_of(groups) or ("", "")
    if (low, high) == USUAL_SIDES:
        return GENDERS
    return Sides(low, high, f"words of {low}", f"words of {high}", "Bias")


def left_out(groups: Sequence[str]) -> str:
    """The measures that a report on a word list of these groups lacks, and why; "" for none."""
    if len(groups) == _PAIR:
        return ""
    has = f"the word list has {', '.join(groups)}"
    if sides_of(groups):
        return f"FaiRR and NFaiRR, which are defined for two groups: {has}."
    return (
        "RaB and ARaB, which compare two groups, f and m or a word list's only two, and FaiRR and "
        f"NFaiRR, which are defined for two groups: {has}. AWRF, TED and TExFAIR take any number "
        "of groups."
    )
