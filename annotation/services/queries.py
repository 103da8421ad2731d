"""Which queries a batch is about: those of a pool or a file, with what is known of them."""

from pathlib import Path

from annotation.models import Label
from annotation.services.planning import PlannedQuery
from annotation.vocabulary import TIE, Category
from metrics.errors import InputError
from metrics.queries import read_queries
from pooling.models import Pool


def queries_of_pool(pool: Pool) -> list[PlannedQuery]:
    return [PlannedQuery(query.qid, query.text) for query in pool.queries.all()]


def queries_of_file(path: Path) -> list[PlannedQuery]:
    """The queries of a file with texts; a category in it is not used."""
    queries = read_queries(path, category="all")
    if queries.layout == "ids":
        raise InputError(
            "the queries have no text.", path=path, line=1, remedy="Write qid<TAB>text."
        )
    return [PlannedQuery(qid, text) for qid, text in queries.texts.items()]


def with_gold(queries: list[PlannedQuery], path: Path) -> list[PlannedQuery]:
    """`queries` with the categories of a gold file, `qid,text,label` or `qid<TAB>label`.

    A gold query that is not among them is mixed in where its text is known, and an error else.
    """
    gold = read_queries(path, category="all")
    labels = gold.labels or gold.texts
    merged = {query.qid: query for query in queries}
    for qid, label in labels.items():
        line = gold.lines.get(qid)
        if label not in Category.values:
            raise InputError(
                f"the query {qid!r} has no category.",
                path=path,
                line=line,
                remedy="Write qid,text,label or qid<TAB>label, the label n, f, m or o.",
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


def without_labelled(queries: list[PlannedQuery]) -> list[PlannedQuery]:
    """`queries` without those whose id and text have a decided category in some batch."""
    decided = set(
        Label.objects.exclude(value=TIE).values_list("query__qid", "query__text").distinct()
    )
    return [query for query in queries if (query.qid, query.text) not in decided]
