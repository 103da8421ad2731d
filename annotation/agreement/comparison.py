"""The effect of the decision method on the labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.agreement.aggregation import Decisions


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
    before = {one.query: one.label for one in decisions[reference].rows}
    found = []
    for method, decided in decisions.items():
        changes = [
            Change(one.query, before[one.query], one.label)
            for one in decided.rows
            if one.label != before[one.query]
        ]
        labels = [one.label for one in decided.rows]
        found.append(
            MethodComparison(
                method=method,
                labels={category: labels.count(category) for category in categories},
                ties=labels.count(None),
                flipped=[one for one in changes if one.before and one.after],
                resolved=[one for one in changes if one.before is None],
                undecided=[one for one in changes if one.after is None],
                notes=decided.notes,
            )
        )
    return found
