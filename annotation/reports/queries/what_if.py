"""A report under labels by other methods."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from annotation.reports.queries.comparison import STRICT, bias_by_set
from annotation.reports.queries.measured import LabelSource, queries_of
from annotation.schemes import ALL
from annotation.vocabulary import LABEL_METHODS
from metrics.errors import InputError
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.results import MEANS_NOTE, magnitude_title
from metrics.reports.tables.bias import MEASURES
from metrics.results.evaluation import Result
from metrics.votes.deciding import METHODS

#: Names of the report's own labels, and of the standing ones where the report used a method's.
REPORTED, STANDING = "reported", "standing"
_TITLES = {
    REPORTED: "This report",
    STANDING: "The labels that stand",
    STRICT: "More than half of the votes",
    **dict(LABEL_METHODS),
}


def label_sets(source: LabelSource) -> dict[str, set[str]]:
    """Return the report's queries, and those that each method would have chosen.

    Empty where labels do not choose the queries.
    """
    if not source.batches or source.category == ALL or not source.question.is_nominal:
        return {}
    sets = {REPORTED: set(queries_of(source)[0].ids)}
    for method in ("", METHODS[0], STRICT, *METHODS[1:]):
        if method == source.method:
            continue
        # A method may lack votes, gold questions, or queries.
        with suppress(InputError):
            sets[method or STANDING] = set(queries_of(replace(source, method=method))[0].ids)
    return sets


def other_labels(sets: Mapping[str, Collection[str]], results: Sequence[Result]) -> dict[str, Any]:
    """The bias over each of the `label_sets`, ready for JSON; `results` are over all of them.

    `sets` count the queries that a method chooses, those that the report lacks, and those of the
    report that it leaves out.
    """
    reported = set(sets.get(REPORTED, ()))
    return {
        "sets": {
            method: {
                "n_queries": len(chosen),
                "joined": len(set(chosen) - reported),
                "left": len(reported - set(chosen)),
            }
            for method, chosen in sets.items()
        },
        "bias": [asdict(bias) for bias in bias_by_set(results, sets)],
    }


def other_labels_table(labels: Mapping[str, Any], magnitude: str, cutoff: int) -> Table:
    """Rows of `other_labels` for one magnitude and cut-off; none where it found nothing."""
    rows: dict[str, dict[str, Value]] = {
        method: {"labels": _TITLES.get(method, method), **counts}
        for method, counts in labels["sets"].items()
    }
    biases = [
        bias
        for bias in labels["bias"]
        if (bias["magnitude"], bias["cutoff"]) == (magnitude, cutoff)
    ]
    for bias in biases:
        name = f"{bias['run']} {bias['measure']}"
        # The report's own labels, and equal values, have no arrow.
        rows[bias["method"]] |= {name: bias["value"], f"{name} change": bias["change"] or None}
    return Table(
        name="other_labels",
        title=f"If the labels had been decided otherwise: {magnitude_title(magnitude)} at "
        f"{cutoff}.",
        columns=_columns(dict.fromkeys(bias["run"] for bias in biases)),
        rows=list(rows.values()) if biases else [],
        notes=[
            (
                "In parentheses: the change against this report. Joined and left: queries that the "
                "method chooses and this report does not have, and the reverse."
            ),
            MEANS_NOTE,
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
