"""Samples drawn from pools: what is stored of them, and batches made from them."""

import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.parameters import TermError
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.samples import biases_of, drawn_ids
from annotation.models import Batch, DrawnSample, ModelLabel, ModelRater, Study
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.vocabulary import Category, RaterOrigin, SampleDesign
from metrics.errors import InputError
from pooling.models import Pool
from tests.commands import run
from tests.performing import do
from tests.study import ONE_BY_ONE, stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> Pool:
    return stored_pool(60)


def rated(study: Study, name: str = "a model") -> ModelRater:
    """A model that believes the more of a query, the higher its number."""
    rater = ModelRater.objects.create(study=study, name=name, origin=RaterOrigin.IMPORTED)
    ModelLabel.objects.bulk_create(
        ModelLabel(rater=rater, qid=f"q{number}", category="n", belief=number / 60)
        for number in range(60)
    )
    return rater


def draw(pool: Pool, **parameters: object) -> DrawnSample:
    done = do(DRAW_SAMPLE, pool.belongs.study, **({"pool": pool.name, "size": 20} | parameters))
    return DrawnSample.objects.get(pool=done.values["pool"])


def test_a_batch_is_made_from_the_drawn_queries_alone(pool: Pool) -> None:
    sample = draw(pool, seed=3)
    assert sample.pool.queries.count() == 20
    assert sample.chances == {f"q{number}": pytest.approx(1 / 3) for number in range(60)}
    do(CREATE_BATCH, pool.belongs.study, name="asked", pool=sample.pool.pk)
    batch = Batch.objects.get(name="asked")
    assert set(batch.queries.values_list("qid", flat=True)) == drawn_ids(sample)
    assert draw(pool, seed=3).pool.name == "top sample 2"
    with pytest.raises(InputError, match="asked"):
        do(REMOVE, pool.belongs.study, what="pool", number=sample.pool_id)


@pytest.mark.parametrize("design", ONE_BY_ONE)
def test_a_sample_is_continued_by_the_same_design(pool: Pool, design: str) -> None:
    rated(pool.belongs.study)
    first = draw(pool, design=design)
    second = draw(first.pool, size=10, design="simple", seed=5)
    assert second.design == design
    assert second.parent == pool
    assert not drawn_ids(first) & set(second.pool.queries.values_list("qid", flat=True))
    assert sum(second.chances.values()) == pytest.approx(30, abs=2)
    assert len(drawn_ids(second)) == pytest.approx(30, abs=12 if design == "unequal" else 2)
    assert bool(second.strata) == (design in {SampleDesign.STRATIFIED, SampleDesign.NEYMAN})
    with pytest.raises(TermError, match="continued already"):
        draw(first.pool)


def test_what_a_draw_needs_is_said(pool: Pool) -> None:
    for parameters, missing in (
        ({"design": "stratified"}, "model's labels"),
        ({"pool": "other"}, "Pools are top"),
        ({"size": 61}, "60 are left"),
    ):
        with pytest.raises(InputError, match=missing):
            do(DRAW_SAMPLE, pool.belongs.study, **({"pool": "top", "size": 20} | parameters))
    rated(pool.belongs.study)
    with pytest.raises(TermError, match="BM25, LSA"):
        draw(pool, design="unequal", run="T5")
    assert not DrawnSample.objects.exists()


def test_it_is_drawn_on_the_page_of_the_pool(pool: Pool, admin_client: Client) -> None:
    page = reverse("pool-detail", args=[pool.pk])
    address = reverse("study-draw-sample", args=[pool.belongs.study_id])
    assert address in admin_client.get(page).content.decode()
    done = admin_client.post(address, {"pool": "top", "size": 20}, follow=True)
    sample = DrawnSample.objects.get()
    assert done.redirect_chain == [(reverse("pool-detail", args=[sample.pool_id]), 302)]
    assert sample.actor.startswith(User.objects.get().username)
    assert sample.pool.name in admin_client.get(page).content.decode()
    refused = admin_client.post(address, {"pool": "top", "size": 99}, follow=True)
    assert "60 are left" in refused.content.decode()
    admin_client.post(address, {"pool": sample.pool.name, "size": 10})
    assert DrawnSample.objects.get(continues=sample).pool.queries.count() == 10


def test_categories_are_named_where_a_model_has_labelled_by_them(
    pool: Pool, admin_client: Client
) -> None:
    page = reverse("pool-detail", args=[pool.pk])
    assert Category.OTHER.label not in admin_client.get(page).content.decode()
    rated(pool.belongs.study)
    assert Category.OTHER.label in admin_client.get(page).content.decode()


def test_a_copy_of_a_study_keeps_its_samples(pool: Pool) -> None:
    second = draw(draw(pool).pool, size=10)
    do(DUPLICATE_STUDY, pool.belongs.study, name="copy")
    copied = DrawnSample.objects.get(parent__belongs__study__name="copy", continues__isnull=False)
    assert drawn_ids(copied) == drawn_ids(second)
    assert copied.pool.belongs.study.name == "copy"


def test_a_bundle_holds_how_a_sample_was_drawn(pool: Pool, tmp_path: Path) -> None:
    rated(pool.belongs.study)
    first = draw(pool, design="stratified")
    second = draw(first.pool, size=10)
    file = tmp_path / "b.zip"
    run("study", "bundle", pool.belongs.study.name, "--output", file)
    with file.open("rb") as stream:
        sent = {"stream": stream, "name": "again", "filename": "b.zip"}
        do(IMPORT_BUNDLE, None, **sent)
    read = DrawnSample.objects.get(parent__belongs__study__name="again", continues__isnull=False)
    assert drawn_ids(read) == drawn_ids(second)
    assert (read.chances, read.strata) == (second.chances, second.strata)
    assert biases_of(list(read.parent.queries.all())).keys() == {"BM25", "LSA"}
    with zipfile.ZipFile(file) as bundle:
        assert "drawn at random from `top`" in bundle.read("README.md").decode()
