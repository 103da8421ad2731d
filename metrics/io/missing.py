"""Errors of a path where no file is: they name what is near it, or where it was looked for."""

import glob
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from ..errors import InputError

#: Names that an error lists, and those of a folder that are looked at.
_LISTED, _LOOKED_AT = 3, 10_000
_OF_IR_DATASETS = ("ir_datasets:", "irds:")


def no_such_file(path: str | Path, remedy: str = "") -> InputError:
    """The error of a path, with the files that may be meant and a `remedy` of the caller."""
    advice = [_near(str(path)), remedy] if remedy else [_near(str(path)) or _beside(Path(path))]
    return InputError("no such file.", path=str(path), remedy=" ".join(filter(None, advice)))


def is_folder(path: str | Path, remedy: str = "") -> InputError:
    """The error of a folder in the place of a file, with files that are in it."""
    inside = [str(Path(path, name)) for name in _names(Path(path)) if Path(path, name).is_file()]
    advice = " ".join(filter(None, [_one_of(inside) if inside else "", remedy]))
    return InputError(
        "is a folder, not a file.", path=path, remedy=advice or "Give the path of a file."
    )


def _near(text: str) -> str:
    """The sentence that names files near a path that does not exist; "" for addresses."""
    if "://" in text:
        return ""
    if text.startswith(_OF_IR_DATASETS):
        name = text.partition(":")[2]
        return f'Texts of ir_datasets are load_magnitudes("ir_datasets:{name}"), in Python.'
    if glob.has_magic(text) and (files := sorted(glob.glob(text))):  # noqa: PTH207 - as shells do
        return f"It is a pattern. {_one_of(files)}"
    return _alike(Path(text))


def _alike(path: Path) -> str:
    """The sentence that names the file or the folder that a path may stand for."""
    try:
        if not path.parent.is_dir():
            return _no_folder(path.parent)
        near = _similar(path)
    except OSError:  # no name of a file, or a folder that may not be looked into
        return "Give the path of a file."
    return f"Did you mean {near}?" if near else ""


def _beside(path: Path) -> str:
    """The files of a folder that end as one that is not there, or the folder itself."""
    folder = path.parent
    alike = [str(folder / name) for name in _names(folder) if Path(name).suffix == path.suffix]
    if path.suffix and alike:
        return f"There is {_listed(alike)}."
    return "" if path.is_absolute() else f"Fairpool looks for it in {Path.cwd() / folder}."


def _similar(path: Path) -> str:
    """The file beside a path, or one folder below, that its name may stand for; "" for none."""
    by_lower_case = {name.lower(): name for name in _names(path.parent)}
    name = path.name.lower()
    close = get_close_matches(name, by_lower_case, n=1, cutoff=0.8)
    close += [other for other in by_lower_case if Path(other).stem == Path(name).stem]
    if close:
        return str(path.parent / by_lower_case[close[0]])
    below = (path.parent / folder / path.name for folder in _names(path.parent))
    return next((str(file) for file in below if file.is_file()), "")


def _no_folder(folder: Path) -> str:
    """The sentence of a path whose folder does not exist."""
    missing = next(part for part in reversed((folder, *folder.parents)) if not part.is_dir())
    near = get_close_matches(missing.name, _names(missing.parent), n=1)
    meant = f" Did you mean {missing.parent / near[0]}?" if near else ""
    where = "" if folder.is_absolute() else f" in {Path.cwd()}"
    return f"There is no folder {missing}{where}.{meant}"


def _names(folder: Path) -> list[str]:
    """The names in a folder, without hidden ones; none where it may not be looked into."""
    try:
        names = (place.name for _, place in zip(range(_LOOKED_AT), folder.iterdir(), strict=False))
        return sorted(name for name in names if not name.startswith("."))
    except OSError:
        return []


def _one_of(files: Iterable[str]) -> str:
    return f"Give a file: {_listed(list(files))}."


def _listed(files: list[str]) -> str:
    more = f", ... ({len(files)} in all)" if len(files) > _LISTED else ""
    return ", ".join(files[:_LISTED]) + more
