"""A study as a bundle: read from the database, and from the runs that it is measured on."""

from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation import task_page
from annotation.agreement.intervals import LEVEL, RESAMPLES
from annotation.batches.queries.codebooks import latest_codebook, page_texts
from annotation.labels.export.pseudonyms import person
from annotation.labels.queries.labels import label_source, standing_labels
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import n_categories_offered, workers_without_say
from annotation.models import (
    Abstention,
    Batch,
    BatchQuery,
    HITQuery,
    Labelling,
    Vote,
)
from annotation.reports.bundle.recompute import Parameters
from annotation.reports.bundle.retrieval import DEPTH
from annotation.reports.bundle.study import StudyBundle
from annotation.reports.bundle.tables import LabelRow, PoolRow, QueryRow, VoteRow
from annotation.task_page import CANNOT_TELL
from annotation.vocabulary import Category, Environment
from metrics.io.files import sha256_of
from metrics.results.provenance import provenance
from metrics.runs import Order, read_run
from metrics.runs.ranked import Ranked, join
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import Missing
from pooling.models import ListPlace

#: The terms of the HITs that a reader should know.
_TERMS = (
    "title", "description", "keywords", "assignments_per_hit", "queries_per_hit", "reward",
    "lifetime_seconds", "duration_seconds", "seed",
)  # fmt: skip
#: What identifies the input files of a pool, wherever they lay.
_PATHS = frozenset({"path", "folder", "directory"})


def study_bundle(
    *,
    batch: Batch,
    magnitudes: str | Path | None = None,
    runs: Mapping[str, str | Path] | None = None,
    missing: Missing = "error",
    order: Order = "default",
) -> StudyBundle:
    """Everything that the labels of `batch` follow from, and with `runs` the bias numbers too."""
    queries = list(BatchQuery.objects.filter(batch=batch).order_by("position"))
    study = sorted(query.qid for query in queries if not query.gold)
    ranked, made_from = _runs(study, magnitudes, runs or {}, missing, order)
    imported = batch.environment == Environment.IMPORTED
    return StudyBundle(
        name=batch.name,
        parameters=_parameters(batch),
        terms={} if imported else {name: str(getattr(batch, name)) for name in _TERMS},
        queries=[QueryRow(query.qid, query.text, query.gold) for query in queries],
        votes=_votes(batch),
        labels=_labels(batch, queries),
        decided_on=_decided_on(batch),
        pool=_pool(batch),
        places=_places(batch),
        task_page=_first_page(batch),
        codebook=_codebook(batch),
        runs=ranked,
        retrieval=made_from,
    )


def _parameters(batch: Batch) -> Parameters:
    # `standing_labels` says in words when there are none.
    standing_labels(batch=batch)
    labelling = Labelling.objects.get(batch=batch)
    return Parameters(
        categories=tuple(Category.values),
        method=labelling.method,
        strict=labelling.strict,
        label_seed=labelling.seed,
        n_categories=n_categories_offered(batch=batch) or 0,
        resamples=RESAMPLES,
        level=LEVEL,
        agreement_seed=0,
    )


def _votes(batch: Batch) -> list[VoteRow]:
    """All votes, in an order that follows from the votes alone."""
    stored = list(
        Vote.objects.filter(query__batch=batch).select_related("worker", "query").order_by("id")
    )
    undecided = Abstention.objects.filter(query__batch=batch).select_related("worker", "query")
    answers: list[Vote | Abstention] = [*stored, *undecided]
    names = worker_names(batch=batch)
    aside = workers_without_say(batch=batch)
    rows = [
        (
            vote.query.position,
            VoteRow(
                qid=vote.query.qid,
                worker=names[vote.worker_id],
                kind=vote.worker.voter_kind,
                category=vote.category if isinstance(vote, Vote) else CANNOT_TELL,
                repeated=int(not vote.counts),
                set_aside=int(vote.worker_id in aside),
            ),
        )
        for vote in answers
    ]
    rows.sort(key=lambda row: (row[0], row[1].worker, row[1].repeated, row[1].category))
    return [row for _, row in rows]


def _decided_on(batch: Batch) -> str:
    """The day of the last label that stands, in UTC."""
    last = max(label.decided_at for label in standing_labels(batch=batch).values())
    return last.astimezone(UTC).date().isoformat()


def _labels(batch: Batch, queries: list[BatchQuery]) -> list[LabelRow]:
    standing = standing_labels(batch=batch)
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


def _pool(batch: Batch) -> dict[str, Any] | None:
    if batch.pool is None:
        return None
    return {
        "name": batch.pool.name,
        "cutoff": batch.pool.cutoff,
        "rank_cutoff": batch.pool.rank_cutoff,
        "magnitude": batch.pool.magnitude,
        "inputs": _without_paths(batch.pool.inputs),
        "summary": batch.pool.summary,
    }


def _without_paths(value: Any) -> Any:
    """The same without the places of this machine; a file keeps its name and checksum."""
    if isinstance(value, dict):
        return {key: _without_paths(item) for key, item in value.items() if key not in _PATHS}
    if isinstance(value, list):
        return [_without_paths(item) for item in value]
    return Path(value).name if isinstance(value, str) and "/" in value else value


def _places(batch: Batch) -> list[PoolRow]:
    if batch.pool is None:
        return []
    rows = ListPlace.objects.filter(query__pool=batch.pool).order_by(
        "query__qid", "run", "direction"
    )
    return [
        PoolRow(*values)
        for values in rows.values_list("query__qid", "run", "direction", "rank", "bias")
    ]


def _codebook(batch: Batch) -> dict[str, Any] | None:
    latest = latest_codebook(batch)
    return {"version": latest.number, **latest.texts} if latest else None


def _first_page(batch: Batch) -> str:
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    shown = list(places.values_list("query__qid", "query__text"))
    return task_page.render(shown, page_texts(batch)) if shown else ""


def _runs(
    qids: list[str],
    magnitudes: str | Path | None,
    paths: Mapping[str, str | Path],
    missing: Missing,
    order: Order,
) -> tuple[list[Ranked], dict[str, Any]]:
    if not paths or magnitudes is None:
        return [], {}
    scored = open_magnitudes(magnitudes)
    read = [read_run(path, name, order, set(qids), None) for name, path in paths.items()]
    ranked = [join(run, scored, DEPTH, missing, qids) for run in read]
    made_from = provenance(read, scored, None, missing)
    # For those who verify with nothing but what every system has.
    for name, path in paths.items():
        made_from["runs"][name]["sha256"] = sha256_of(path)
    made_from["magnitudes"]["sha256"] = sha256_of(magnitudes)
    return ranked, made_from
