"""Kinds of files, from their beginnings, before the files themselves are sent."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from annotation.models import Study
from annotation.studies.archives import names_in_zip
from annotation.studies.file_checks import packing_of
from annotation.studies.file_store import workplace
from annotation.studies.queries.file_kind import (
    MODEL_LABELS,
    ONE_OF_A_KIND,
    TEXTS,
    NamedIds,
    another_collection,
    files_in_use,
    has_queries,
    ids_named_by_runs,
    kind_of_contents,
)
from annotation.vocabulary import KIND_BY_CONTENT, FileKind
from metrics.errors import InputError
from metrics.io.contents import Contents, contents_of
from metrics.io.files import open_bytes
from metrics.io.parquet_tables import is_parquet
from metrics.io.run_names import run_name, run_tag, told_apart

#: Bytes of each file that are looked at.
BEGINNING = 1 << 18
#: Bytes at the end of a zip, which say what is in it.
END_OF_ZIP = 1 << 16
_NAMED_AT_MOST = 5
_UNPACKED = 1 << 20
_BLOCK = 1 << 14


@dataclass(frozen=True)
class FileLookedAt:
    """A file that nobody stored yet: what it would be stored as, and why.

    `kind` is "" where a person has to choose it, or to leave the file out, `MODEL_LABELS` where
    the file is imported, not stored, and `KIND_BY_CONTENT` of a zip of several files; `name` is
    that of a run, "" for others. `is_odd` where `reason` is a doubt.
    """

    filename: str
    kind: str
    name: str
    reason: str
    is_odd: bool


def files_looked_at(
    *, study: Study, beginnings: Sequence[tuple[str, BinaryIO]]
) -> list[FileLookedAt]:
    """Kind of each file for the study, from its name and its first `BEGINNING` bytes.

    The runs among them tell queries from a collection, as the study's own do, and are named by
    their tags where several files share a name.
    """
    display_names = [name for name, _ in beginnings]
    with workplace() as folder:
        paths = [_lines(folder / str(number), file) for number, (_, file) in enumerate(beginnings)]
        looks = [contents_of(path) or _scored(path) for path in paths]
        names = told_apart(map(run_name, display_names), map(run_tag, paths))
        named = [
            _ids_named(name, path)
            for name, path, look in zip(names, paths, looks, strict=True)
            if look is not None and look.kind == "run"
        ]
        if any(look is not None and look.kind == TEXTS for look in looks):
            named += ids_named_by_runs(study)
        rows = [
            _looked_at(*row, named) for row in zip(display_names, names, looks, paths, strict=True)
        ]
    for number, (name, file) in enumerate(beginnings):
        file.seek(0)
        try:
            inside = names_in_zip(file)
        except InputError as error:
            rows[number] = FileLookedAt(name, "", "", error.message, is_odd=True)
            continue
        if len(inside) > 1:
            rows[number] = _of_zip(name, inside)
    return _once_each(study, rows)


def _of_zip(display_name: str, names: Sequence[str]) -> FileLookedAt:
    printable = ("".join(filter(str.isprintable, name)) for name in names[:_NAMED_AT_MOST])
    listed = ", ".join(printable)
    more = f" and {len(names) - _NAMED_AT_MOST} more" if len(names) > _NAMED_AT_MOST else ""
    reason = (
        f"a zip with {listed}{more}: Fairpool detects what each of them holds when it stores it."
    )
    return FileLookedAt(display_name, KIND_BY_CONTENT, "", reason, is_odd=False)


def _lines(path: Path, file: BinaryIO) -> Path:
    """The whole lines at the beginning of a file, unpacked, as a file of their own."""
    head = file.read(BEGINNING)
    path.write_bytes(head)
    packed = path.rename(path.with_suffix(packing_of(path) or ".plain"))
    blocks: list[bytes] = []
    # The archive is cut off: it ends where no more of it can be unpacked.
    with suppress(InputError), open_bytes(packed) as stream:
        read = stream.read1  # what is there
        while sum(map(len, blocks)) < _UNPACKED and (block := read(_BLOCK)):
            blocks.append(block)
    text = b"".join(blocks)
    is_cut = len(head) == BEGINNING or len(text) >= _UNPACKED
    path.write_bytes(text[: text.rfind(b"\n") + 1] if is_cut and b"\n" in text else text)
    return path


def _scored(path: Path) -> Contents | None:
    """The description of Parquet stands at its end, which is not here."""
    is_scored = is_parquet(path) and not has_queries(path)
    return Contents("magnitudes", "a Parquet file") if is_scored else None


def _ids_named(name: str, path: Path) -> NamedIds:
    rows = [line.split(None, 3) for line in path.read_text("utf-8", "replace").splitlines()]
    qids, _, docnos = zip(*(row[:3] for row in rows if row), strict=True)
    return NamedIds(name, frozenset(qids), frozenset(docnos))


def _looked_at(
    display_name: str, name: str, looks: Contents | None, path: Path, runs: Sequence[NamedIds]
) -> FileLookedAt:
    if looks is not None and looks.kind == MODEL_LABELS:
        return FileLookedAt(display_name, MODEL_LABELS, "", looks.reason, is_odd=False)
    try:
        kind, reason = kind_of_contents(looks, path, display_name, runs)
    except InputError as error:
        return FileLookedAt(display_name, "", "", f"{error.message} {error.remedy}", is_odd=True)
    return FileLookedAt(
        display_name, kind, name if kind == FileKind.RUN else "", reason, is_odd=False
    )


def _once_each(study: Study, rows: Sequence[FileLookedAt]) -> list[FileLookedAt]:
    """Let a person decide on rows for which the study, or an earlier row, leaves no room."""
    alone = [*ONE_OF_A_KIND, FileKind.COLLECTION]
    held = {kind: file.name for kind in alone for file in files_in_use(study, kind)[:1]}
    runs = set(study.files.filter(kind=FileKind.RUN).values_list("name", flat=True))
    decided = []
    for row in rows:
        if row.name in runs:
            reason = "there is a run of this name: change it."
            decided.append(replace(row, reason=reason, is_odd=True))
        elif row.kind in held:
            reason = _no_room(row, held[FileKind(row.kind)])
            decided.append(replace(row, kind="", reason=reason, is_odd=True))
        else:
            decided.append(row)
            if row.name:
                runs.add(row.name)
            elif row.kind in alone:
                held[FileKind(row.kind)] = row.filename
    return decided


def _no_room(row: FileLookedAt, other: str) -> str:
    if row.kind == FileKind.COLLECTION:
        error = another_collection(row.reason, other, row.filename)
        return f"{error.message} {error.remedy}"
    return f"there are {FileKind(row.kind).label.lower()} already: {other}."
