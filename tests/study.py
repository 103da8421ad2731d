"""A small stored study for the tests of the pages: a pool, a batch made from it, and its votes."""

import itertools
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt
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
    StudyPool,
    StudyReport,
    Vote,
    Worker,
)
from annotation.vocabulary import Environment, RaterOrigin, SampleDesign, WorkerKind
from metrics.io.pair_ids import pair_id
from pooling.models import Pool
from pooling.pool import Place, PooledQuery, pool_of
from pooling.pool import Pool as Pairs
from pooling.rankings import RankedList
from pooling.store import pool_build
from tests.performing import invite
from tests.votes import store_votes

#: Votes of three workers, in turn: agreement, a majority, a tie.
VOTES = ("nnn", "fff", "mmf", "nfm")
HOSTILE = "<script>alert(1)</script> \u202eabc & 'x'"


def a_study(name: str) -> Study:
    """The study of this name, made if there is none."""
    return Study.objects.get_or_create(name=name)[0]


def a_rater(study: Study) -> ModelRater:
    """A model of the study with a label that is one, and one that is none."""
    rater, is_new = ModelRater.objects.get_or_create(
        study=study, name=f"model {HOSTILE}", origin=RaterOrigin.IMPORTED, prompt=HOSTILE
    )
    if is_new:
        for qid, category in (("q0", "n"), ("q1", None)):
            ModelLabel.objects.create(rater=rater, qid=qid, category=category)
    return rater


def stored_pool(n: int, name: str = "top", study: Study | None = None) -> Pool:
    """A pool of `n` queries from the two lists of two runs; the first query is hostile."""
    qids = tuple(f"q{number}" for number in range(n))
    bias = np.linspace(-1, 1, n)
    pool = pool_of([*_lists("BM25", qids, bias), *_lists("LSA", qids, bias)], n)
    stored = pool_build(
        name=name,
        pool=pool,
        texts={qid: HOSTILE if qid == "q0" else f"what is {qid}" for qid in qids},
        magnitude="tf",
        rank_cutoff=10,
        inputs={"magnitudes": {"lexicon_name": "words", "collection_name": "docs.tsv"}},
        summary=pool.summary() | {"n_queries": 2 * n},
        biases={qid: {"BM25": x, "LSA": x / 2} for qid, x in zip(qids, bias.tolist(), strict=True)},
    )
    StudyPool.objects.create(study=study or a_study(name), pool=stored)
    return stored


def stored_pairs(n: int, name: str = "pairs", study: Study | None = None) -> Pool:
    """A pool of `n` pairs of query and passage, two of each query; the first query is hostile."""
    found = {f"q{number}": (f"d{number}", f"d{number + 1}") for number in range((n + 1) // 2)}
    ids = [pair_id(qid, docno) for qid, docnos in found.items() for docno in docnos][:n]
    places = {
        pair: (Place("BM25", "", 1 + row % 2), *([Place("LSA", "", 1)] if row % 2 else []))
        for row, pair in enumerate(ids)
    }
    lists = {"BM25": tuple(ids), "LSA": tuple(ids[1::2])}
    pairs = tuple(PooledQuery(pair, places[pair]) for pair in sorted(ids))
    pool = Pairs(2, lists, pairs, of_pairs=True)
    stored = pool_build(
        name=name,
        pool=pool,
        texts={pair: HOSTILE if pair == "q0 d0" else f"what is {pair.split()[0]}" for pair in ids},
        passages={pair: f"{HOSTILE} {pair.split()[1]} " + 200 * "long " for pair in ids},
        inputs={"runs": {}, "collection": [{"file": "docs.tsv", "digest": "blake3:0"}]},
        summary=pool.summary() | {"n_queries": len(found), "n_queries_missing": 0, "n_words": 9},
    )
    StudyPool.objects.create(study=study or a_study(name), pool=stored)
    return stored


def _lists(run: str, qids: tuple[str, ...], bias: npt.NDArray[np.float64]) -> list[RankedList]:
    return [RankedList(run, "f", qids, bias), RankedList(run, "m", qids[::-1], bias[::-1])]


def stored_batch(pool: Pool, name: str = "study", environment: str = Environment.LOCAL) -> Batch:
    plan = BatchPlan(
        name=name,
        queries=queries_from_pool(pool),
        pool=pool,
        queries_per_hit=2,
        budget=Decimal(10_000),
    )
    return create_batch(plan=plan, environment=environment, actor="test", study=pool.belongs.study)


def with_votes(batch: Batch, votes: Sequence[str] = VOTES) -> Batch:
    """Three people vote on each query, as `votes` say in turn; the labels are decided."""
    workers = [
        Worker.objects.create(environment=batch.environment, worker_id=f"A{number}", kind=kind)
        for number, kind in enumerate((WorkerKind.HUMAN, WorkerKind.HUMAN, WorkerKind.SIMULATED))
    ]
    answers = {
        (hit.pk, worker.pk): Assignment(
            hit=hit, worker=worker, assignment_id=f"{hit.index}-{worker.pk}", state="Submitted"
        )
        for hit in batch.hits.all()
        for worker in workers
    }
    Assignment.objects.bulk_create(answers.values())
    places = HITQuery.objects.filter(hit__batch=batch).values_list("query_id", "hit_id")
    votes_given = [
        (Vote(query_id=query, worker=worker, assignment=answers[hit, worker.pk]), category)
        for (query, hit), given in zip(places.order_by("query__position"), itertools.cycle(votes))
        for worker, category in zip(workers, given, strict=True)
    ]
    store_votes(votes_given, batch.scheme.subset.question)
    batch_label(batch=batch, actor="test")
    return batch


def addresses(batch: Batch) -> dict[str, str]:
    """Every page of the requester by the name of its URL; what buttons do is none."""
    number = [batch.pk]
    query = batch.queries.get(position=3)
    answer = Assignment.objects.filter(hit__batch=batch).order_by("pk").first()
    terms = {
        "name": "next",
        "pool": "top",
        "reward": "0.25",
        "assignments_per_hit": "3",
        "queries_per_hit": "4",
        "lifetime_seconds": "7",
        "duration_seconds": "30",
        "seed": "0",
        "include_batched": "on",
    }
    found = {
        "batch-list": reverse("batch-list"),
        "sign-in": reverse("sign-in"),
        "batch-new": reverse("batch-new", query=terms),
        "batch-detail": reverse("batch-detail", args=number),
        "batch-agreement": reverse("batch-agreement", args=number),
        "batch-queries": reverse("batch-queries", args=number),
        "batch-query": reverse("batch-query", args=[batch.pk, query.pk]),
        "batch-adjudication": reverse("batch-adjudication", args=number),
        "batch-labels": reverse("batch-labels", args=number),
        "batch-figures": reverse("batch-figures", args=number),
        "batch-workers": reverse("batch-workers", args=number),
        "batch-costs": reverse("batch-costs", args=number),
        "batch-act": reverse("batch-act", args=[batch.pk, "budget"]),
        "batch-invite": reverse("batch-invite", args=number),
        "batch-prolific": reverse("batch-prolific", args=number),
        "batch-messages": reverse("batch-messages", args=number),
        "batch-try": reverse("batch-try", args=number, query={"hit": 2}),
        "batch-scheme": reverse("batch-scheme", args=number),
        "batch-log": reverse("batch-log", args=number),
        "study-list": reverse("study-list"),
        "study-new": reverse("study-new"),
        "import": reverse("import"),
        "account": reverse("account"),
        "password-change": reverse("password-change"),
        "pool-list": reverse("pool-list"),
        "pool-detail": reverse("pool-detail", args=[batch.pool_id]),
    }
    if batch.study is not None:
        found["study-detail"] = reverse("study-detail", args=[batch.study.pk])
        for name in (
            "study-members",
            "study-log",
            "study-annotate",
            "study-import",
            "study-models",
            "study-release",
        ):
            found[name] = reverse(name, args=[batch.study.pk])
        found["invite"] = reverse("invite", args=[_token(batch.study)])
        found["study-reports"] = reverse("study-reports", args=[batch.study.pk])
        found["study-model"] = reverse(
            "study-model", args=[batch.study.pk, a_rater(batch.study).pk]
        )
        # Not made yet: it says so.
        report, _ = StudyReport.objects.get_or_create(study=batch.study)
        found["study-report"] = reverse("study-report", args=[batch.study.pk, report.pk])
    if answer is not None:
        found["batch-worker"] = reverse("batch-worker", args=[batch.pk, answer.worker_id])
    return found


def _token(study: Study) -> str:
    """Of a link that is still good, for the page that it opens."""
    return invite(study)


def stored_study(n: int) -> Batch:
    """A study with a pool, a batch and its votes and labels, of `n` queries."""
    study = Study.objects.create(name="gender", description="What do queries say?")
    return with_votes(stored_batch(stored_pool(n, study=study)))


#: The designs by which queries are drawn one by one.
ONE_BY_ONE = [design for design in SampleDesign.values if design != SampleDesign.QUERIES]
