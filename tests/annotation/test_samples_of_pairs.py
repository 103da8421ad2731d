"""Samples of whole queries from a pool of pairs."""

import pytest

from annotation.core.parameters import TermError
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.samples import drawn_ids
from annotation.models import DrawnSample, Study, StudyPool
from pooling.items import pair_id, split_pair_id
from pooling.models import ListPlace, Pool, PooledQuery
from tests.paired import batch_of_pairs
from tests.performing import do
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
        summary={"n_queries": 40, "list_sizes": {}},
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
