"""The list of a batch's queries: chips, numbers of pages, and the download of what is seen."""

import csv
import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Assignment, Batch, Vote
from pooling.queries import mask_of_lists, shared_by_exactly
from tests.measured import measured_study, storages_in


@pytest.fixture
def batch(tmp_path: Path, settings: Settings, db: None) -> Batch:
    settings.STORAGES = storages_in(tmp_path / "storage")
    return measured_study(tmp_path).batches.get()


@pytest.mark.long
def test_a_download_has_the_rows_of_the_list_in_their_order(
    batch: Batch, admin_client: Client
) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    response = admin_client.get(f"{address}?sort=-id&label=n&as=csv")
    assert response["Content-Disposition"] == 'attachment; filename="b-queries.csv"'
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined] # it streams
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["query_id"], row["votes_n"], row["label"]) for row in rows] == [
        ("q2", "2", "n"),
        ("q1", "3", "n"),
    ]


def test_a_chip_takes_away_its_filter_and_keeps_the_others(
    batch: Batch, admin_client: Client
) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    page = admin_client.get(f"{address}?text=o&label=n&sort=-id&page=1").content.decode()
    assert 'href="?label=n&amp;sort=-id" aria-label="Remove the filter Text or id: o"' in page
    assert "Remove the filter Label: Non-gendered" in page
    assert 'aria-label="Filters"' not in admin_client.get(address).content.decode()


def _rows(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined] # it streams
    return list(csv.DictReader(io.StringIO(content)))


def test_other_lists_are_downloaded_as_they_are_seen(batch: Batch, admin_client: Client) -> None:
    pool = reverse("pool-detail", args=[batch.pool_id])
    queries = _rows(admin_client, f"{pool}?run=BM25&direction=f&sort=-id&as=csv")
    assert [row["query_id"] for row in queries] == sorted(
        (row["query_id"] for row in queries), reverse=True
    )
    assert all("BM25:f" in row["places"] for row in queries)
    workers = _rows(admin_client, f"{reverse('batch-workers', args=[batch.pk])}?sort=worker&as=csv")
    assert [row["worker"] for row in workers] == sorted(row["worker"] for row in workers)
    assert sum(int(row["votes"]) for row in workers) == 12
    for log in ("batch-log", "study-log"):
        number = batch.pk if log == "batch-log" else batch.study_id
        entries = _rows(admin_client, f"{reverse(log, args=[number])}?as=csv")
        assert entries
        assert all(entry["who"] and entry["when"] for entry in entries)


def test_a_bar_of_the_overlap_leads_to_exactly_its_queries(
    batch: Batch, admin_client: Client
) -> None:
    pool = batch.pool
    assert pool is not None
    address = reverse("pool-detail", args=[pool.pk])
    for lists, count in shared_by_exactly(pool=pool):
        mask = mask_of_lists(pool=pool, lists=lists)
        assert len(_rows(admin_client, f"{address}?exactly={mask}&as=csv")) == count
    assert admin_client.get(f"{address}?exactly=-1").status_code == 400


@pytest.mark.long
def test_a_bar_of_votes_over_time_leads_to_what_was_answered_then(
    batch: Batch, admin_client: Client
) -> None:
    moment = timezone.now().replace(second=0, microsecond=0)
    Assignment.objects.filter(hit__batch=batch).update(submitted_at=moment)
    address = reverse("batch-queries", args=[batch.pk])
    then, later = f"{moment:%Y-%m-%dT%H:%MZ}", f"{moment + timedelta(hours=1):%Y-%m-%dT%H:%MZ}"
    answered = Vote.objects.filter(query__batch=batch, assignment__isnull=False)
    n_answered = answered.values("query").distinct().count()
    found = _rows(admin_client, f"{address}?since={then}&until={later}&as=csv")
    assert len(found) == n_answered
    assert not _rows(admin_client, f"{address}?since={later}&as=csv")
