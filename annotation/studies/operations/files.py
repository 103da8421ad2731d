"""The files that a study measures with: checked by content, added whole or not at all."""

import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from annotation.core.operations import Advance, checkpoint, no_progress
from annotation.models import AuditEvent, Study, StudyFile
from annotation.studies.archives import is_zip_of_several
from annotation.studies.file_checks import Checked, check_file, packing_of
from annotation.studies.file_store import (
    Stream,
    keep,
    local_path,
    path_pointed_to,
    receive,
    store,
    workplace,
)
from annotation.studies.queries.file_kind import ONE_OF_A_KIND, kind_of_file
from annotation.studies.queries.files_missing import name_in_bundle
from annotation.studies.run_checks import READ_AT_ONCE, check_run, compare_queries
from annotation.vocabulary import (
    KIND_BY_CONTENT,
    LONGEST_OWN_NAME,
    AuditAction,
    FileKind,
)
from metrics.errors import InputError
from metrics.io.packing import ENDINGS
from metrics.io.run_names import run_name, run_tag
from metrics.runs import check_run_name
from metrics.runs.queries import read_queries
from metrics.runs.ranked import UnscoredDocumentsError

_NO_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def add_study_file(
    *,
    study: Study,
    kind: str,
    stream: Stream,
    filename: str,
    actor: str,
    name: str = "",
    ranked: Mapping[str, Any] | None = None,
    advance: Advance = no_progress,
) -> StudyFile:
    """Store what `stream` brings as a file of `kind`, once it has been checked.

    The kind `KIND_BY_CONTENT` is detected. A run is called `name`, by default by its file, or by
    its tag if that is taken; `ranked` says how the site made it. `InputError` says with file and
    line why a file cannot be used; then nothing of it stays. `advance` is called with 0 in the
    transaction that stores it.
    """
    display_name = shown_name(filename)
    with workplace() as folder:
        arrived = folder / "arrived"
        receive(stream, arrived)
        path = arrived.rename(folder / stored_name(display_name, packing_of(arrived)))
        kind, name, checked = _looked_at(study, path, kind, name, display_name)
        if ranked:
            checked = replace(checked, summary={**checked.summary, "ranked": dict(ranked)})
        stored = keep(path, f"{study.pk}/{secrets.token_hex(8)}/{path.name}")
    try:
        return _store(study, kind, name, checked, actor, advance=advance, path=stored)
    except BaseException:
        store().delete(stored)
        raise


def study_file_point_to(
    *, study: Study, kind: str, where: str, actor: str, name: str = ""
) -> StudyFile:
    """Use a file of the server's folder in its place; otherwise as `add_study_file`."""
    path = path_pointed_to(where)
    kind, name, checked = _looked_at(study, path, kind, name, shown_name(path.name))
    return _store(study, kind, name, checked, actor, path=where, is_pointed=True)


def refresh_coverage(*, study: Study) -> None:
    """Update the runs' coverage of the study's present queries, if there are any."""
    queries = study.files.filter(kind=FileKind.QUERIES, archived_at=None).first()
    _set_coverage(study, _coverage(study, local_path(queries)) if queries else {})


def check_alone(study: Study, kind: str, name: str) -> None:
    """`InputError` where the study uses a file of this kind, of which it uses one at a time."""
    others = study.files.filter(kind=kind, archived_at=None) if kind in ONE_OF_A_KIND else None
    if others is not None and (other := others.first()):
        raise InputError(
            f"the study has {FileKind(kind).label.lower()} already: {other.name}.",
            path=name,
            remedy="Remove that file first, or archive it.",
        )


def shown_name(filename: str) -> str:
    """A file's own name, for people: without folders, control characters and marks of direction."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    name = "".join(
        character for character in name if unicodedata.category(character)[0] != "C"
    ).strip()
    return name[-LONGEST_OWN_NAME:] or "unnamed"


def in_words_of(error: InputError, path: Path, display_name: str) -> InputError:
    """Replace the path in the error by the name that people know the file by."""
    if str(path) not in str(error):
        return error
    message, remedy = (
        text.replace(str(path), display_name) for text in (error.message, error.remedy)
    )
    place = display_name if error.path == str(path) else error.path
    return InputError(message, path=place, line=error.line, remedy=remedy, remedies=error.remedies)


def in_words_of_page(error: InputError, paths: Mapping[StudyFile, Path]) -> InputError:
    """Replace paths in the error by the names of the study's files, and drop options."""
    if isinstance(error, UnscoredDocumentsError):
        remedy = (
            "Score the collection that the run was made on, or choose another rule for a document "
            "that was not scored."
        )
        error = InputError(error.message, path=error.path, remedy=remedy)
    for file, path in paths.items():
        error = in_words_of(error, path, file.name)
    return error


def _looked_at(
    study: Study, path: Path, kind: str, name: str, display_name: str
) -> tuple[str, str, Checked]:
    """Return kind and name of a usable file, and its facts."""
    reason = ""
    try:
        is_of_several = is_zip_of_several(path)
    except InputError as error:
        raise in_words_of(error, path, display_name) from error
    if is_of_several:
        raise InputError(
            "is a zip of several files.",
            path=display_name,
            remedy="Unpack it and add each of its files on its own.",
        )
    if kind == KIND_BY_CONTENT:
        kind, reason = kind_of_file(study=study, path=path, display_name=display_name)
    name = _free_name(study, kind, path, display_name, name)
    checked = _checked(study, path, kind, name, display_name)
    if reason:
        checked = replace(checked, summary={**checked.summary, "recognised_by": reason})
    return kind, name, checked


def _checked(study: Study, path: Path, kind: str, name: str, display_name: str) -> Checked:
    try:
        checked = check_file(path, kind)
        if kind == FileKind.QUERIES:
            return replace(checked, coverage=_coverage(study, path))
        if kind == FileKind.RUN and checked.summary["unpacked"] <= READ_AT_ONCE:
            return _checked_run(study, path, name, checked)
    except InputError as error:
        raise in_words_of(error, path, display_name) from error
    return checked


def _checked_run(study: Study, path: Path, name: str, checked: Checked) -> Checked:
    run = check_run(path)
    queries = study.files.filter(kind=FileKind.QUERIES, archived_at=None).first()
    known = read_queries(local_path(queries), "all") if queries else None
    summary = {
        "depth": run.depth,
        "n_queries": len(run.qids),
        "notices": run.notices,
        "coverage": compare_queries(name, run.qids, known) if known else [],
    }
    return replace(checked, summary=checked.summary | summary)


def _coverage(study: Study, path: Path) -> dict[str, list[str]]:
    """Compute the coverage of runs added before the queries, as far as reading them is fast."""
    coverage: dict[str, list[str]] = {}
    runs = list(study.files.filter(kind=FileKind.RUN, archived_at=None).order_by("size"))
    if not runs:
        return coverage
    queries, left = read_queries(path, "all"), READ_AT_ONCE
    for run in runs:
        left -= run.summary["unpacked"]
        if left < 0:
            break
        coverage[run.name] = compare_queries(run.name, check_run(local_path(run)).qids, queries)
    return coverage


def _set_coverage(study: Study, coverage: dict[str, list[str]]) -> None:
    """Set the coverage of the named runs, and clear that of all others."""
    runs = list(study.files.filter(kind=FileKind.RUN))
    for run in runs:
        run.summary["coverage"] = coverage.get(run.name, [])
    StudyFile.objects.bulk_update(runs, ["summary"])


def _free_name(study: Study, kind: str, path: Path, display_name: str, name: str) -> str:
    """Name for the file; `InputError` if the study has such a file already."""
    check_alone(study, kind, display_name)
    of_kind = study.files.filter(kind=FileKind(kind)).values_list("name", flat=True)
    taken = {known.casefold() for known in of_kind}
    if kind != FileKind.RUN:
        names = [display_name]
    else:
        names = [check_run_name(name)] if name else [run_name(display_name), run_tag(path)]
    free = [name for name in names if name and name.casefold() not in taken]
    if not free:
        raise _name_is_taken(kind, names[0], display_name)
    return free[0]


def _name_is_taken(kind: str, name: str, display_name: str) -> InputError:
    return InputError(
        f"the study has a file of this name already ({FileKind(kind).label.lower()} {name}).",
        path=display_name,
        remedy="Give another name, or rename or remove that file first.",
    )


def stored_name(display_name: str, packing: str) -> str:
    """Return a name that is safe on all file systems, with the suffix of such content."""
    name = _NO_FILE_NAME.sub("_", display_name)
    for suffix in ENDINGS:
        name = name.removesuffix(suffix)
    return f"{name.lstrip('.-') or 'file'}{packing}"


def _store(
    study: Study,
    kind: str,
    name: str,
    checked: Checked,
    actor: str,
    *,
    advance: Advance = no_progress,
    **where: Any,
) -> StudyFile:
    # A file that the study's bundle names gets its name there.
    name = name_in_bundle(study=study, kind=kind, digest=checked.digest) or name
    try:
        with transaction.atomic():
            checkpoint(advance)
            # Serialises additions: of one kind there may be only one file.
            study = Study.objects.select_for_update().get(pk=study.pk)
            check_alone(study, kind, name)
            file = StudyFile.objects.create(
                study=study,
                kind=kind,
                name=name,
                size=checked.size,
                digest=checked.digest,
                summary=checked.summary,
                actor=actor,
                **where,
            )
            if kind == FileKind.QUERIES:
                _set_coverage(study, checked.coverage)
            AuditEvent.objects.create(
                study=study, actor=actor, action=AuditAction.FILE_ADDED, detail=_detail(file)
            )
    except IntegrityError as error:
        raise _name_is_taken(kind, name, name) from error
    return file


def _detail(file: StudyFile) -> dict[str, Any]:
    return {"kind": file.kind, "name": file.name, "size": file.size, "digest": file.digest}
