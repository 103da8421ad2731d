"""A batch for a bundle: read from the database, and from the runs measured on its labels."""

from dataclasses import replace
from typing import Any

from django.conf import settings

from annotation import task_page
from annotation.agreement.answers import Adjudication
from annotation.agreement.intervals import IntervalMethod
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.schemes import latest_scheme, page_texts
from annotation.labels.export.pseudonyms import person
from annotation.labels.queries.labels import label_source
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.scheme_results import adjudications
from annotation.labels.queries.votes import n_options_offered, workers_without_say
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
    Vote,
)
from annotation.reports.bundle.recompute import Parameters
from annotation.reports.bundle.retrieval import DEPTH
from annotation.reports.bundle.scheme import recompute_scheme
from annotation.reports.bundle.study import BatchBundle, SchemeBundle
from annotation.reports.bundle.tables import AnswerRow, LabelRow, QueryRow, VoteRow
from annotation.studies.file_store import local_path
from annotation.task_page import released_code
from annotation.vocabulary import CATEGORY_QUESTION, Category, Environment, FileKind
from metrics.io.files import sha256_of
from metrics.results.provenance import provenance
from metrics.runs import read_run
from metrics.runs.ranked import Ranked, join
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import LEVEL, RESAMPLES

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
    parameters = _parameters(batch)
    imported = batch.environment == Environment.IMPORTED
    return BatchBundle(
        name=batch.name,
        parameters=parameters,
        terms={} if imported else {name: str(getattr(batch, name)) for name in _TERMS},
        queries=[QueryRow(query.qid, query.text, query.gold) for query in queries],
        votes=_votes(batch),
        labels=_labels(batch, queries),
        places={} if imported else progress.places,
        vote_states=progress.votes,
        pool=batch.pool.name if batch.pool else "",
        task_page=_first_page(batch),
        scheme=batch.scheme if latest_scheme(batch) else None,
        runs=ranked,
        retrieval=made_from,
        asked=_asked(batch, queries, parameters),
    )


def _parameters(batch: Batch) -> Parameters:
    # Without labels, only the agreement is computed.
    labellings = {one.question: one for one in Labelling.objects.filter(batch=batch)}
    labelling = labellings.get(CATEGORY_QUESTION) or Labelling(method="")
    rule = AdaptivePolicy.objects.filter(batch=batch).first()
    has_categories = batch.scheme.asks_for_categories
    return Parameters(
        categories=tuple(Category.values) if has_categories else (),
        method=labelling.method,
        strict=labelling.strict,
        label_seed=labelling.seed,
        n_categories=_n_categories(batch) if has_categories else 0,
        resamples=RESAMPLES,
        level=LEVEL,
        agreement_seed=0,
        interval=IntervalMethod.QUERIES_AND_WORKERS.value,
        queries_per_hit=batch.queries_per_hit,
        suggested_by=batch.suggested_by,
        adaptive_share=rule.full_share if rule else None,
        adaptive_seed=rule.seed if rule else 0,
        labelled={
            name: (one.method, one.strict, one.seed)
            for name, one in sorted(labellings.items())
            if not has_categories
        },
    )


def _n_categories(batch: Batch) -> int:
    return n_options_offered(batch=batch, question=nominal_question(batch=batch)) or 0


def _votes(batch: Batch) -> list[VoteRow]:
    """Return all votes, in an order that depends on the votes alone."""
    chosen = Choice.objects.filter(vote__query__batch=batch, question=CATEGORY_QUESTION)
    names = worker_names(batch=batch)
    aside = workers_without_say(batch=batch)
    rows = [
        (
            choice.vote.query.position,
            VoteRow(
                qid=choice.vote.query.qid,
                worker=names[choice.vote.worker_id],
                kind=choice.vote.worker.voter_kind,
                category=released_code(choice.option),
                repeated=int(not choice.vote.counts),
                set_aside=int(choice.vote.worker_id in aside),
            ),
        )
        for choice in chosen.select_related("vote__worker", "vote__query")
    ]
    rows.sort(key=lambda row: (row[0], row[1].worker, row[1].repeated, row[1].category))
    return [row for _, row in rows]


def _asked(batch: Batch, queries: list[BatchQuery], parameters: Parameters) -> SchemeBundle | None:
    """Return the scheme of the batch with its answers, without rejected ones."""
    scheme = batch.scheme
    if scheme.asks_for_categories:
        return None
    stored = Choice.objects.filter(vote__in=Vote.objects.filter(query__batch=batch).standing())
    names = worker_names(batch=batch)
    aside = workers_without_say(batch=batch)
    place = {name: n for n, name in enumerate(question.name for question in scheme.questions)}
    closed = stored.exclude(option="").select_related("vote__worker", "vote__query")
    rows = [
        (
            choice.vote.query.position,
            AnswerRow(
                qid=choice.vote.query.qid,
                worker=names[choice.vote.worker_id],
                kind=choice.vote.worker.voter_kind,
                question=choice.question,
                option=choice.option,
                set_aside=int(choice.vote.worker_id in aside),
            ),
        )
        for choice in closed
    ]
    rows.sort(key=lambda row: (row[0], row[1].worker, place[row[1].question], row[1].option))
    answers = [row for _, row in rows]
    texts = [QueryRow(query.qid, query.text, query.gold) for query in queries]
    return SchemeBundle(
        scheme,
        answers,
        recompute_scheme(scheme, texts, answers, parameters, _adjudications(batch)),
        n_free=stored.filter(option="").count(),
    )


def _adjudications(batch: Batch) -> dict[tuple[str, str], Adjudication]:
    """Return the adjudicators' decisions, with their pseudonyms."""
    return {
        key: replace(decided, by=person(decided.by, key=settings.SECRET_KEY) if decided.by else "")
        for key, decided in adjudications(batch=batch).items()
    }


def _labels(batch: Batch, queries: list[BatchQuery]) -> list[LabelRow]:
    labels = Label.objects.standing_for(batch, CATEGORY_QUESTION)
    standing = {label.query_id: label for label in labels}
    found = []
    for query in queries:
        label = standing.get(query.pk)
        if label is None:
            continue
        by = person(label.decided_by, key=settings.SECRET_KEY) if label.decided_by else ""
        found.append(
            LabelRow(
                qid=query.qid,
                label=label.value,
                method=label.method,
                source=label_source(label),
                n_votes=label.n_votes,
                n_for=label.n_for,
                confidence=label.confidence,
                decided_by=by,
                reason=label.reason,
            )
        )
    return found


def _first_page(batch: Batch) -> str:
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    shown = list(places.values_list("query__qid", "query__text"))
    return task_page.render(shown, page_texts(batch)) if shown else ""


def _runs(batch: Batch, qids: list[str]) -> tuple[list[Ranked], dict[str, Any]]:
    """The runs of the latest report on the batch for these queries, and what they were read from.

    None where they have more documents than a bundle can hold.
    """
    report, files = _latest_report(batch)
    if report is None or len(files) * len(qids) * DEPTH > _MOST_DOCUMENTS:
        return [], {}
    asked = report.parameters
    scored = open_magnitudes(local_path(files[FileKind.MAGNITUDES, asked["scored"]]))
    paths = {name: local_path(files[FileKind.RUN, name]) for name in asked["runs"]}
    read = [read_run(path, name, asked["order"], set(qids), None) for name, path in paths.items()]
    ranked = [join(run, scored, DEPTH, asked["missing"], qids) for run in read]
    made_from = provenance(read, scored, None, asked["missing"])
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
    made = StudyReport.objects.filter(study=batch.study_id, made_at__isnull=False, archived_at=None)
    for report in made.order_by("-pk"):
        used = [(file["kind"], file["name"], file["digest"]) for file in report.inputs["files"]]
        if used and batch.pk in report.parameters["batches"] and kept.keys() >= set(used):
            return report, {(kind, name): kept[kind, name, digest] for kind, name, digest in used}
    return None, {}
