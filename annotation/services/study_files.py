"""The files that a study measures with: added whole or not at all, checked by what they hold."""

import re
import secrets
import unicodedata
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from annotation.models import AuditEvent, Study, StudyFile
from annotation.models.tasks import LIVE_STATES
from annotation.services.file_checks import Checked, file_check, packing_of
from annotation.services.file_store import Stream, keep, path_pointed_to, receive, store, workplace
from annotation.vocabulary import FileKind
from metrics.errors import InputError
from metrics.runs import check_run_name

#: A study has one of these at a time; a collection may come in parts, and runs are several.
ONE_OF_A_KIND = frozenset({FileKind.QUERIES, FileKind.QRELS, FileKind.LEXICON})
_LONGEST_NAME = 100
_NO_RUN_NAME = re.compile(r"[\s:|=]+")
_NO_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_PACKED = (".gz", ".zst")


def study_file_add(
    *, study: Study, kind: str, stream: Stream, filename: str, actor: str, name: str = ""
) -> StudyFile:
    """Store what `stream` brings as a file of `kind`, once it has been checked.

    A run is called `name`, by default what the file is called up to its first dot. `InputError`
    says with file and line why a file cannot be used; then nothing of it stays.
    """
    shown = shown_name(filename)
    name = _free_name(study, kind, shown, name)
    with workplace() as folder:
        arrived = folder / "arrived"
        receive(stream, arrived)
        path = arrived.rename(folder / _stored_name(shown, packing_of(arrived)))
        checked = _checked(path, kind, shown)
        stored = keep(path, f"{study.pk}/{secrets.token_hex(8)}/{path.name}")
    try:
        return _store(study, kind, name, checked, actor, path=stored)
    except BaseException:
        store().delete(stored)
        raise


def study_file_point_to(
    *, study: Study, kind: str, where: str, actor: str, name: str = ""
) -> StudyFile:
    """Use a file of the server's folder as it lies there; otherwise as `study_file_add`."""
    path = path_pointed_to(where)
    name = _free_name(study, kind, shown_name(path.name), name)
    if packing_of(path) != (path.suffix if path.suffix in _PACKED else ""):
        raise InputError(
            "its name does not say how it is packed.",
            path=where,
            remedy="Let it end in .gz or .zst if, and only if, it is such an archive.",
        )
    checked = _checked(path, kind, where)
    return _store(study, kind, name, checked, actor, path=where, is_pointed=True)


def study_file_remove(*, file: StudyFile, actor: str) -> None:
    """Forget the file, unless something was made from it or is being made."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=file.study_id)
        _check_unused(study, file)
        file.delete()
        AuditEvent.objects.create(
            study=study, actor=actor, action="file removed", detail=_detail(file)
        )
        if not file.is_pointed:
            transaction.on_commit(lambda: store().delete(file.path))


def shown_name(filename: str) -> str:
    """A file's own name, for people: without folders, control characters and marks of direction."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    name = "".join(one for one in name if unicodedata.category(one)[0] != "C").strip()
    return name[-_LONGEST_NAME:] or "unnamed"


def in_words_of(error: InputError, path: Path, shown: str) -> InputError:
    """The same error, with the name that people know the file by."""
    if error.path != str(path):
        return error
    return InputError(error.message, path=shown, line=error.line, remedy=error.remedy)


def _checked(path: Path, kind: str, shown: str) -> Checked:
    try:
        return file_check(path, kind)
    except InputError as error:
        raise in_words_of(error, path, shown) from error


def _free_name(study: Study, kind: str, shown: str, name: str) -> str:
    """What the file is to be called; `InputError` if the study has such a file already."""
    if kind == FileKind.RUN:
        name = check_run_name(name or _NO_RUN_NAME.sub("_", shown.partition(".")[0]))
    else:
        name = shown
    _check_alone(study, kind, name)
    if study.files.filter(kind=FileKind(kind), name=name).exists():
        raise _name_is_taken(kind, name)
    return name


def _check_alone(study: Study, kind: str, name: str) -> None:
    other = study.files.filter(kind=kind).first() if kind in ONE_OF_A_KIND else None
    if other is not None:
        raise InputError(
            f"the study has {FileKind(kind).label.lower()} already: {other.name}.",
            path=name,
            remedy="Remove that file first.",
        )


def _name_is_taken(kind: str, name: str) -> InputError:
    return InputError(
        f"the study has a file of this name already ({FileKind(kind).label.lower()}).",
        path=name,
        remedy="Give another name, or remove that file first.",
    )


def _stored_name(shown: str, packing: str) -> str:
    """A name that no file system minds, and that ends as readers expect of such bytes."""
    name = _NO_FILE_NAME.sub("_", shown)
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return f"{name.lstrip('.-') or 'file'}{packing}"


def _store(
    study: Study, kind: str, name: str, checked: Checked, actor: str, **where: Any
) -> StudyFile:
    try:
        with transaction.atomic():
            # Whoever else adds a file waits here: of one kind there may be only one.
            study = Study.objects.select_for_update().get(pk=study.pk)
            _check_alone(study, kind, name)
            file = StudyFile.objects.create(
                study=study,
                kind=kind,
                name=name,
                size=checked.size,
                sha256=checked.sha256,
                summary=checked.summary,
                actor=actor,
                **where,
            )
            AuditEvent.objects.create(
                study=study, actor=actor, action="file added", detail=_detail(file)
            )
    except IntegrityError as error:
        raise _name_is_taken(kind, name) from error
    return file


def _detail(file: StudyFile) -> dict[str, Any]:
    return {"kind": file.kind, "name": file.name, "size": file.size, "sha256": file.sha256}


def _check_unused(study: Study, file: StudyFile) -> None:
    if study.tasks.filter(state__in=LIVE_STATES).exists():
        raise InputError(
            "something is being made of the study's files.", remedy="Wait for it, or cancel it."
        )
    made = [name for name, used in _made_from(study) if file.sha256 in used]
    if made:
        raise InputError(
            f"{made[0]} was made from it.",
            path=file.name,
            remedy="Keep it: results must be traceable. Begin a new study for other files.",
        )


def _made_from(study: Study) -> list[tuple[str, set[str]]]:
    """What was made of files, with the checksums of those."""
    scored = [
        (f"The scored collection {one.name}", set(one.summary.get("files", ())))
        for one in study.files.filter(kind=FileKind.MAGNITUDES)
    ]
    pools = [
        (f"The pool {one.pool.name}", _checksums(one.pool.inputs))
        for one in study.pools.select_related("pool")
    ]
    reports = [
        (f"The bias report {one.pk}", {file["sha256"] for file in one.inputs.get("files", ())})
        for one in study.reports.exclude(made_at=None).order_by("pk")
    ]
    return scored + pools + reports


def _checksums(inputs: dict[str, Any]) -> set[str]:
    files = [inputs.get("magnitudes"), inputs.get("queries"), *inputs.get("runs", {}).values()]
    return {file.get("sha256", "") for file in files if file}
