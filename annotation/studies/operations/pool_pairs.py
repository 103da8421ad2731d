"""Pool pairs of query and passage: the first passages of a study's runs for each query."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from annotation.core.consent import Estimate
from annotation.core.counting import counted
from annotation.core.operations import Advance, Operation, Result, Run, checkpoint, no_progress
from annotation.core.parameters import parameter
from annotation.models import Study, StudyFile
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import in_words_of_page
from annotation.studies.operations.pool import (
    check_unchanged,
    free_pool_name,
    lacks,
    pool_give,
    with_notices,
)
from annotation.studies.operations.score import Kilobytes, scoring_total
from annotation.studies.run_checks import READ_AT_ONCE
from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    FileKind,
    MissingRule,
    OrderRule,
    TaskKind,
)
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from metrics.runs.queries import read_queries
from metrics.vocabulary import Order
from pooling import models
from pooling.pairs import (
    BuiltPairs,
    MissingText,
    PassagesWithoutTextError,
    build_pairs,
    pairs_of,
    remarks_on_pairs,
    runs_to_pool,
    sizes_of,
)
from pooling.store import pool_build
from pooling.vocabulary import MOST_PASSAGES, PASSAGES


@dataclass(frozen=True, kw_only=True)
class PoolPairsParameters:
    """Parameters of pooling pairs: `cutoff` passages of each run for each query."""

    cutoff: int = parameter(
        PASSAGES,
        min_value=1,
        max_value=MOST_PASSAGES,
        label="Passages of each query",
        help_text="The first ones of each run.",
    )
    missing: MissingText = parameter(
        "error",
        choices=[(str(rule), rule.label) for rule in (MissingRule.ERROR, MissingRule.SKIP)],
        label="A passage without text",
        help_text="One that the collection does not have, or has empty.",
    )
    order: Order = parameter(
        "default",
        choices=OrderRule.choices,
        label="Order of the passages",
        help_text="Matters where a run's ranks and scores contradict each other, or scores tie.",
    )
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the pool",
        help_text="Left out, the pool is called after the study.",
    )


@dataclass(frozen=True)
class _Files:
    collection: tuple[StudyFile, ...]
    queries: StudyFile
    runs: tuple[StudyFile, ...]
    paths: Mapping[StudyFile, Path]

    @property
    def named_runs(self) -> dict[str, Path]:
        return {run.name: self.paths[run] for run in self.runs}


@dataclass(frozen=True)
class PairsEstimate(Estimate):
    """The size of a pool of pairs; `n_words` are those of its passages, None where not known."""

    n_words: int | None = field(kw_only=True)


class PoolPairs(Operation[Study, PoolPairsParameters]):
    """Pool pairs of query and passage from the study's runs in the background.

    The pool has the first passages of each run for each query, with their texts.
    """

    name = "pool pairs"
    command = "study pool-pairs"
    path = "pool-pairs"
    example = {"cutoff": 10}
    title = "Build pool of pairs"
    queued = "Pooling. Progress updates live."
    subject = Study
    parameters = PoolPairsParameters
    job = TaskKind.POOL_PAIRS
    unit = "kB"

    def clean(self, subject: Study, parameters: PoolPairsParameters) -> PoolPairsParameters:
        return replace(parameters, name=parameters.name or free_pool_name(subject))

    def estimate(self, subject: Study, parameters: PoolPairsParameters) -> PairsEstimate:
        expected = pairs_expected(subject, parameters)
        return PairsEstimate(
            n_queries=expected.n_pairs, facts=expected.facts, n_words=expected.n_words
        )

    def units(self, subject: Study, parameters: PoolPairsParameters) -> int:
        return scoring_total(subject)

    def run(self, subject: Study, parameters: PoolPairsParameters, run: Run) -> Result:
        pool = models.Pool.objects.filter(name=parameters.name, belongs__study=subject).first()
        # If a worker was killed after its pool was stored, nothing is left to do.
        if pool is None:
            built = _built(subject, parameters, run.advance)
            pool = _keep(subject, parameters.name, built, run.actor.name)
        number = pool.summary["n_pooled"]
        values = {"pool": pool.pk, "name": pool.name, "n_pooled": number}
        note = " ".join(remarks_on_pairs(pool.summary))
        return Result(values, f"{pool.name}: {counted(number, 'pair')}.", note=note)


POOL_PAIRS = PoolPairs()


@dataclass(frozen=True)
class ExpectedPairs:
    """The size of a pool of pairs before it is built: `n_pairs` exactly, or at most.

    `only_from` has the number of pairs that each run brings alone. `n_words` are those of the
    pairs' passages; None of a collection that is too large to be read while somebody waits.
    """

    n_pairs: int
    is_exact: bool
    only_from: Mapping[str, int]
    n_words: int | None
    remarks: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Terms and values for people."""
        facts = [("Pairs", f"{'' if self.is_exact else 'at most '}{self.n_pairs:,}")]
        facts += [(f"Only from {run}", f"{number:,}") for run, number in self.only_from.items()]
        if self.n_words is not None:
            facts.append(("Words of their passages", f"{self.n_words:,}"))
        facts += [("Note", remark) for remark in self.remarks]
        return tuple(facts)


def pairs_expected(study: Study, parameters: PoolPairsParameters) -> ExpectedPairs:
    """The size of the pool that would be built, as far as the files can be read at once."""
    files = _files_of(study)
    left = READ_AT_ONCE - sum(run.summary["unpacked"] for run in files.runs)
    if left < 0:
        n_queries = files.queries.summary["n_queries"]
        most = parameters.cutoff * n_queries * len(files.runs)
        return ExpectedPairs(most, is_exact=False, only_from={}, n_words=None)
    if left < sum(part.summary["unpacked"] for part in files.collection):
        with _in_words_of(files):
            queries = read_queries(files.paths[files.queries], "all")
            cutoff, order = parameters.cutoff, parameters.order
            runs = runs_to_pool(files.named_runs, queries, cutoff=cutoff, order=order)
            summary = sizes_of(pairs_of(runs, cutoff), runs, queries)
    else:
        summary = _built(study, parameters).summary
    return ExpectedPairs(
        summary["n_pooled"],
        is_exact=True,
        only_from=summary["unique_to_run"],
        n_words=summary.get("n_words"),
        remarks=tuple(remarks_on_pairs(summary)),
    )


def _built(
    study: Study, parameters: PoolPairsParameters, advance: Advance = no_progress
) -> BuiltPairs:
    """The pool of the study's present files, with notices in the words of the page."""
    files = _files_of(study)
    with _in_words_of(files):
        built = build_pairs(
            files.named_runs,
            [files.paths[part] for part in files.collection],
            read_queries(files.paths[files.queries], "all"),
            cutoff=parameters.cutoff,
            order=parameters.order,
            missing=parameters.missing,
            on_run=lambda: checkpoint(advance),
            on_read=Kilobytes(advance),
        )
    read = {files.queries: built.inputs["queries"]}
    read |= dict(zip(files.collection, built.inputs["collection"], strict=True))
    check_unchanged(read | {run: built.inputs["runs"][run.name] for run in files.runs})
    # A file's stored name is not a name for people.
    collection = [
        {**part, "file": file.name}
        for file, part in zip(files.collection, built.inputs["collection"], strict=True)
    ]
    return replace(
        built,
        summary=with_notices(built, files.paths),
        inputs=built.inputs | {"collection": collection},
    )


@transaction.atomic
def _keep(study: Study, name: str, built: BuiltPairs, actor: str) -> models.Pool:
    """Store the pool as one of the study."""
    ids = {pair.qid: split_pair_id(pair.qid) for pair in built.pool.queries}
    pool = pool_build(
        name=name,
        pool=built.pool,
        texts={pair: built.texts[qid] for pair, (qid, _) in ids.items()},
        passages={pair: built.passages[docno] for pair, (_, docno) in ids.items()},
        inputs=built.inputs,
        summary=built.summary,
    )
    pool_give(study=study, pool=pool, actor=actor, counts={"pairs": len(ids)})
    return pool


def _files_of(study: Study) -> _Files:
    collection = tuple(_used(study, FileKind.COLLECTION).order_by("pk"))
    queries = _used(study, FileKind.QUERIES).first()
    runs = tuple(_used(study, FileKind.RUN))
    if not collection:
        raise lacks("collection")
    if queries is None:
        raise lacks("queries")
    if not runs:
        raise lacks("run")
    paths = {file: local_path(file) for file in (*collection, queries, *runs)}
    return _Files(collection, queries, runs, paths)


def _used(study: Study, kind: FileKind) -> QuerySet[StudyFile]:
    return study.files.filter(kind=kind, archived_at=None)


@contextmanager
def _in_words_of(files: _Files) -> Iterator[None]:
    try:
        yield
    except PassagesWithoutTextError as error:
        remedy = (
            "Add the collection that the run was made on, or choose to leave out passages without "
            "text."
        )
        plain = InputError(error.message, path=error.path, remedy=remedy)
        raise in_words_of_page(plain, files.paths) from None
    except InputError as error:
        raise in_words_of_page(error, files.paths) from None
