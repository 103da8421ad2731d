"""A study as a bundle: its pools, batches, reports and files that are not archived."""

from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from django.db.models import Max

from annotation.models import Batch, DrawnSample, Label, Study, StudyFile, StudyReport
from annotation.models.samples import SAMPLE_TERMS
from annotation.reports.bundle.study import NamedFile, PoolBundle, ReportBundle, StudyBundle
from annotation.reports.bundle.tables import PassageRow, PoolRow, QueryRow, check_rows
from annotation.reports.queries.batch_bundle import batch_bundle
from annotation.reports.queries.model_bundles import model_bundles
from annotation.reports.queries.reports import report_path
from annotation.studies.file_store import local_path
from annotation.studies.queries.files_missing import files_missing
from annotation.vocabulary import BatchState
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.io.pair_ids import split_pair_id
from metrics.runs.sidecar import SIZES
from pooling.models import ListPlace, Pool

#: Members that identify the input files of a pool, without their paths.
_PATHS = frozenset({"path", "folder", "directory"})


def study_bundle(*, study: Study, include_files: bool = False) -> StudyBundle:
    """Return everything that a study's numbers follow from, with its files on request.

    Archived items, reports on them, and drafts, which have no numbers, are left out.
    """
    batches = {batch.pk: batch for batch in released_batches(study)}
    return StudyBundle(
        name=study.name,
        description=study.description,
        decided_on=decided_on(study, list(batches)),
        pools=[_pool(pool) for pool in _pools(study, list(batches.values()))],
        batches=[batch_bundle(batch=batch) for batch in batches.values()],
        reports=[_report(report, batches) for report in _reports(study, set(batches))],
        files=_files(study, include_files=include_files),
        models=model_bundles(study=study),
    )


def released_batches(study: Study) -> list[Batch]:
    """Return the batches to be published: neither archived nor drafts."""
    kept = study.batches.filter(archived_at=None).exclude(state=BatchState.DRAFT)
    return list(kept.select_related("pool").order_by("pk"))


def decided_on(study: Study, batches: list[int]) -> str:
    """The day of the last label that stands, in UTC; without labels, that of the study."""
    standing = Label.objects.filter(query__batch__in=batches).standing()
    last = standing.aggregate(last=Max("decided_at"))["last"] or study.created_at
    return last.astimezone(UTC).date().isoformat()


def _pools(study: Study, batches: list[Batch]) -> list[Pool]:
    """Return the pools that are not archived, or that a batch was made from."""
    used = {batch.pool_id for batch in batches}
    samples = DrawnSample.objects.filter(pool__in=[pool_id for pool_id in used if pool_id])
    used |= set(samples.values_list("parent", flat=True))
    places = study.pools.select_related("pool").order_by("pool__pk")
    return [
        place.pool for place in places if place.pool.archived_at is None or place.pool_id in used
    ]


def _pool(pool: Pool) -> PoolBundle:
    """The pool as a bundle has it; a larger one is refused before it is read."""
    check_rows(QueryRow, pool.queries.count())
    places = ListPlace.objects.filter(query__pool=pool).order_by("query__qid", "run", "direction")
    check_rows(PoolRow, places.count())
    columns = ("query__qid", "run", "direction", "rank", "bias")
    return PoolBundle(
        name=pool.name,
        terms={
            "cutoff": pool.cutoff,
            "rank_cutoff": pool.rank_cutoff,
            "magnitude": pool.magnitude,
            "inputs": _without_paths(pool.inputs),
            "summary": pool.summary,
            "biases": dict(pool.queries.exclude(biases={}).values_list("qid", "biases")),
            "sample": _sample(pool),
            **({"of_pairs": True} if pool.of_pairs else {}),
        },
        queries=[QueryRow(query.qid, query.text, "") for query in pool.queries.order_by("qid")],
        places=[PoolRow(*values) for values in places.values_list(*columns)],
        passages=_passages(pool) if pool.of_pairs else (),
    )


def _passages(pool: Pool) -> list[PassageRow]:
    """Each passage of the pool once, by docno."""
    pairs = pool.queries.values_list("qid", "passage")
    passages = {split_pair_id(qid)[1]: text for qid, text in pairs}
    return [PassageRow(docno, passages[docno]) for docno in sorted(passages)]


def _sample(pool: Pool) -> dict[str, Any] | None:
    """Describe the drawing from another pool of the bundle; None for a pool of its own."""
    sample = DrawnSample.objects.filter(pool=pool).select_related("parent").first()
    if sample is None:
        return None
    return {
        "parent": sample.parent.name,
        "continues": sample.continues and sample.continues.pool.name,
        "drawn_on": sample.created_at.date().isoformat(),
        **{name: getattr(sample, name) for name in SAMPLE_TERMS},
    }


def _without_paths(value: Any) -> Any:
    """Remove the paths of this machine; a file keeps its name and checksum."""
    if isinstance(value, dict):
        return {key: _without_paths(item) for key, item in value.items() if key not in _PATHS}
    if isinstance(value, list):
        return [_without_paths(item) for item in value]
    return Path(value).name if isinstance(value, str) and "/" in value else value


def _reports(study: Study, batches: set[int]) -> list[StudyReport]:
    reports = study.reports.filter(made_at__isnull=False, archived_at=None).order_by("pk")
    return [report for report in reports if batches >= set(_batches_of(report.parameters))]


def _batches_of(parameters: Mapping[str, Any]) -> list[int]:
    return [*parameters["batches"], *parameters.get("judgments", ())]


def _report(report: StudyReport, batches: dict[int, Batch]) -> ReportBundle:
    request = report.parameters
    named = {
        name: [batches[number].name for number in request[name]]
        for name in ("batches", "judgments")
        if name in request
    }
    if "judges" in request:
        named["judges"] = [
            rater.name for rater in report.study.model_raters.filter(pk__in=request["judges"])
        ]
    return ReportBundle(
        name=report.name,
        request={**request, **named},
        inputs=report.inputs,
        labels_digest=report.labels_digest,
        summary=report.summary,
        files={name: report_path(report, name) for name in sorted(report.files)},
    )


def _files(study: Study, *, include_files: bool) -> list[NamedFile]:
    """Return the files of the study, and those that are missing after an import."""
    files = study.files.filter(archived_at=None).order_by("kind", "name")
    missing = [NamedFile(filename="", **file) for file in files_missing(study=study)]
    return [_file(file, is_included=include_files) for file in files] + missing


def _file(file: StudyFile, *, is_included: bool) -> NamedFile:
    path = local_path(file) if is_included else None
    if path is not None and digest_of(path) != file.digest:
        raise InputError(
            "has changed since it was added.",
            path=file.name,
            remedy="Remove it from the study and add it again.",
        )
    return NamedFile(
        kind=file.kind,
        name=file.name,
        filename=Path(file.path).name,
        size=file.size,
        digest=file.digest,
        **{name: file.summary.get("ranked", {}).get(name) for name in SIZES},
        path=path,
    )
