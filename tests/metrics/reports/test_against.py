"""Runs beside a reference: by hand."""

import json

import numpy as np

from metrics.measures import PerQuery
from metrics.reports.families import Comparisons
from metrics.reports.formats.layout import csv_of, json_of
from metrics.reports.results import Results
from metrics.reports.tables.against import Beside, against_table
from metrics.results.evaluation import Result
from metrics.statistics.inference import USUAL
from metrics.statistics.significance import Comparison


def results() -> Results:
    values = {"BM25": [0.1, 0.3], "KNRM": [0.2, 0.4], "Zero": [0.0, 0.0], "Empty": [np.nan] * 2}
    return Results(
        [
            Result(run, "RaB", "tf", 5, ("q1", "q2"), PerQuery(np.array(value)), 0)
            for run, value in values.items()
        ],
        paired={},
    )


def compared_with_bm25(**p_values: float) -> Comparisons:
    """BM25 against the runs, with these p-values before they are corrected."""
    pairs = [
        Comparison("BM25", run, 2, -0.1, None, None, None, None, p, None)
        for run, p in p_values.items()
    ]
    return Comparisons(USUAL, [("RaB", "tf", 5)], lambda _view: pairs)


def test_differences_percentages_and_marks_stand_behind_the_value() -> None:
    compared = compared_with_bm25(KNRM=0.002, Zero=0.2)
    table = against_table(results(), Beside("BM25", [("RaB", "tf")], [5], compared), [])
    # Means by hand: 0.2 and 0.3, half as much again; nothing is all of 0.2 less.
    assert [cells[2] for cells in table.body] == [
        "0.200",
        "0.300 (↑0.100, 50%)**",
        "0.000 (↓0.200, 100%)",
        "–",
    ]


def test_there_is_no_percentage_of_nothing() -> None:
    table = against_table(results(), Beside("Zero", [("RaB", "tf")], [5], compared_with_bm25()), [])
    assert table.body[0][2] == "0.200 (↑0.200)"


def test_files_for_programs_have_every_number_in_full() -> None:
    asked = Beside("BM25", [("RaB", "tf")], [5], compared_with_bm25(KNRM=0.002, Zero=0.2))
    table = against_table(results(), asked, ["A note."])
    header, _bm25, knrm, *_ = csv_of(table).splitlines()
    assert header == "cutoff,run,RaB_tf,RaB_tf_difference,RaB_tf_percent,RaB_tf_p"
    cutoff, run, *numbers = knrm.split(",")
    assert (cutoff, run) == ("5", "KNRM")
    np.testing.assert_allclose([float(one) for one in numbers], [0.3, 0.1, 50, 0.004])
    parsed = json.loads(json_of(table))
    assert parsed["rows"][3]["RaB_tf"] is None
    assert parsed["rows"][1]["RaB_tf_p"] == 0.004
    assert parsed["notes"][-1] == "A note."
