"""The bias with its votes carried through: what a report stores and shows of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Batch, Study
from annotation.reports.queries.label_uncertainty import ReportVotes
from annotation.reports.queries.reports import report_statistics, report_values
from metrics.statistics.significance import mean_interval
from metrics.statistics.uncertain_labels import UNDECIDED
from tests.commands import run
from tests.large_study import large_study

pytestmark = pytest.mark.django_db


@pytest.mark.long
def test_a_report_has_both_intervals_of_every_mean_and_the_share_of_the_labels() -> None:
    report = large_study("votes", 80, runs=("BM25", "KNRM"))
    rows = report_statistics(report)["label_uncertainty"]["rows"]

    assert {(one["method"], one["run"]) for one in rows} == {
        (method, run) for method in ("majority", "dawid_skene") for run in ("BM25", "KNRM")
    }
    for one in report_values(report).read(lambda key: key.measure in ("RaB", "ARaB")).results:
        # The labels that stand are those of the majority.
        (row,) = (
            row
            for row in rows
            if (row["method"], row["run"], row["measure"], row["magnitude"], row["cutoff"])
            == ("majority", one.run, one.measure, one.magnitude, one.cutoff)
        )
        given = mean_interval(one.per_query.value)
        assert row["value"] == pytest.approx(one.value)
        assert (row["queries_low"], row["queries_high"]) == (given.low, given.high)
        assert row["low"] < row["value"] < row["high"]
        assert 0 < row["label_share"] < 1

    address = reverse("study-report-part", args=[report.study_id, report.pk, "label_uncertainty"])
    (shown,) = [
        json.loads(Client().get(f"{address}.json", {"cutoff": "5", "magnitude": "bool"}).content)
    ]
    expected = [one for one in rows if (one["magnitude"], one["cutoff"]) == ("bool", 5)]
    assert [row["low"] for row in shown["rows"]] == [one["low"] for one in expected]
    for kind in ("tex", "csv", "md"):
        assert Client().get(f"{address}.{kind}").status_code == 200


def test_a_query_that_two_batches_label_differently_has_no_label(tmp_path: Path) -> None:
    Study.objects.create(name="s")
    for name, said in (("a", {"q1": "nnf", "q2": "nnn"}), ("b", {"q1": "ffn", "q3": "nff"})):
        rows = [f"{qid},w{n},{c}\n" for qid, given in said.items() for n, c in enumerate(given)]
        (tmp_path / name).with_suffix(".csv").write_text("query_id,worker,label\n" + "".join(rows))
        run("label", "import-votes", tmp_path / f"{name}.csv", "--name", name, "--study", "s")

    votes = ReportVotes(tuple(Batch.objects.order_by("pk")), "gender", ["n"])
    label = votes.labeller("majority", ("q1", "q2", "q3", "unknown"))
    workers = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0]])

    codes = label(workers.astype(float), np.ones((3, 4)))

    assert votes.n_workers == 3
    # With the first worker alone, q3 is non-gendered as well; without any, nothing is.
    assert (codes != UNDECIDED).tolist() == [
        [False, True, False, False],
        [False, True, True, False],
        [False, False, False, False],
    ]
