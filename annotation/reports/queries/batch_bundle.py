"""A batch for a bundle: read from the database, and from the runs measured on its labels."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from django.conf import settings

from annotation import task_page
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.schemes import latest_scheme, page_texts
from annotation.labels.export.pseudonyms import person
from annotation.labels.queries.free_texts import free_texts
from annotation.labels.queries.labels import label_source
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import are_all_offered, workers_without_say
from annotation.models import (
    AdaptivePolicy,
    Batch,
    BatchQuery,
    Choice,
    HITQuery,
    Label,
    Labelling,
    StudyFile,
    StudyReport,
)
from annotation.reports.bundle.decisions import decision_rows
from annotation.reports.bundle.layouts import layout_of
from annotation.reports.bundle.parameters import ALL_DIFFERENT, Parameters
from annotation.reports.bundle.retrieval import DEPTH
from annotation.reports.bundle.study import BatchBundle
from annotation.reports.bundle.tables import AnswerRow, DecisionRow, PassageRow, QueryRow, TextRow
from annotation.schemes.released import released_code
from annotation.studies.file_store import local_path
from annotation.vocabulary import CATEGORY_QUESTION, TIE, Environment, FileKind
from metrics.io.files import sha256_of
from metrics.results.provenance import provenance
from metrics.runs import read_run
from metrics.runs.ranked import Ranked, join
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.intervals import IntervalMethod

#: Terms of the HITs in a bundle.
_TERMS = (
    "title", "description", "keywords", "assignments_per_hit", "queries_per_hit", "reward",
    "lifetime_seconds", "duration_seconds", "seed",
)  # fmt: skip
#: Most rows of the table of documents; beyond this a bundle leaves it out.
_MOST_DOCUMENTS = 2_500_000


def batch_bundle(*, batch: Batch) -> BatchBundle:
    """Everything that the labels of `batch` follow from, and the runs that were measured on them.

    These are the runs of the latest bias report on the batch whose files are still there.
    """
    queries = list(BatchQuery.objects.filter(batch=batch).order_by("position"))
    ranked, made_from = _runs(batch, sorted(query.qid for query in queries if not query.gold))
    progress = batch_progress(batch=batch)
    scheme, parameters = batch.scheme, _parameters(batch)
    imported = batch.environment == Environment.IMPORTED
    return BatchBundle(
        name=batch.name,
        parameters=parameters,
        terms={} if imported else {name: str(getattr(batch, name)) for name in _TERMS},
        queries=[QueryRow(query.qid, query.text, query.gold) for query in queries],
        scheme=scheme,
        is_scheme_known=latest_scheme(batch) is not None,
        answers=_answers(batch),
        decisions=_decisions(batch, parameters),
        passages=_passages(queries),
        texts=_texts(batch),
        places={} if imported else progress.places,
        vote_states=progress.votes,
        pool=batch.pool.name if batch.pool else "",
        task_page=_first_page(batch),
        runs=ranked,
        retrieval=made_from,
    )


def _passages(queries: Sequence[BatchQuery]) -> list[PassageRow]:
    """Each passage of pairs once, by docno."""
    passages = {query.docno: query.passage for query in queries if query.passage}
    return [PassageRow(docno, passages[docno]) for docno in sorted(passages)]


def _parameters(batch: Batch) -> Parameters:
    # Without labels, only the agreement is computed.
    labellings = {
        labelling.question: labelling for labelling in Labelling.objects.filter(batch=batch)
    }
    categories = layout_of(batch.scheme).categories
    labelling = (labellings.get(CATEGORY_QUESTION) if categories else None) or Labelling(method="")
    rule = AdaptivePolicy.objects.filter(batch=batch).first()
    return Parameters(
        categories=categories,
        method=labelling.method,
        strict=labelling.strict,
        label_seed=labelling.seed,
        n_categories=len(categories) if are_all_offered(batch=batch) else 0,
        resamples=RESAMPLES,
        level=LEVEL,
        agreement_seed=0,
        interval=IntervalMethod.QUERIES_AND_WORKERS.value,
        queries_per_hit=batch.queries_per_hit,
        suggested_by=batch.suggested_by,
        adaptive_share=rule.full_share if rule else None,
        adaptive_seed=rule.seed if rule else 0,
        adaptive_first=ALL_DIFFERENT,
        adaptive_question=rule.question if rule and not categories else "",
        labelled={
            name: (labelling.method, labelling.strict, labelling.seed)
            for name, labelling in sorted(labellings.items())
            if not categories
        },
    )


def _answers(batch: Batch) -> list[AnswerRow]:
    """Return all answers to closed questions, in an order that depends on the answers alone."""
    chosen = Choice.objects.filter(vote__query__batch=batch).exclude(option="")
    names, aside = worker_names(batch=batch), workers_without_say(batch=batch)
    place = {question.name: n for n, question in enumerate(batch.scheme.questions)}
    rows = [
        (
            choice.vote.query.position,
            AnswerRow(
                qid=choice.vote.query.qid,
                worker=names[choice.vote.worker_id],
                kind=choice.vote.worker.voter_kind,
                question=choice.question,
                option=choice.option,
                repeated=int(not choice.vote.counts),
                set_aside=int(choice.vote.worker_id in aside),
            ),
        )
        for choice in chosen.select_related("vote__worker", "vote__query")
    ]
    rows.sort(
        key=lambda row: (
            *(row[0], row[1].worker, row[1].repeated),
            *(place[row[1].question], released_code(row[1].option)),
        )
    )
    return [row for _, row in rows]


def _texts(batch: Batch) -> list[TextRow]:
    names = [field.name for field in fields(TextRow)]
    texts = free_texts(batch=batch)
    return [TextRow(**{name: getattr(text, name) for name in names}) for text in texts]


def _decisions(batch: Batch, parameters: Parameters) -> list[DecisionRow]:
    """Return the decisions that stand, with the adjudicators' pseudonyms."""
    rows = decision_rows(scheme_results(batch=batch), parameters.methods)
    return [
        replace(row, source=_source(row), decided_by=_pseudonym(row.decided_by))
        for row in layout_of(batch.scheme).kept(rows)
    ]


def _source(row: DecisionRow) -> str:
    if not row.method:
        return row.source
    value, n_votes = row.decided or TIE, row.n_answers
    return label_source(Label(value=value, method=row.method, n_votes=n_votes, n_for=row.n_for))


def _pseudonym(name: str) -> str:
    return person(name, key=settings.SECRET_KEY) if name else ""


def _first_page(batch: Batch) -> str:
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    items = list(places.values_list("query__qid", "query__text", "query__passage"))
    return task_page.render(items, page_texts(batch)) if items else ""


def _runs(batch: Batch, qids: list[str]) -> tuple[list[Ranked], dict[str, Any]]:
    """The runs of the latest report on the batch for these queries, and what they were read from.

    None where they have more documents than a bundle can hold.
    """
    report, files = _latest_report(batch)
    if report is None or len(files) * len(qids) * DEPTH > _MOST_DOCUMENTS:
        return [], {}
    request = report.parameters
    scored = open_magnitudes(local_path(files[FileKind.MAGNITUDES, request["scored"]]))
    paths = {name: local_path(files[FileKind.RUN, name]) for name in request["runs"]}
    read = [read_run(path, name, request["order"], set(qids), None) for name, path in paths.items()]
    ranked = [join(run, scored, DEPTH, request["missing"], qids) for run in read]
    made_from = provenance(read, scored, None, request["missing"])
    # SHA-256, which every system can verify.
    for name, path in paths.items():
        made_from["runs"][name]["sha256"] = sha256_of(path)
    made_from["magnitudes"]["sha256"] = sha256_of(scored.path)
    return ranked, made_from


def _latest_report(
    batch: Batch,
) -> tuple[StudyReport | None, dict[tuple[str, str], StudyFile]]:
    """The latest report on the batch all of whose files the study has; these by kind and name."""
    kept = {
        (file.kind, file.name, file.digest): file
        for file in StudyFile.objects.filter(study=batch.study_id)
    }
    reports = StudyReport.objects.filter(
        study=batch.study_id, made_at__isnull=False, archived_at=None
    )
    for report in reports.order_by("-pk"):
        used = [(file["kind"], file["name"], file["digest"]) for file in report.inputs["files"]]
        if used and batch.pk in report.parameters["batches"] and kept.keys() >= set(used):
            return report, {(kind, name): kept[kind, name, digest] for kind, name, digest in used}
    return None, {}
