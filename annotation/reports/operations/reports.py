"""Bias reports: requested, then made in the background, whole or not at all."""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from django.db import transaction
from django.utils import timezone

from annotation.core.operations import Advance, checkpoint, no_progress
from annotation.models import AuditEvent, Study, StudyReport
from annotation.reports.bundle.archive import write_archive
from annotation.reports.operations.material import ReportMaterial
from annotation.reports.operations.request import ReportRequest
from annotation.reports.queries.chances import chances_of, weighted_means
from annotation.reports.queries.comparison import union_of
from annotation.reports.queries.label_uncertainty import NO_UNCERTAINTY, ReportVotes, uncertain_bias
from annotation.reports.queries.reports import FOLDER, STATISTICS, VALUES
from annotation.reports.queries.what_if import REPORTED, label_sets, other_labels
from annotation.studies.file_store import keep, store, workplace
from annotation.studies.operations.files import in_words_of_page
from annotation.studies.operations.pool_documents import keep_pool_documents
from annotation.vocabulary import AuditAction
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.io.unseen import check_visible
from metrics.reports.build import Options, build_report, main_cutoff
from metrics.reports.families import comparisons_of
from metrics.reports.folder import report_files
from metrics.reports.results import Results
from metrics.reports.tables.judged import judged_figures
from metrics.reports.tables.sensitivity import score_in_ways, sensitivity_of
from metrics.reports.tables.statistics import statistics_of
from metrics.results.evaluation import Request, Result
from metrics.results.judgments import Terms
from metrics.results.scored_runs import ScoredRuns, score_runs
from metrics.results.stored import write_per_query
from metrics.runs.queries import Queries

#: Steps for making the files, and for trying other labels.
_OTHER_STEPS = 2
_BIAS = ("RaB", "ARaB")


def create_report(
    *, study: Study, request: ReportRequest, actor: str, name: str = ""
) -> StudyReport:
    """Store a checked request.

    Without a `name` the report is called by its number.
    """
    with transaction.atomic():
        report = StudyReport.objects.create(
            study=study,
            name=check_visible(name, "a report"),
            parameters=asdict(request),
            actor=actor,
        )
        AuditEvent.objects.create(
            study=study,
            actor=actor,
            action=AuditAction.REPORT_ASKED_FOR,
            detail={"report": report.pk},
        )
    return report


def report_steps(*, report_id: int) -> int:
    """Return the number of units of work by which `make_report` advances."""
    material = ReportMaterial(StudyReport.objects.select_related("study").get(pk=report_id))
    n_others = len(material.other_scores())
    n_ways = 1 + (1 + n_others if n_others else 0)
    return n_ways * len(material.runs) + len(material.views()) + _OTHER_STEPS


def make_report(*, report_id: int, advance: Advance = no_progress) -> StudyReport:
    """Measure, and store the files of the report; a finished one stays as it is."""
    report = StudyReport.objects.select_related("study").get(pk=report_id)
    if report.made_at is not None:
        return report
    material = ReportMaterial(report)
    queries, remarks = material.queries()
    try:
        scored = _scored(material, queries, material.requests(), partial(advance, 1))
        judged, notices = _judged(material, queries)
        notices = [*material.judgments.notices, *notices] if judged else notices
        options = replace(
            material.options(remarks),
            sensitivity=_in_other_ways(material, queries, advance),
            judged=judged,
            judged_notes=notices,
        )
    except InputError as error:
        raise in_words_of_page(error, material.paths) from None
    built = build_report(scored, options)
    files = report_files(built)
    advance(1)
    drawn_from, chances = chances_of(material.source.batches)
    statistics = {
        "facts": list(built.facts),
        "remarks": list(options.remarks),
        "drawn_from": drawn_from,
        "views": _views(material, scored, options, chances, advance),
        **_label_statistics(material),
        "judged": {"rows": judged, "notes": notices},
        "sensitivity": [vars(bias) for bias in sensitivity_of(options.sensitivity)],
    }
    advance(1)
    with workplace() as folder:
        write_archive(folder / FOLDER, files)
        write_per_query(scored, folder / VALUES)
        (folder / STATISTICS).write_bytes(orjson.dumps(statistics))
        store_report(
            report, folder, material.inputs(), _summary(material, scored, queries), advance
        )
    of_queries = report.study.pools.filter(documents={}, pool__of_pairs=False)
    for place in of_queries.select_related("pool"):
        # The pool may be older than the collection in the study's files.
        keep_pool_documents(study=report.study, pool=place.pool, advance=advance)
    return report


def _scored(
    material: ReportMaterial,
    queries: Queries | None,
    requests: Sequence[Request],
    on_run: Callable[[], object] = lambda: None,
) -> ScoredRuns:
    return score_runs(
        material.runs,
        material.magnitudes,
        requests,
        queries=queries,
        order=material.asked.order,
        missing=material.asked.missing,
        population=material.asked.population,
        qrels=material.qrels(),
        on_run=on_run,
    )


def _judged(
    material: ReportMaterial, queries: Queries | None
) -> tuple[Sequence[Mapping[str, Any]], Sequence[str]]:
    """Rows of figures from labels of pairs, and notices."""
    request, judgments = material.asked, material.judgments
    return judged_figures(
        material.runs,
        material.magnitudes,
        {"qrels": material.qrels(), "passages": judgments.people.get("passages")},
        judgments.models,
        Terms(
            design=judgments.design,
            partly_judged=judgments.partly_judged,
            baseline=request.baseline,
            target=request.target,
            inference=request.inference,
            half_width=request.half_width or None,
        ),
        cutoff=main_cutoff(request.cutoffs),
        relevant=material.lowest_relevant_grade,
        queries=queries,
        order=request.order,
        missing=request.missing,
    )


def _in_other_ways(
    material: ReportMaterial, queries: Queries | None, advance: Advance
) -> list[ScoredRuns]:
    request = material.asked
    return score_in_ways(
        material.runs,
        material.magnitudes,
        material.other_scores(),
        main_cutoff(request.cutoffs),
        queries=queries,
        order=request.order,
        missing=request.missing,
        population=request.population,
        on_run=partial(advance, 1),
    )


def _views(
    material: ReportMaterial,
    scored: ScoredRuns,
    options: Options,
    chances: Mapping[str, float],
    advance: Advance,
) -> list[dict[str, Any]]:
    results = Results(scored.results, dict(options.paired or {}), options.baseline)
    tests = comparisons_of(results, options.inference, options.seed)
    views = []
    for view in material.views():
        weighted = weighted_means(results, view, chances)
        views.append(statistics_of(results, view, tests, options.seed) | {"weighted": weighted})
        advance(1)
    return views


def _label_statistics(material: ReportMaterial) -> dict[str, Any]:
    """The bias under other labels, and its uncertainty because labels are uncertain."""
    source = material.source
    sets = label_sets(source)
    uncertainty = dict(NO_UNCERTAINTY)
    results: Sequence[Result] = ()
    requests = [request for request in material.requests() if request.label in _BIAS]
    if sets and requests:
        votes = ReportVotes(source.batches, source.question.name, source.codes)
        try:
            results = _bias_over(material, requests, [votes.qids, *sets.values()])
        except InputError as error:
            # The runs may rank documents for other queries that this collection does not have.
            uncertainty["reason"] = str(in_words_of_page(error, material.paths))
            results = _bias_over(material, requests, sets.values())
        else:
            by_method = {source.method: sets[REPORTED], **sets}
            uncertainty["rows"] = uncertain_bias(votes, by_method, results, material.asked.seed)
    return {"labels": other_labels(sets, results), "label_uncertainty": uncertainty}


def _bias_over(
    material: ReportMaterial, requests: Sequence[Request], sets: Iterable[Collection[str]]
) -> Sequence[Result]:
    return _scored(material, union_of(sets), requests).results


def _summary(
    material: ReportMaterial, scored: ScoredRuns, queries: Queries | None
) -> dict[str, Any]:
    names = {str(path): name for name, path in material.runs.items()}
    return {
        "n_queries": len(scored.results[0].measured) if scored.results else 0,
        "labels_digest": queries.digest if queries is not None else "",
        "notices": [
            *(f"{names[notice.path]}, {notice.text_with_line}" for notice in scored.notices),
            *scored.remarks,
        ],
    }


def store_report(
    report: StudyReport,
    folder: Path,
    inputs: dict[str, Any],
    summary: dict[str, Any],
    advance: Advance = no_progress,
) -> None:
    """Move a report's files into the storage; if another worker was faster, its report stays.

    A report cancelled by now is not made, and leaves no file.
    """
    place = f"{report.study_id}/reports/{secrets.token_hex(8)}"
    files: dict[str, dict[str, Any]] = {}
    for name in (FOLDER, VALUES, STATISTICS):
        path = folder / name
        known = {"digest": digest_of(path), "size": path.stat().st_size}
        files[name] = {**known, "path": keep(path, f"{place}/{name}")}
    won = 0
    try:
        with transaction.atomic():
            checkpoint(advance)
            won = StudyReport.objects.filter(pk=report.pk, made_at__isnull=True).update(
                files=files,
                inputs=inputs,
                labels_digest=summary.pop("labels_digest"),
                summary=summary,
                made_at=timezone.now(),
            )
    finally:
        if not won:
            for file in files.values():
                store().delete(file["path"])
    report.refresh_from_db()
