"""Pools of queries and of pairs behind every page, file, command and address that reads pools."""

import csv
import io
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.parameters import TermError
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.models import Study
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE
from pooling.models import ListPlace, Pool, PooledQuery
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run, run_json
from tests.performing import age_removed, do
from tests.study import addresses, stored_pairs, stored_pool, with_votes

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Words of bias, which no page of a pool of pairs has.
_OF_BIAS = ("RaB", "bias", "female", "male", "scored")


@pytest.fixture(params=["queries", "pairs"])
def any_pool(request: pytest.FixtureRequest, db: None) -> Pool:
    """A pool of each kind, of 24 items."""
    return stored_pool(24, "any") if request.param == "queries" else stored_pairs(24, "any")


@pytest.fixture
def pairs(db: None) -> Pool:
    return stored_pairs(24, "any")


def read(client: Client, name: str, *numbers: int, asked: str = "") -> str:
    answer = client.get(reverse(name, args=numbers) + asked)
    assert answer.status_code == 200
    text = b"".join(answer).decode()
    assert "<script>alert" not in text or asked.endswith("csv")
    return unescape(text)


def main_of(page: str) -> str:
    """The text of a page without its frame."""
    return page[page.index("<main") : page.index("</main>")]


def items(pool: Pool) -> list[tuple[str, str, str, list[str]]]:
    return [
        (one.qid, one.text, one.passage, [f"{place}{place.bias}" for place in one.places.all()])
        for one in pool.queries.prefetch_related("places")
    ]


@pytest.mark.parametrize(
    "asked",
    ["", "?run=LSA", "?text=q1", "?text=d3", "?exactly=1", "?sort=-place", "?sort=id", "?page=1"],
)
def test_the_page_lists_what_is_asked_for(asked: str, any_pool: Pool, client: Client) -> None:
    said = main_of(read(client, "pool-detail", any_pool.pk, asked=asked))
    if any_pool.of_pairs:
        assert not [word for word in _OF_BIAS if word in said]
        assert "what is q1" in said or "d3" in said


def test_each_page_of_its_study_says_what_it_has(any_pool: Pool, client: Client) -> None:
    study = any_pool.belongs.study
    for name in ("study-detail", "study-put-away", "study-log", "study-release"):
        assert study.name in read(client, name, study.pk)
    assert "any" in read(client, "pool-list")
    assert "any" in read(client, "study-list", asked="?sort=labels")
    assert "any" in read(client, "batch-new")
    said = main_of(read(client, "study-detail", study.pk))
    assert ("24 pairs of query and passage" in said) == any_pool.of_pairs


def test_the_file_of_the_page_has_every_pair(pairs: Pool, client: Client) -> None:
    text = read(client, "pool-detail", pairs.pk, asked="?as=csv")
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == ["query_id", "docno", "query", "passage", "places"]
    stored = pairs.queries.all()
    expected = {(pair.query_id, pair.docno, pair.text, pair.passage) for pair in stored}
    assert {tuple(row[:4]) for row in rows} == expected
    assert {row[4] for row in rows if row[:2] == ["q0", "d1"]} == {"BM25 2; LSA 1"}


@pytest.mark.parametrize(
    ("text", "n"), [("q5", 2), ("d5", 2), ("q5 d6", 1), ("D6 long", 2), ("nothing", 0)]
)
def test_a_pair_is_looked_up_by_either_id_and_by_its_passage(
    text: str, n: int, pairs: Pool, client: Client
) -> None:
    rows = list(
        csv.reader(io.StringIO(read(client, "pool-detail", pairs.pk, asked=f"?text={text}&as=csv")))
    )
    assert len(rows) == 1 + n


def test_the_api_tells_the_same(any_pool: Pool) -> None:
    api = APIClient()
    api.force_authenticate(User.objects.create_user("lab", is_staff=True))
    [listed] = api.get("/api/v1/pools/").json()["results"]
    assert (listed["of_pairs"], listed["n_queries"]) == (any_pool.of_pairs, 24)
    detail = api.get(f"/api/v1/pools/{any_pool.pk}/").json()
    assert [run["n_listed"] for run in detail["runs"]] == (
        [24, 12] if any_pool.of_pairs else [48, 48]
    )
    assert detail["lists"] == sorted(any_pool.summary["list_sizes"])
    found = api.get(f"/api/v1/pools/{any_pool.pk}/queries/?text=q3").json()["results"]
    assert {"passage" in one for one in found} == {any_pool.of_pairs}
    assert {one.get("docno") for one in found} == ({"d3", "d4"} if any_pool.of_pairs else {None})
    if any_pool.of_pairs:
        assert {
            (place["direction"], place["bias"]) for one in found for place in one["places"]
        } == {("", None)}
    wrong = api.get(f"/api/v1/pools/{any_pool.pk}/queries/?direction=x")
    assert wrong.status_code == 400


def test_a_copy_of_the_study_has_the_same(any_pool: Pool) -> None:
    do(DUPLICATE_STUDY, any_pool.belongs.study, name="copy")
    copy = Study.objects.get(name="copy").pools.get().pool
    assert (copy.of_pairs, items(copy)) == (any_pool.of_pairs, items(any_pool))


def test_a_bundle_brings_the_same_elsewhere(any_pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    do(DRAW_SAMPLE, any_pool.belongs.study, pool="any", size=10, name="drawn")
    run("study", "bundle", any_pool.belongs.study.name, "--output", path)
    run("study", "verify-bundle", path)
    study = import_bundle(path, name="elsewhere").made
    again, drawn = (place.pool for place in study.pools.order_by("pool__pk"))
    assert (again.of_pairs, again.summary) == (any_pool.of_pairs, any_pool.summary)
    assert items(again) == items(any_pool)
    assert (drawn.of_pairs, drawn.drawn.parent) == (any_pool.of_pairs, again)
    assert items(drawn) == items(Pool.objects.get(name="drawn"))


def test_a_sample_is_drawn_and_continued(any_pool: Pool, client: Client) -> None:
    study = any_pool.belongs.study
    do(DRAW_SAMPLE, study, pool="any", size=10, seed=3, name="drawn")
    drawn = Pool.objects.get(name="drawn")
    assert drawn.of_pairs == any_pool.of_pairs
    known = {one[0]: one for one in items(any_pool)}
    assert len(items(drawn)) == 10
    assert all(known[one[0]] == one for one in items(drawn))
    said = main_of(read(client, "pool-detail", drawn.pk))
    assert not any_pool.of_pairs or not [word for word in _OF_BIAS if word in said]
    do(DRAW_SAMPLE, study, pool="drawn", size=14, name="more")
    both = {one[0] for name in ("drawn", "more") for one in items(Pool.objects.get(name=name))}
    assert both == set(known)


def test_pairs_have_no_bias_to_draw_by(pairs: Pool, client: Client) -> None:
    study = pairs.belongs.study
    with pytest.raises(TermError):
        do(DRAW_SAMPLE, study, pool="any", size=10, design="unequal")
    page = read(client, "pool-detail", pairs.pk)
    assert "Pairs to draw" in page
    assert "Rather those that tell more" not in page


def test_what_is_removed_leaves_no_row(any_pool: Pool) -> None:
    do(REMOVE, any_pool.belongs.study, what="pool", number=any_pool.pk)
    age_removed()
    assert not PooledQuery.objects.exists()
    assert not ListPlace.objects.exists()


def test_commands_read_it(any_pool: Pool) -> None:
    study = any_pool.belongs.study
    steps = {step["step"]: step for step in run_json("study", "show", study.name)["steps"]}
    assert ("pairs of query and passage" in steps["pool"]["said"]) == any_pool.of_pairs
    assert run("site", "check") is not None
    assert "any" in run("study", "list")


def test_a_batch_of_a_sample_is_shown_counted_and_explained(any_pool: Pool, client: Client) -> None:
    """Every page of the requester over a batch of drawn items, with votes and labels."""
    study = any_pool.belongs.study
    do(DRAW_SAMPLE, study, pool="any", size=12, seed=1, name="drawn")
    drawn = Pool.objects.get(name="drawn")
    scheme = "passage_gender" if any_pool.of_pairs else "gender"
    batch = do(CREATE_BATCH, study, name="b", pool=drawn.pk, scheme=scheme, queries_per_hit=4).made
    with_votes(batch)
    for name, address in addresses(batch).items():
        if name not in {"sign-in", "batch-new"}:
            assert client.get(address, follow=True).status_code == 200, name
    said = main_of(read(client, "batch-query", batch.pk, batch.queries.get(position=3).pk))
    assert ("Ranks in the runs" in said) == any_pool.of_pairs
    figures = corrected_figures(batch=batch, parameters=FigureParameters())
    assert (figures.n_pool, figures.n_drawn, figures.why_not) == (24, 12, "")
    assert {figure.kind for figure in figures.figures} == (
        {"share"} if any_pool.of_pairs else {"share", "mean", "difference"}
    )
