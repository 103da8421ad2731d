"""Reports on drawn queries: means over the pool that they were drawn from."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import DrawnSample
from annotation.reports.queries.chances import chances_of
from annotation.reports.queries.reports import report_statistics, report_values
from annotation.studies.operations.pool import PoolTerms, study_pool
from annotation.vocabulary import SampleDesign
from tests.measured import measured_study, report_of

pytestmark = pytest.mark.django_db
CHANCES = {"q1": 0.25, "q2": 0.5, "q3": 1.0, "q4": 1.0}


@pytest.mark.long
def test_queries_that_were_drawn_are_weighted_by_the_inverse_of_their_chance(
    tmp_path: Path,
) -> None:
    study = measured_study(tmp_path)
    batch = study.batches.get()
    assert batch.pool is not None
    parent = study_pool(study=study, name="all", terms=PoolTerms(rank_cutoff=3), actor="test")
    sample = DrawnSample.objects.create(
        pool=batch.pool, parent=parent, design=SampleDesign.UNEQUAL, seed=0, chances=CHANCES
    )
    report = report_of(study)

    statistics = report_statistics(report)
    assert statistics["drawn_from"] == "all"
    by_view = {(v["measure"], v["magnitude"], v["cutoff"]): v for v in statistics["views"]}
    for one in report_values(report).read(lambda key: key.measure == "RaB").results:
        found = by_view[one.measure, one.magnitude, one.cutoff]["weighted"][one.run]
        # q1 stands for four queries, q2 for two; two queries have no interval.
        first, second = one.per_query.value
        assert found["value"] == pytest.approx((4 * first + 2 * second) / 6)
        assert found["low"] is None
    part = reverse("study-report-part", args=[study.pk, report.pk, "weighted.json"])
    rows = json.loads(Client().get(part, {"measure": "RaB:tf", "cutoff": "2"}).content)["rows"]
    assert {row["run"]: row["value"] for row in rows} == {
        run: one["value"] for run, one in by_view["RaB", "tf", 2]["weighted"].items()
    }

    batch.queries.filter(qid="q4").delete()
    assert chances_of([batch]) == ("", {})
    sample.delete()
    assert chances_of([batch]) == ("", {})
