"""Pictures of a large study: what they say is what the tables say, and where they lead exists."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.queries.vote_times import vote_times
from annotation.models import Assignment, StudyReport, Worker
from annotation.vocabulary import WorkerKind
from annotation.web.charts.upset import upset_chart
from pooling.queries import shared_by_exactly
from tests.large_study import large_study
from tests.measured import storages_in

pytestmark = pytest.mark.long


@pytest.fixture
def report(tmp_path: Path, settings: Settings, db: None) -> StudyReport:
    settings.STORAGES = storages_in(tmp_path / "storage")
    report = large_study("pictures", 120, runs=("BM25", "a-very-long-name-of-a-system", "LSA"))
    work = Assignment.objects.filter(hit__batch__study=report.study)
    work.update(accepted_at=F("submitted_at") - timedelta(minutes=2))
    # What programs took says nothing of reading, so that only people have times.
    Worker.objects.update(kind=WorkerKind.HUMAN)
    return report


def _marks(client: Client, address: str) -> list[tuple[str, str]]:
    page = client.get(address).content.decode()
    return re.findall(r'<a href="([^"]*)" aria-label="([^"]*)"><title>', page)


def test_every_picture_leads_somewhere_and_says_its_value(
    report: StudyReport, admin_client: Client
) -> None:
    batch = report.study.batches.get()
    page = reverse("study-report", args=[report.study_id, report.pk])
    marks = _marks(admin_client, f"{page}?against=BM25")
    assert marks
    assert any(", n = " in said and "95 % interval" in said for _, said in marks)
    assert any(said.startswith("a-very-long-name-of-a-system: ") for _, said in marks)
    for address, _ in [*marks[:3], marks[-1]]:
        target = address.replace("&amp;", "&").partition("#")[0]
        where = f"{page}{target}" if target.startswith("?") else target
        assert admin_client.get(where).status_code == 200
    workers = _marks(admin_client, reverse("batch-workers", args=[batch.pk]))
    assert workers
    assert all("agreement" in said for _, said in workers)
    assert admin_client.get(workers[0][0]).status_code == 200
    both = reverse("study-report-compare", args=[report.study_id])
    slopes = _marks(admin_client, f"{both}?left={report.pk}&right={report.pk}&cutoff=20")
    assert len(slopes) == 2 * 3


def test_votes_over_time_and_the_overlap_count_everything_once(report: StudyReport) -> None:
    batch = report.study.batches.get()
    times = vote_times(batch=batch)
    assert times is not None
    assert sum(count for _, count in times.counts) == 3 * batch.queries.count()
    assert len(times.counts) <= 48
    first, last = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 5, 0, 5, tzinfo=UTC)
    answers = Assignment.objects.filter(hit__batch=batch)
    answers.update(submitted_at=first)
    Assignment.objects.filter(pk=answers.earliest("pk").pk).update(submitted_at=last)
    times = vote_times(batch=batch)
    assert times is not None
    assert [moment for moment, _ in times.counts] == [first, last]
    assert sum(count for _, count in times.counts) == 3 * batch.queries.count()
    pool = report.study.pools.get().pool
    shared = shared_by_exactly(pool=pool, most=1_000)
    assert sum(count for _, count in shared) == pool.queries.count()
    for name, size in pool.summary["list_sizes"].items():
        assert sum(count for members, count in shared if name in members) == size
    chart = upset_chart(
        "o", pool.summary["list_sizes"], shared[:5], "queries", lambda lists: f"?{lists}"
    )
    said = [mark.text for group in chart.groups for mark in group.marks]
    assert f"{shared[0][1]:,} queries in exactly" in " ".join(said)
