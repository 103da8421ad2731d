"""Pooling the queries of a study: its runs and its scored collection in, a pool out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from django.db import transaction

from annotation.models import AuditEvent, Study, StudyFile, StudyPool
from annotation.services.file_store import local_path
from annotation.services.study_files import in_words_of
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.magnitude import MAGNITUDES
from metrics.magnitude_store import open_magnitudes
from metrics.queries import read_queries
from metrics.ranked import Missing
from pooling import models
from pooling.building import BuiltPool, build_pool
from pooling.selectors import pool_name_is_free
from pooling.services import pool_build

_LONGEST_NAME = 100
_LARGEST = 1_000_000


@dataclass(frozen=True)
class PoolTerms:
    """How to pool: `cutoff` queries of each list, sorted by RaB at `rank_cutoff`."""

    cutoff: int = 500
    rank_cutoff: int = 10
    magnitude: str = "tf"
    missing: Missing = "error"

    def check(self) -> None:
        """Raise `InputError` for terms that mean nothing."""
        for said, number in (("cut-off", self.cutoff), ("rank cut-off", self.rank_cutoff)):
            if not 1 <= number <= _LARGEST:
                raise InputError(f"the {said} is {number}.", remedy="Use 1 or more.")
        for said, value, known in (
            ("magnitude", self.magnitude, tuple(MAGNITUDES)),
            ("rule for missing documents", self.missing, get_args(Missing)),
        ):
            if value not in known:
                raise InputError(f"unknown {said} {value!r}.", remedy=f"Use {', '.join(known)}.")


def free_pool_name(study: Study) -> str:
    """The study's name, with a number from its second pool on."""
    number = 1
    while True:
        suffix = "" if number == 1 else f" {number}"
        name = study.name[: _LONGEST_NAME - len(suffix)] + suffix
        if pool_name_is_free(name):
            return name
        number += 1


def study_pool(
    *,
    study: Study,
    name: str,
    terms: PoolTerms,
    actor: str,
    advance: Callable[[int], object] = lambda _runs: None,
) -> models.Pool:
    """Pool the queries of the study's runs as `name`; the pool of that name, if it has it already.

    `advance` is called with 1 after each run. `InputError` with file and line for what cannot be
    read. The pool and that it is the study's appear together, whole.
    """
    terms.check()
    done = models.Pool.objects.filter(name=name, belongs__study=study).first()
    if done is not None:
        return done
    files = _files_of(study)
    paths = {file: local_path(file) for file in files.all}
    try:
        built = _build(files, paths, terms, advance)
    except InputError as error:
        for file, path in paths.items():
            error = in_words_of(error, path, file.name)
        raise error from None
    _check_unchanged(files, built.inputs)
    with transaction.atomic():
        pool = pool_build(
            name=name,
            pool=built.pool,
            texts=built.texts,
            magnitude=terms.magnitude,
            rank_cutoff=terms.rank_cutoff,
            inputs=built.inputs,
            summary=built.summary | {"notices": [_told(one, paths) for one in built.notices]},
        )
        StudyPool.objects.create(study=study, pool=pool)
        detail = {"pool": name, "queries": len(built.pool.queries), "runs": len(files.runs)}
        AuditEvent.objects.create(study=study, actor=actor, action="queries pooled", detail=detail)
    return pool


@dataclass(frozen=True)
class _Files:
    magnitudes: StudyFile
    queries: StudyFile
    runs: tuple[StudyFile, ...]

    @property
    def all(self) -> tuple[StudyFile, ...]:
        return (self.magnitudes, self.queries, *self.runs)


def _files_of(study: Study) -> _Files:
    files = list(study.files.all())
    scored = [file for file in files if file.kind == FileKind.MAGNITUDES]
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
        on_run=lambda: advance(1),
    )


def _check_unchanged(files: _Files, inputs: Mapping[str, Any]) -> None:
    """What was read is what was checked: files that are pointed to may have been replaced."""
    read = {files.magnitudes: inputs["magnitudes"], files.queries: inputs["queries"]}
    read |= {run: inputs["runs"][run.name] for run in files.runs}
    for file, what in read.items():
        if what["sha256"] != file.sha256:
            raise InputError(
                "has changed since it was added.",
                path=file.name,
                remedy="Remove it from the study and add it again.",
            )


def _told(notice: object, paths: Mapping[StudyFile, Path]) -> str:
    told = str(notice)
    for file, path in paths.items():
        told = told.replace(str(path), file.name)
    return told
