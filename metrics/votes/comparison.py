"""The effect of the decision method on the labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from .deciding import Decisions


@dataclass(frozen=True)
class Change:
    """A query whose label differs between two methods; None is a tie."""

    query: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class MethodComparison:
    """One method beside the reference. `flipped` queries change from a category to another.

    `resolved` were ties of the reference and have a category now; `undecided` the reverse.
    """

    method: str
    labels: dict[str, int]
    ties: int
    flipped: list[Change]
    resolved: list[Change]
    undecided: list[Change]
    notes: tuple[str, ...] = ()


def compare_methods(
    decisions: Mapping[str, Decisions], *, reference: str, categories: tuple[str, ...]
) -> list[MethodComparison]:
    """Every method of `decisions`, over the same queries, beside the `reference`."""
    before = {row.item: row.label for row in decisions[reference].rows}
    comparisons = []
    for method, decided in decisions.items():
        changes = [
            Change(row.item, before[row.item], row.label)
            for row in decided.rows
            if row.label != before[row.item]
        ]
        labels = [row.label for row in decided.rows]
        comparisons.append(
            MethodComparison(
                method=method,
                labels={category: labels.count(category) for category in categories},
                ties=labels.count(None),
                flipped=[change for change in changes if change.before and change.after],
                resolved=[change for change in changes if change.before is None],
                undecided=[change for change in changes if change.after is None],
                notes=decided.notes,
            )
        )
    return comparisons
