"""The run files that NAME=PATH, a path, a folder or a pattern stands for."""

import glob
from pathlib import Path

from ..errors import InputError
from .outputs import InputFile
from .run_names import run_name

#: X.counterfactual.run is no run of its own: it belongs to X.run.
COUNTERFACTUAL = ".counterfactual.run"
_BESIDE_RUNS = {".json", ".csv", ".md"}


class InputRun(InputFile):
    """The value of `--run`: NAME=PATH, a path, a folder or a pattern."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return self.partition("=")[2] or str(self)

    def each(self) -> list[InputFile]:
        return [InputFile(str(path)) for _, path in run_files(self)]


def run_files(source: str | Path) -> list[tuple[str, Path]]:
    """Name and file of each run, sorted by file; none where nothing matches.

    `NAME=PATH` names a run; every other is named after its file, see `metrics.io.run_names`. Of a
    folder or a pattern, hidden files, descriptions beside runs (.json, .csv, .md) and
    counterfactual runs (X.counterfactual.run) are left out.
    """
    if isinstance(source, str) and "=" in source:
        name, _, place = source.partition("=")
        if not place:
            raise InputError(f"{source}: no NAME=PATH.", remedy="Write BM25=bm25.run.")
        return [(name, Path(place))]
    path = Path(source)
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file())
    elif glob.has_magic(str(source)) and not path.exists():
        found = [Path(name) for name in sorted(glob.glob(str(source)))]  # noqa: PTH207 - stars may stand in folders
    else:
        return [(run_name(path), path)]
    return [(run_name(file), file) for file in found if _is_run(file)]


def _is_run(path: Path) -> bool:
    is_other = path.suffix in _BESIDE_RUNS or path.name.endswith(COUNTERFACTUAL)
    return not is_other and not path.name.startswith(".")
