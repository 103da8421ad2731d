"""Samples of whole queries from a pool of pairs."""

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.parameters import TermError
from annotation.core.perform import perform_here
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.samples import drawn_ids
from annotation.models import Batch, DrawnSample, ModelRater, Study, StudyPool
from annotation.schemes import built_in_scheme
from annotation.vocabulary import BatchState, RaterOrigin
from metrics.io.pair_ids import pair_id, split_pair_id
from pooling.models import ListPlace, Pool, PooledQuery
from tests.paired import batch_of_pairs
from tests.performing import do
from tests.schemed import STAFF
from tests.study import a_study, stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """With a pool of 40 queries of three passages each."""
    study = a_study("drawn")
    pool = Pool.objects.create(
        name="pairs",
        of_pairs=True,
        cutoff=3,
        inputs={"runs": {}},
        summary={"n_queries": 40, "n_pooled": 120, "n_runs": 1, "list_sizes": {}},
    )
    PooledQuery.objects.bulk_create(
        PooledQuery(
            pool=pool, qid=pair_id(f"q{n}", f"d{place}"), text=f"q{n}", passage="x", best_rank=1
        )
        for n in range(40)
        for place in range(3)
    )
    ListPlace.objects.bulk_create(
        ListPlace(query=pair, run="BM25", rank=1) for pair in pool.queries.all()
    )
    StudyPool.objects.create(study=study, pool=pool)
    return study


def drawn(study: Study, pool: str, size: int, **terms: object) -> DrawnSample:
    done = do(DRAW_SAMPLE, study, pool=pool, size=size, **terms)
    return DrawnSample.objects.get(pool=done.values["pool"])


def test_whole_queries_are_drawn_with_all_their_passages(study: Study) -> None:
    sample = drawn(study, "pairs", 10, design="queries", seed=2)
    queries = {split_pair_id(item)[0] for item in drawn_ids(sample)}
    assert (len(queries), sample.pool.queries.count()) == (10, 30)
    assert set(sample.chances.values()) == {0.25}
    more = drawn(study, sample.pool.name, 10, seed=3)
    further = {split_pair_id(item)[0] for item in more.pool.queries.values_list("qid", flat=True)}
    assert len(further) == 10
    assert not queries & further
    assert (more.design, set(more.chances.values())) == ("queries", {0.5})
    batch = batch_of_pairs("passage_gender", pool=sample.pool.pk)
    figures = corrected_figures(batch=batch, parameters=FigureParameters())
    assert "Whole queries were drawn" in figures.why_not


def test_queries_without_passages_are_drawn_one_by_one() -> None:
    pool = stored_pool(20)
    with pytest.raises(TermError, match="queries without passages"):
        drawn(pool.belongs.study, pool.name, 10, design="queries")


def test_a_batch_of_drawn_pairs_leads_to_a_model_until_one_was_asked(
    study: Study, admin_client: Client
) -> None:
    steps = admin_client.get(reverse("study-detail", args=[study.pk])).content.decode()
    whole = Pool.objects.get(name="pairs")
    assert f"{reverse('pool-detail', args=[whole.pk])}#draw" in steps
    sample = drawn(study, "pairs", 10, design="queries")
    asking = {}
    for name, pool in (("some", sample.pool), ("all", whole)):
        sent = {"name": name, "pool": pool.pk, "scheme": "relevance"}
        perform_here(CREATE_BATCH, study, sent, STAFF)
        batch = Batch.objects.get(name=name)
        Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
        asking[name] = reverse("batch-detail", args=[batch.pk])

    def leads_to_a_model(name: str) -> bool:
        page = BeautifulSoup(admin_client.get(asking[name]).content, "html.parser")
        return bool(page.select(".next-step a[href$='/ask-model/']"))

    assert (leads_to_a_model("some"), leads_to_a_model("all")) == (True, False)
    codes = built_in_scheme("relevance").questions[0].codes
    ModelRater.objects.create(
        study=study,
        name="m",
        origin=RaterOrigin.ASKED,
        question="relevance",
        options=list(codes),
        actor="test",
    )
    assert not leads_to_a_model("some")
