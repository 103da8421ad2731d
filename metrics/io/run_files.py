"""The run files that NAME=PATH, a path, a folder or a pattern stands for."""

import glob
import re
from pathlib import Path

from ..errors import InputError
from . import headers
from .lines import open_text
from .outputs import InputFile
from .packing import each_file
from .run_names import run_name

#: X.counterfactual.run belongs to X.run.
COUNTERFACTUAL = ".counterfactual.run"
_BESIDE_RUNS = {".json", ".csv", ".md"}
_META = ".meta.json"
_HEAD = 1 << 12
_JSON_RUN = re.compile(r'\s*\{\s*"[^"]+"\s*:\s*\{\s*"[^"]+"\s*:\s*-?[0-9]').match


class InputRun(InputFile):
    """The value of `--run`: NAME=PATH, a path, a folder or a pattern."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return str(self) if Path(self).exists() else self.partition("=")[2] or str(self)

    def each(self) -> list[InputFile]:
        return [InputFile(str(path)) for _, path in run_files(self)]


def run_files(source: str | Path) -> list[tuple[str, Path]]:
    """Name and file of each run, sorted by file; none where nothing matches.

    `NAME=PATH` names a run; every other is named after its file, see `metrics.io.run_names`. Of a
    folder or a pattern, hidden files, what is beside runs (.json, .csv, .md without a run) and
    counterfactual runs (X.counterfactual.run) are left out. The same holds for a zip of several
    files. A name that exists is a file, whatever its characters.
    """
    if isinstance(source, str) and "=" in source and not Path(source).exists():
        name, _, place = source.partition("=")
        if not place:
            raise InputError(f"{source}: no NAME=PATH.", remedy="Write BM25=bm25.run.")
        return [(name, Path(place))]
    path = Path(source)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file())
    elif glob.has_magic(str(source)) and not path.exists():
        files = [Path(name) for name in sorted(glob.glob(str(source)))]  # noqa: PTH207 - stars may stand in folders
    else:
        files = each_file(path)
        if len(files) == 1:
            return [(run_name(path), path)]
    return [(run_name(file), file) for file in files if _is_run(file)]


def _is_run(path: Path) -> bool:
    if path.name.startswith(".") or path.name.endswith((COUNTERFACTUAL, _META)):
        return False
    return path.suffix not in _BESIDE_RUNS or _holds_run(path)


def _holds_run(path: Path) -> bool:
    """Return whether a table or JSON is a run by its beginning, and no description beside one."""
    try:
        with open_text(path) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
    except InputError:
        return False
    line = head.lstrip().partition("\n")[0]
    cells = line.split(headers.separator_of(line))
    values = (*headers.SCORES, *headers.RANKS)
    is_table = headers.places_of(cells, headers.QIDS, headers.DOCNOS, values) is not None
    return is_table or _JSON_RUN(head) is not None
