"""The models that label queries of a study, and the queries that they may label."""

from hashlib import sha256

from django.db.models import Count, Q, QuerySet

from annotation.models import Batch, BatchQuery, DrawnSample, Label, ModelRater, Study
from annotation.studies.file_store import local_path
from annotation.studies.queries.file_kind import files_in_use
from annotation.vocabulary import CATEGORY_QUESTION, Category, FileKind
from metrics.runs.queries import read_queries
from pooling.models import Pool, PooledQuery


def study_raters(*, study: Study) -> QuerySet[ModelRater]:
    """The models of the study by name, each with the number of its labels.

    `n_labels` counts all, `n_missing` the missing ones, `n_n`, `n_f` ... those of a category.
    """
    counted = {
        f"n_{category}": Count("labels", filter=Q(labels__category=category))
        for category in Category
    }
    missing = Count("labels", filter=Q(labels__category=None, labels__belief=None))
    rows = study.model_raters.annotate(n_labels=Count("labels"), n_missing=missing, **counted)
    return rows.order_by("name", "pk")


def study_query_texts(*, study: Study) -> dict[str, str]:
    """Return the study's queries by id, from pools, batches and files of queries.

    Files may have ids without texts; gold questions are left out.
    """
    texts: dict[str, str] = {}
    for file in files_in_use(study, FileKind.QUERIES):
        texts |= read_queries(local_path(file), "all").texts
    pooled = PooledQuery.objects.filter(pool__belongs__study=study, pool__removed_at=None)
    batched = BatchQuery.objects.filter(batch__study=study, batch__removed_at=None, gold="")
    return (
        texts | dict(pooled.values_list("qid", "text")) | dict(batched.values_list("qid", "text"))
    )


def pool_behind(*, batch: Batch) -> Pool | None:
    """Return the batch's pool, or the pool that it was drawn from; None without."""
    drawn = DrawnSample.objects.filter(pool=batch.pool_id).select_related("parent").first()
    return drawn.parent if drawn else batch.pool


def people_labels(*, study: Study) -> dict[str, str]:
    """Return the latest category of each query that people decided, perhaps a tie."""
    standing = Label.objects.standing().filter(
        question=CATEGORY_QUESTION, query__batch__study=study, query__batch__removed_at=None
    )
    return dict(standing.order_by("query__batch_id").values_list("query__qid", "value"))


def labels_beside_people(*, rater: ModelRater) -> list[tuple[str, str, str]]:
    """Return id, people's label and the model's label of each query that both labelled.

    A missing answer is "". Differences come first.
    """
    people = people_labels(study=rater.study)
    labels = rater.labels.order_by("qid").values_list("qid", "category", "belief")
    both = [
        (qid, people[qid], category or "")
        for qid, category, belief in labels
        if qid in people and (category or belief is None)
    ]
    return sorted(both, key=lambda row: row[1] == row[2])


def prompt_digest(prompt: str) -> str:
    """Digest of a prompt: SHA-256 of the text in UTF-8; "" for no prompt."""
    return sha256(prompt.encode()).hexdigest() if prompt else ""
