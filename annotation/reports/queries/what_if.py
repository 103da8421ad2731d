"""What a report would say had the labels been decided otherwise."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from annotation.agreement.aggregation import METHODS
from annotation.reports.queries.comparison import STRICT, bias_by_set, union_of
from annotation.reports.queries.measured import LabelSource, queries_of
from annotation.vocabulary import LabelMethod
from metrics.errors import InputError
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.results import magnitude_title
from metrics.reports.tables.bias import MEASURES
from metrics.results.evaluation import Result
from metrics.runs.queries import Queries

#: The labels of the report itself, and those that stand where the report used a method's.
REPORTED, STANDING = "reported", "standing"
_TITLES = {
    REPORTED: "This report",
    STANDING: "The labels that stand",
    STRICT: "More than half of the votes",
    **dict(LabelMethod.choices),
}


def other_labels(
    *, source: LabelSource, measure: Callable[[Queries], Sequence[Result]]
) -> dict[str, Any]:
    """The bias over the queries that each method would have chosen, ready for JSON.

    `measure` gives the results over some queries; it is called once, with all that are needed.
    `sets` say how many queries a method chooses, how many of them the report does not have, and
    how many of the report's it leaves. Both are empty where labels choose no queries.
    """
    if not source.batches or source.category == "all":
        return {"sets": {}, "bias": []}
    sets = dict(_sets(source))
    reported = sets[REPORTED]
    return {
        "sets": {
            method: {
                "n_queries": len(chosen),
                "joined": len(chosen - reported),
                "left": len(reported - chosen),
            }
            for method, chosen in sets.items()
        },
        "bias": [asdict(one) for one in bias_by_set(measure(union_of(sets.values())), sets)],
    }


def _sets(source: LabelSource) -> Iterator[tuple[str, set[str]]]:
    yield REPORTED, set(queries_of(source)[0].ids)
    for method in ("", METHODS[0], STRICT, *METHODS[1:]):
        if method == source.method:
            continue
        try:
            chosen, _remarks = queries_of(replace(source, method=method))
        except InputError:
            # No votes to decide by, no gold questions to weigh with, or no query of the category.
            continue
        yield method or STANDING, set(chosen.ids)


def other_labels_table(found: Mapping[str, Any], magnitude: str, cutoff: int) -> Table:
    """What `other_labels` found, for one magnitude and cut-off; no rows where it found nothing."""
    rows: dict[str, dict[str, Value]] = {
        method: {"labels": _TITLES.get(method, method), **counts}
        for method, counts in found["sets"].items()
    }
    shown = [
        one for one in found["bias"] if (one["magnitude"], one["cutoff"]) == (magnitude, cutoff)
    ]
    for one in shown:
        name = f"{one['run']} {one['measure']}"
        # Nothing changes against itself, and no change is worth no arrow.
        rows[one["method"]] |= {name: one["value"], f"{name} change": one["change"] or None}
    return Table(
        name="other_labels",
        title=f"Had the labels been decided otherwise: {magnitude_title(magnitude)} at {cutoff}.",
        columns=_columns(dict.fromkeys(one["run"] for one in shown)),
        rows=list(rows.values()) if shown else [],
        notes=[
            (
                "In parentheses: the change against this report. Joined and left: queries that the "
                "method chooses and this report does not have, and the reverse."
            )
        ],
    )


def _columns(runs: Iterable[str]) -> list[Column]:
    columns = [
        Column("labels", "Labels by"),
        Column("n_queries", "Queries"),
        Column("joined", "joined"),
        Column("left", "left"),
    ]
    for run in runs:
        for measure in MEASURES:
            columns.append(Column(f"{run} {measure}", measure, run))
            columns.append(Column(f"{run} {measure} change", "", run, change=True))
    return columns
