"""A study as large as the paper's, from its files to its report, with votes made by rule."""

import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from django.urls import reverse

from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.planning import BatchPlan
from annotation.batches.operations.queries import queries_from_pool
from annotation.labels.operations.decide import batch_label
from annotation.models import (
    Assignment,
    Batch,
    HITQuery,
    ModelLabel,
    ModelRater,
    Study,
    StudyReport,
    Vote,
    Worker,
)
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.operations.request import ReportRequest
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.pool import PoolTerms, study_pool
from annotation.studies.operations.score import study_score
from annotation.vocabulary import BatchState, Category, FileKind, RaterOrigin
from tests.votes import store_votes

RUNS = ("BM25", "KNRM", "MatchPyramid", "PACRR", "ConvKNRM", "BERT-Base", "BERT-Large")
DEPTH, PASSAGES, WORKERS, VOTES = 20, 5_000, 60, 3
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_SHARES = (0.55, 0.2, 0.2, 0.05)
_SUBJECTS = ("queen", "king", "bread", "a nurse, she said", "a smith with his son", "rivers")


def large_study(
    name: str, n_queries: int, *, runs: Sequence[str] = RUNS, seed: int = 0
) -> StudyReport:
    """A study of `n_queries`, each with three votes and a model's label, measured with its runs."""
    rng = np.random.default_rng(seed)
    study = Study.objects.create(name=name)
    _add(study, FileKind.COLLECTION, "collection.tsv", _collection())
    _add(study, FileKind.QUERIES, "queries.tsv", _queries(n_queries))
    for run in runs:
        _add(study, FileKind.RUN, f"{run}.run", _run(rng, run, n_queries))
    scored = study_score(study=study, actor="test")
    pool = study_pool(study=study, name=name, terms=PoolTerms(cutoff=n_queries), actor="test")
    plan = BatchPlan(name=name, queries=queries_from_pool(pool), pool=pool)
    batch = create_batch(plan=plan, environment="local", actor="test", study=study)
    _vote(batch, rng)
    batch_label(batch=batch, actor="test")
    _model_says(batch, rng)
    asked = ReportRequest(runs=runs, scored=scored.name, batches=[batch.pk], baseline=runs[0])
    report = create_report(study=study, request=asked, actor="test")
    return make_report(report_id=report.pk)


def pages_of(report: StudyReport) -> dict[str, str]:
    """The addresses of what there is to see of the study, by name: pages, then calls of the API."""
    study, batch = report.study, report.study.batches.get()
    query = batch.queries.order_by("pk")[0]
    worker = Worker.objects.filter(assignments__hit__batch=batch).order_by("pk")[0]
    pool = study.pools.get().pool_id
    terms = {"name": "next", "pool": batch.name, "reward": "0.25", "assignments_per_hit": "3"}
    terms |= {"queries_per_hit": "10", "lifetime_seconds": "7", "duration_seconds": "30"}
    places: dict[str, tuple[int | str, ...]] = {
        **dict.fromkeys(("batch-list", "study-list", "studies-put-away", "pool-list"), ()),
        "pool-detail": (pool,),
        **dict.fromkeys(_OF_STUDY, (study.pk,)),
        "study-report": (study.pk, report.pk),
        "study-model": (study.pk, study.model_raters.get().pk),
        **dict.fromkeys(_OF_BATCH, (batch.pk,)),
        "batch-query": (batch.pk, query.pk),
        "batch-worker": (batch.pk, worker.pk),
        "batch-act": (batch.pk, "extend"),
        **dict.fromkeys(("api-studies", "api-pools", "api-batches", "api-tasks"), ()),
        **dict.fromkeys(("api-pool", "api-pool-queries"), (pool,)),
        **dict.fromkeys(_CALLS_OF_STUDY, (study.pk,)),
        **dict.fromkeys(("api-study-report", "api-study-report-statistics"), (study.pk, report.pk)),
        **dict.fromkeys(_CALLS_OF_BATCH, (batch.pk,)),
        "api-batch-query": (batch.pk, query.pk),
    }
    found = {name: reverse(name, args=numbers) for name, numbers in places.items()}
    found["batch-new"] = reverse("batch-new", query=terms | {"include_batched": "on"})
    return found


#: Pages of a study, and parts of pages that are asked for every few seconds.
_OF_STUDY = (
    "study-report-compare",
    *("study-detail", "study-progress", "study-members", "study-annotate", "study-log"),
    *("study-models", "study-reports", "study-put-away", "study-remove", "bundle-state"),
    *("study-release", "release-state", "study-pool-pairs"),
)
_OF_BATCH = (
    *("batch-detail", "batch-progress", "batch-tasks", "batch-invite", "batch-try"),
    *("batch-messages", "batch-prolific"),
    *("batch-agreement", "batch-workers", "batch-costs"),
    *(
        "batch-scheme",
        "batch-queries",
        "batch-adjudication",
        "batch-labels",
        "batch-figures",
        "batch-log",
    ),
)
_CALLS_OF_STUDY = (
    "study-report-compare",
    *("api-study", "api-study-members", "api-study-invites", "api-study-files"),
    "api-study-models",
    *("api-study-reports", "api-study-events"),
)
_CALLS_OF_BATCH = (
    *("api-batch", "api-batch-progress", "api-batch-costs", "api-batch-hits"),
    *("api-batch-assignments", "api-batch-queries", "api-batch-agreement", "api-batch-workers"),
    *(
        "api-batch-figures",
        "api-batch-stand-in",
        "api-batch-labels",
        "api-adjudication-queue",
        "api-adjudication-decisions",
    ),
    *("api-batch-export", "api-batch-votes", "api-batch-events"),
)


def _add(study: Study, kind: FileKind, filename: str, lines: Iterator[str]) -> None:
    stream = io.BytesIO("".join(lines).encode())
    add_study_file(study=study, kind=kind, stream=stream, filename=filename, actor="test")


def _model_says(batch: Batch, rng: np.random.Generator) -> None:
    rater = ModelRater.objects.create(
        study=batch.study, name="model", origin=RaterOrigin.IMPORTED, actor="test"
    )
    labels = rng.choice(list(Category.values), batch.queries.count(), p=_SHARES)
    ModelLabel.objects.bulk_create(
        ModelLabel(rater=rater, qid=query.qid, category=label)
        for query, label in zip(batch.queries.all(), labels, strict=True)
    )


def _collection() -> Iterator[str]:
    for number in range(PASSAGES):
        yield f"d{number}\tpassage {number} about {_SUBJECTS[number * 7 % len(_SUBJECTS)]}\n"


def _queries(n: int) -> Iterator[str]:
    yield from (f"q{number}\twhat is known about subject {number}\n" for number in range(n))


def _run(rng: np.random.Generator, name: str, n_queries: int) -> Iterator[str]:
    first = rng.integers(0, PASSAGES, n_queries)
    step = rng.integers(1, 100, n_queries)
    for query in range(n_queries):
        for rank in range(1, DEPTH + 1):
            document = (first[query] + rank * step[query]) % PASSAGES
            yield f"q{query} Q0 d{document} {rank} {DEPTH - rank}.0 {name}\n"


def _vote(batch: Batch, rng: np.random.Generator) -> None:
    """Neighbouring workers answer each HIT; four votes in five say what is so."""
    workers = Worker.objects.bulk_create(
        Worker(environment="local", worker_id=f"{batch.name}-{n}", kind="simulated")
        for n in range(WORKERS)
    )
    hits = list(batch.hits.all())
    answers = {
        (hit.pk, turn): Assignment(
            hit=hit,
            worker=workers[(place + turn) % WORKERS],
            assignment_id=f"{batch.name}-{hit.index}-{turn}",
            state="Submitted",
            accepted_at=_BEGAN,
            submitted_at=_BEGAN + timedelta(seconds=60 + (place * 7 + turn) % 60),
        )
        for place, hit in enumerate(hits)
        for turn in range(VOTES)
    }
    Assignment.objects.bulk_create(answers.values())
    places = list(HITQuery.objects.filter(hit__batch=batch).values_list("query_id", "hit_id"))
    truth = rng.choice(4, len(places), p=_SHARES)
    said = np.where(
        rng.random((len(places), VOTES)) < 0.8, truth[:, None], rng.integers(0, 4, (len(places), 1))
    )
    store_votes(
        (
            Vote(
                query_id=query,
                worker=answers[hit, turn].worker,
                assignment=answers[hit, turn],
            ),
            "nfmo"[said[place, turn]],
        )
        for place, (query, hit) in enumerate(places)
        for turn in range(VOTES)
    )
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
