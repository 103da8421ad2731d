"""Queries of a batch: those of a pool or a file, with known answers."""

from dataclasses import replace

from annotation.batches.operations.gold import known_answer
from annotation.batches.operations.gold_pairs import GOLD_PAIRS
from annotation.batches.operations.planning import PlannedQuery
from annotation.batches.queries.study_queries import queries_asked
from annotation.models import Label, Study
from annotation.schemes import About, Scheme
from annotation.vocabulary import TIE
from metrics.errors import InputError
from metrics.runs.queries import Queries
from pooling.models import Pool


def queries_from_pool(pool: Pool) -> list[PlannedQuery]:
    rows = pool.queries.values_list("qid", "text", "passage")
    return [PlannedQuery(qid, text, passage=passage) for qid, text, passage in rows]


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


def with_gold(queries: list[PlannedQuery], gold: Queries, scheme: Scheme) -> list[PlannedQuery]:
    """`queries` with the known answers of gold lines, `qid,text,label` or `qid<TAB>label`.

    A label is what is known by the questions of `scheme`.

    A gold query that is not among them is mixed in where its text is known, and an error else. A
    gold pair has to be among them.
    """
    path = gold.path or None
    labels = gold.labels or gold.texts
    merged = {query.qid: query for query in queries}
    of_pairs = scheme.about == About.PASSAGE and bool(queries)
    for qid, label in labels.items():
        line = gold.lines.get(qid)
        try:
            known = known_answer(qid, label, scheme)
        except InputError as error:
            layouts = GOLD_PAIRS if of_pairs else "qid,text,label or qid<TAB>label"
            remedy = f"Write {layouts}. {error.remedy}"
            raise InputError(error.message, path=path, line=line, remedy=remedy) from None
        if qid not in merged and of_pairs:
            raise InputError(
                f"the gold pair {qid!r} is not in the batch.",
                path=path,
                line=line,
                remedy=f"Name pairs of the pool: {GOLD_PAIRS}.",
            )
        if qid not in merged and not gold.labels:
            raise InputError(
                f"the gold query {qid!r} is not in the batch, and has no text here.",
                path=path,
                line=line,
                remedy="Write qid,text,label.",
            )
        query = merged[qid] if qid in merged else PlannedQuery(qid, gold.texts[qid])
        merged[qid] = replace(query, gold=known)
    return list(merged.values())


def without_batched(
    queries: list[PlannedQuery], *, study: Study, scheme: Scheme
) -> list[PlannedQuery]:
    """Leave out queries about which an earlier batch of the study asks the same questions."""
    batched = queries_asked(study=study, scheme=scheme)
    new = [query for query in queries if _content(query) not in batched]
    if queries and not new:
        raise InputError(
            "an earlier batch asks the same about every query.",
            remedy="Add a run and pool again, or ask for these queries once more.",
        )
    return new


def without_labelled(
    queries: list[PlannedQuery], *, study: Study, question: str
) -> list[PlannedQuery]:
    """Leave out queries whose id and texts have a label of that question in the study."""
    of_study = {"query__batch__study": study, "query__batch__removed_at": None}
    labels = Label.objects.filter(question=question, **of_study).exclude(value=TIE)
    content = ("query__qid", "query__text", "query__passage")
    decided = set(labels.values_list(*content).distinct())
    return [query for query in queries if _content(query) not in decided]


def _content(query: PlannedQuery) -> tuple[str, str, str]:
    return query.qid, query.text, query.passage
