"""Which queries a batch is about: those of a pool or a file, with what is known of them."""

from annotation.batches.operations.planning import PlannedQuery
from annotation.batches.queries.study_queries import queries_in_batches
from annotation.models import Label, Study
from annotation.vocabulary import TIE, Category
from metrics.errors import InputError
from metrics.runs.queries import Queries
from pooling.models import Pool


def queries_from_pool(pool: Pool) -> list[PlannedQuery]:
    return [PlannedQuery(qid, text) for qid, text in pool.queries.values_list("qid", "text")]


def queries_with_text(read: Queries) -> list[PlannedQuery]:
    """The queries of a file or of pasted lines, all with texts; a category in it is not used."""
    if read.layout == "ids":
        raise InputError(
            "the queries have no text.",
            path=read.path or None,
            line=1,
            remedy="Write qid<TAB>text.",
        )
    return [PlannedQuery(qid, text) for qid, text in read.texts.items()]


def with_gold(queries: list[PlannedQuery], gold: Queries) -> list[PlannedQuery]:
    """`queries` with the categories of gold lines, `qid,text,label` or `qid<TAB>label`.

    A gold query that is not among them is mixed in where its text is known, and an error else.
    """
    path = gold.path or None
    labels = gold.labels or gold.texts
    merged = {query.qid: query for query in queries}
    for qid, label in labels.items():
        line = gold.lines.get(qid)
        if label not in Category.values:
            raise InputError(
                f"the query {qid!r} has no category.",
                path=path,
                line=line,
                remedy="Write qid,text,label or qid<TAB>label, the label one of "
                f"{', '.join(Category)}.",
            )
        if qid not in merged and not gold.labels:
            raise InputError(
                f"the gold query {qid!r} is not in the batch, and has no text here.",
                path=path,
                line=line,
                remedy="Write qid,text,label.",
            )
        text = merged[qid].text if qid in merged else gold.texts[qid]
        merged[qid] = PlannedQuery(qid, text, gold=label)
    return list(merged.values())


def without_batched(
    queries: list[PlannedQuery], *, pool: Pool | None, study: Study | None
) -> list[PlannedQuery]:
    """`queries` without those that an earlier batch of the study (or else of the pool) has."""
    if pool is None and study is None:
        raise InputError("which queries are new?", remedy="Name a pool or a study.")
    batched = queries_in_batches(pool=pool, study=study)
    new = [query for query in queries if (query.qid, query.text) not in batched]
    if queries and not new:
        raise InputError(
            "every query is in an earlier batch already.",
            remedy="Add a run and pool again, or ask for these queries once more.",
        )
    return new


def without_labelled(
    queries: list[PlannedQuery], *, study: Study | None = None
) -> list[PlannedQuery]:
    """`queries` without those whose id and text have a decided category in some batch.

    In a study, only its own batches are asked: of others it must not tell what is labelled there.
    """
    labels = Label.objects.filter(query__batch__removed_at=None).exclude(value=TIE)
    if study is not None:
        labels = labels.filter(query__batch__study=study)
    decided = set(labels.values_list("query__qid", "query__text").distinct())
    return [query for query in queries if (query.qid, query.text) not in decided]
