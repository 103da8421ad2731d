"""Pool the queries of a study."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.core.counting import counted
from annotation.core.names import free_name
from annotation.core.operations import Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Study, StudyFile, StudyPool
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import in_words_of_page
from annotation.studies.operations.pool_documents import keep_pool_documents
from annotation.studies.operations.score import SCORING_TOKENIZERS, scoring_total, study_score
from annotation.studies.queries.scored import scored_now
from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    MAGNITUDE_CHOICES,
    AuditAction,
    FileKind,
    MissingRule,
    OrderRule,
    TaskKind,
)
from metrics.errors import InputError
from metrics.runs.queries import read_queries
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import Missing, Order, Tokenizer
from pooling import models
from pooling.building import BuiltPool, build_pool
from pooling.command import named_groups
from pooling.pairs import BuiltPairs
from pooling.pool import ties_in_words
from pooling.queries import pool_name_is_free
from pooling.store import pool_build
from pooling.vocabulary import CUTOFF, LARGEST_POOL, MAGNITUDE, RANK_CUTOFF


@dataclass(frozen=True, kw_only=True)
class PoolTerms:
    """Parameters of pooling: `cutoff` queries of each list, sorted by RaB at `rank_cutoff`."""

    cutoff: int = parameter(
        CUTOFF,
        min_value=1,
        max_value=LARGEST_POOL,
        label="Queries of each list",
        help_text="Each run has two lists: most female first, and most male first.",
    )
    groups: str = parameter(
        "",
        max_length=1_000,
        allow_blank=True,
        label="Groups of words",
        help_text="Each has a list, as in f,m. Left out: f and m, or all groups of the word list.",
    )
    rank_cutoff: int = parameter(
        RANK_CUTOFF,
        min_value=1,
        max_value=LARGEST_POOL,
        label="Documents of each query",
        help_text="The bias that sorts the lists is measured down to this rank.",
    )
    magnitude: str = parameter(
        MAGNITUDE,
        choices=MAGNITUDE_CHOICES,
        label="Magnitude",
        help_text="How the group words of a document are counted.",
    )
    missing: Missing = parameter(
        "error",
        choices=MissingRule.choices,
        label="A document that was not scored",
    )
    order: Order = parameter(
        "default",
        choices=OrderRule.choices,
        label="Order of the documents",
        help_text="Matters where a run's ranks and scores contradict each other, or scores tie.",
    )


def free_pool_name(study: Study) -> str:
    """The study's name, with a number from its second pool on."""
    return free_name(study.name, pool_name_is_free)


def study_pool(
    *,
    study: Study,
    name: str,
    terms: PoolTerms,
    actor: str,
    scored: str = "",
    advance: Advance = no_progress,
) -> models.Pool:
    """Pool the queries of the study's runs as `name`; return the pool of that name if there is one.

    `advance` is called with 1 after each run. `InputError` with file and line for what cannot be
    read. The pool and that it is the study's appear together, whole.
    """
    done = models.Pool.objects.filter(name=name, belongs__study=study).first()
    if done is not None:
        return done
    files = _files_of(study, scored)
    paths = {file: local_path(file) for file in files.all}
    try:
        built = _build(files, paths, terms, advance)
    except InputError as error:
        raise in_words_of_page(error, paths) from None
    read = {files.magnitudes: built.inputs["magnitudes"], files.queries: built.inputs["queries"]}
    check_unchanged(read | {run: built.inputs["runs"][run.name] for run in files.runs})
    built = replace(built, summary=with_notices(built, paths))
    return keep_pool(study=study, name=name, built=built, terms=terms, actor=actor)


@transaction.atomic
def keep_pool(
    *, study: Study, name: str, built: BuiltPool, terms: PoolTerms, actor: str
) -> models.Pool:
    """Store a pool that was built on these terms, as one of the study."""
    pool = pool_build(
        name=name,
        pool=built.pool,
        texts=built.texts,
        magnitude=terms.magnitude,
        rank_cutoff=terms.rank_cutoff,
        inputs=built.inputs,
        summary=built.summary,
        biases=built.biases,
    )
    pool_give(study=study, pool=pool, actor=actor, counts={"queries": len(built.pool.queries)})
    return pool


def pool_give(*, study: Study, pool: models.Pool, actor: str, counts: Mapping[str, int]) -> None:
    """Make a new pool one of the study, and log how many of what it has."""
    StudyPool.objects.create(study=study, pool=pool)
    detail = {"pool": pool.name, **counts, "runs": len(pool.inputs["runs"])}
    AuditEvent.objects.create(
        study=study, actor=actor, action=AuditAction.QUERIES_POOLED, detail=detail
    )


def with_notices(built: BuiltPool | BuiltPairs, paths: Mapping[StudyFile, Path]) -> dict[str, Any]:
    """The summary with the notices about runs, which name each as the study does."""
    names = {str(path): file.name for file, path in paths.items()}
    notices = [f"{names[notice.path]}, {notice.text_with_line}" for notice in built.notices]
    return built.summary | {"notices": [*notices, *built.remarks]}


@dataclass(frozen=True)
class _Files:
    magnitudes: StudyFile
    queries: StudyFile
    runs: tuple[StudyFile, ...]

    @property
    def all(self) -> tuple[StudyFile, ...]:
        return (self.magnitudes, self.queries, *self.runs)


def _files_of(study: Study, name: str = "") -> _Files:
    """Inputs of the pool: the scored collection of this name, by default the present one."""
    files = list(study.files.filter(archived_at=None))
    named = [file for file in files if (file.kind, file.name) == (FileKind.MAGNITUDES, name)]
    scored = named[0] if named else None if name else scored_now(files)
    queries = [file for file in files if file.kind == FileKind.QUERIES]
    runs = tuple(file for file in files if file.kind == FileKind.RUN)
    if scored is None:
        raise lacks("scored collection")
    if not queries:
        raise lacks("queries")
    if not runs:
        raise lacks("run")
    return _Files(scored, queries[0], runs)


def lacks(what: str) -> InputError:
    return InputError(f"the study has no {what}.", remedy="Go through its steps in order.")


def _build(
    files: _Files,
    paths: Mapping[StudyFile, Path],
    terms: PoolTerms,
    advance: Advance,
) -> BuiltPool:
    return build_pool(
        {run.name: paths[run] for run in files.runs},
        open_magnitudes(paths[files.magnitudes]),
        read_queries(paths[files.queries], "all"),
        groups=named_groups(terms.groups),
        cutoff=terms.cutoff,
        magnitude=terms.magnitude,
        rank_cutoff=terms.rank_cutoff,
        missing=terms.missing,
        order=terms.order,
        on_run=lambda: advance(1),
    )


def check_unchanged(read: Mapping[StudyFile, Mapping[str, Any]]) -> None:
    """Check that the files read are those checked: external files may have been replaced."""
    for file, what in read.items():
        if what["digest"] != file.digest:
            raise InputError(
                "has changed since it was added.",
                path=file.name,
                remedy="Remove it from the study and add it again.",
            )


@dataclass(frozen=True, kw_only=True)
class PoolParameters(PoolTerms):
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the pool",
        help_text="Left out, the pool is called after the study.",
    )
    scored: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Scored collection",
        help_text="Its name; left out, the latest of the collection as it is.",
    )
    tokenizer: Tokenizer = parameter(
        "word",
        choices=SCORING_TOKENIZERS,
        label="Tokenizer",
        help_text="Where the collection is not scored yet: it is scored first.",
    )


class BuildPool(Operation[Study, PoolParameters]):
    """Pool the queries of the study's runs in the background; the collection is scored first."""

    name = "pool"
    command = "study pool"
    path = "pool"
    example = {"cutoff": 500}
    title = "Build pool"
    queued = "Pooling. Progress updates live."
    subject = Study
    parameters = PoolParameters
    job = TaskKind.POOL
    unit = "steps"

    def clean(self, subject: Study, parameters: PoolParameters) -> PoolParameters:
        known = subject.files.filter(kind=FileKind.MAGNITUDES, archived_at=None)
        names = list(known.values_list("name", flat=True))
        if parameters.scored and parameters.scored not in names:
            raise InputError(
                f"the study has no scored collection {parameters.scored!r}.",
                remedy=f"Scored collections are {', '.join(names) or 'none'}.",
            )
        return replace(parameters, name=parameters.name or free_pool_name(subject))

    def units(self, subject: Study, parameters: PoolParameters) -> int:
        runs = subject.files.filter(kind=FileKind.RUN, archived_at=None).count()
        return runs + (scoring_total(subject) if _is_unscored(subject, parameters) else 0)

    def run(self, subject: Study, parameters: PoolParameters, run: Run) -> Result:
        if _is_unscored(subject, parameters):
            actor, tokenizer = run.actor.name, parameters.tokenizer
            study_score(study=subject, actor=actor, tokenizer=tokenizer, advance=run.advance)
        pool = study_pool(
            study=subject,
            name=parameters.name,
            terms=parameters,
            scored=parameters.scored,
            actor=run.actor.name,
            advance=run.advance,
        )
        keep_pool_documents(study=subject, pool=pool, advance=run.advance)
        number, ties = pool.summary["n_pooled"], ties_in_words(pool.summary)
        values = {
            "pool": pool.pk,
            "name": pool.name,
            "n_pooled": number,
            "n_tied_at_cut": pool.summary.get("n_tied_at_cut", 0),
            "n_tied_zeros": pool.summary.get("n_tied_zeros", 0),
        }
        return Result(values, f"{pool.name}: {counted(number, 'query')}.", note=ties)


def _is_unscored(study: Study, parameters: PoolParameters) -> bool:
    return not parameters.scored and scored_now(study.files.filter(archived_at=None)) is None


BUILD_POOL = BuildPool()
