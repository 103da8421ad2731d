"""Pool the queries of a study."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.core.names import free_name
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Study, StudyFile, StudyPool
from annotation.studies.file_store import local_path
from annotation.studies.operations.files import in_words_of_page
from annotation.studies.operations.pool_documents import pool_documents_keep
from annotation.vocabulary import AuditAction, FileKind, MissingRule, OrderRule, TaskKind
from metrics.errors import InputError
from metrics.io.digests import matches_digest
from metrics.runs.queries import read_queries
from metrics.texts.magnitude import MAGNITUDES
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import Missing, Order
from pooling import models
from pooling.building import BuiltPool, build_pool
from pooling.selectors import pool_name_is_free
from pooling.services import pool_build

_LARGEST = 1_000_000


@dataclass(frozen=True, kw_only=True)
class PoolTerms:
    """How to pool: `cutoff` queries of each list, sorted by RaB at `rank_cutoff`."""

    cutoff: int = parameter(
        500,
        min_value=1,
        max_value=_LARGEST,
        label="Queries of each list",
        help_text="Each run has two lists: most female first, and most male first.",
    )
    rank_cutoff: int = parameter(
        10,
        min_value=1,
        max_value=_LARGEST,
        label="Documents of each query",
        help_text="The bias that sorts the lists looks at so many.",
    )
    magnitude: str = parameter("tf", choices=[(name, name) for name in MAGNITUDES])
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
    advance: Callable[[int], object] = lambda _runs: None,
) -> models.Pool:
    """Pool the queries of the study's runs as `name`; the pool of that name, if it has it already.

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
    _check_unchanged(files, paths, built.inputs)
    names = {str(path): file.name for file, path in paths.items()}
    notices = [f"{names[one.path]}, {one.text_with_line}" for one in built.notices]
    with transaction.atomic():
        pool = pool_build(
            name=name,
            pool=built.pool,
            texts=built.texts,
            magnitude=terms.magnitude,
            rank_cutoff=terms.rank_cutoff,
            inputs=built.inputs,
            summary=built.summary | {"notices": notices},
        )
        StudyPool.objects.create(study=study, pool=pool)
        detail = {"pool": name, "queries": len(built.pool.queries), "runs": len(files.runs)}
        AuditEvent.objects.create(
            study=study, actor=actor, action=AuditAction.QUERIES_POOLED, detail=detail
        )
    return pool


@dataclass(frozen=True)
class _Files:
    magnitudes: StudyFile
    queries: StudyFile
    runs: tuple[StudyFile, ...]

    @property
    def all(self) -> tuple[StudyFile, ...]:
        return (self.magnitudes, self.queries, *self.runs)


def _files_of(study: Study, name: str = "") -> _Files:
    """What is pooled: with the scored collection of this name, by default the latest."""
    files = list(study.files.filter(archived_at=None))
    magnitudes = [file for file in files if file.kind == FileKind.MAGNITUDES]
    scored = [file for file in magnitudes if name in ("", file.name)]
    queries = [file for file in files if file.kind == FileKind.QUERIES]
    runs = tuple(file for file in files if file.kind == FileKind.RUN)
    for what, found in (("scored collection", scored), ("queries", queries), ("run", runs)):
        if not found:
            raise InputError(f"the study has no {what}.", remedy="Go through its steps in order.")
    return _Files(max(scored, key=lambda file: file.pk), queries[0], runs)


def _build(
    files: _Files,
    paths: Mapping[StudyFile, Path],
    terms: PoolTerms,
    advance: Callable[[int], object],
) -> BuiltPool:
    return build_pool(
        {run.name: paths[run] for run in files.runs},
        open_magnitudes(paths[files.magnitudes]),
        read_queries(paths[files.queries], "all"),
        cutoff=terms.cutoff,
        magnitude=terms.magnitude,
        rank_cutoff=terms.rank_cutoff,
        missing=terms.missing,
        order=terms.order,
        on_run=lambda: advance(1),
    )


def _check_unchanged(
    files: _Files, paths: Mapping[StudyFile, Path], inputs: Mapping[str, Any]
) -> None:
    """What was read is what was checked: files that are pointed to may have been replaced.

    Then `inputs` name each file by the digest that the study knows it by, of whatever algorithm.
    """
    read = {files.magnitudes: inputs["magnitudes"], files.queries: inputs["queries"]}
    read |= {run: inputs["runs"][run.name] for run in files.runs}
    for file, what in read.items():
        if not matches_digest(file.digest, paths[file], what["digest"]):
            raise InputError(
                "has changed since it was added.",
                path=file.name,
                remedy="Remove it from the study and add it again.",
            )
        what["digest"] = file.digest


@dataclass(frozen=True, kw_only=True)
class PoolParameters(PoolTerms):
    name: str = parameter(
        "",
        max_length=100,
        allow_blank=True,
        label="Name of the pool",
        help_text="Left out, the pool is called after the study.",
    )
    scored: str = parameter(
        "",
        max_length=100,
        allow_blank=True,
        label="Scored collection",
        help_text="Its name; left out, the latest.",
    )


class BuildPool(Operation[Study, PoolParameters]):
    """Pool the queries of the study's runs in the background."""

    name = "pool"
    path = "pool"
    example = {"cutoff": 500}
    title = "Build pool"
    queued = "Pooling. Progress updates live."
    subject = Study
    parameters = PoolParameters
    job = TaskKind.POOL

    def clean(self, subject: Study, parameters: PoolParameters) -> PoolParameters:
        known = subject.files.filter(kind=FileKind.MAGNITUDES, archived_at=None)
        names = list(known.values_list("name", flat=True))
        if parameters.scored and parameters.scored not in names:
            raise InputError(
                f"the study has no scored collection {parameters.scored!r}.",
                remedy=f"There is: {', '.join(names) or 'none'}.",
            )
        return replace(parameters, name=parameters.name or free_pool_name(subject))

    def units(self, subject: Study, parameters: PoolParameters) -> int:
        return subject.files.filter(kind=FileKind.RUN, archived_at=None).count()

    def run(self, subject: Study, parameters: PoolParameters, run: Run) -> Result:
        pool = study_pool(
            study=subject,
            name=parameters.name,
            terms=parameters,
            scored=parameters.scored,
            actor=run.actor.name,
            advance=run.advance,
        )
        pool_documents_keep(study=subject, pool=pool, advance=run.advance)
        number = pool.summary["n_pooled"]
        values = {"pool": pool.pk, "name": pool.name, "n_pooled": number}
        return Result(values, f"{pool.name}: {number:,} queries.")


BUILD_POOL = BuildPool()
