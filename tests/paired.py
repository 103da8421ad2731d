"""A stored pool of pairs of query and passage, for tests of batches that judge passages."""

from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.perform import perform_here
from annotation.models import Batch, Study, StudyPool
from metrics.io.pair_ids import pair_id
from pooling.models import Pool, PooledQuery
from tests.schemed import STAFF
from tests.study import HOSTILE, a_study

QUERIES = {"q1": "what is a cold front", "q2": "who wrote emma"}
#: The passages of each query: a short one, one of many lines, and one written from right to left.
PASSAGES = {
    "d1": "A cold front is the edge of a mass of cold air.",
    "d2": f"Fronts {HOSTILE} move. " + "The air behind them is colder than before. " * 40,
    "d3": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
}


def pool_of_pairs(name: str = "pairs", study: Study | None = None) -> Pool:
    """The six pairs of two queries and three passages."""
    pool = Pool.objects.create(name=name, of_pairs=True, cutoff=3, summary={"n_queries": 2})
    PooledQuery.objects.bulk_create(
        PooledQuery(pool=pool, qid=pair_id(qid, docno), text=text, passage=passage, best_rank=rank)
        for qid, text in QUERIES.items()
        for rank, (docno, passage) in enumerate(PASSAGES.items(), start=1)
    )
    StudyPool.objects.create(study=study or a_study(name), pool=pool)
    return pool


def batch_of_pairs(scheme: str = "relevance", name: str = "graded", **terms: object) -> Batch:
    """A draft of HITs of three pairs."""
    pool = Pool.objects.filter(name="pairs").first() or pool_of_pairs()
    sent = {"name": name, "pool": pool.pk, "scheme": scheme, "queries_per_hit": 3, **terms}
    perform_here(CREATE_BATCH, pool.belongs.study, sent, STAFF)
    return Batch.objects.get(name=name)
