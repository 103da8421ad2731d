"""The files that people name at once: a folder, a pattern, a list, a part of an object store."""

import glob
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from ..errors import InputError
from .lines import text_lines
from .outputs import InputFile, InputStream
from .storage import files_below, is_url

#: Prefix of the name of a file that lists others, one per line.
LIST = "@"

#: The sentence of options that take them.
LISTING_HELP = (
    "A folder, a pattern such as 'data/*.tsv.gz', @FILE with one name per line, and their URLs "
    "(s3://bucket/folder) name several files, in the order of their names; in folders, names that "
    "begin with . or _ are passed over."
)


class InputFiles(InputStream):
    """The value of an option that names files to be read once, one or several of them."""

    __slots__ = ()

    def each(self) -> list[InputFile]:
        # Outputs are local: no object store is contacted.
        return [self] if is_url(self) else [InputFile(path) for path in listed_files([self])]


def listed_files(sources: Iterable[str | Path]) -> list[str]:
    """Each file that is named, in the order in which they are named, and below a name sorted.

    A name that exists is a file, whatever its characters. Raises `InputError` for a folder, a
    pattern or a list that names none.
    """
    return [path for source in sources for path in _files_of(str(source))]


def _files_of(source: str) -> list[str]:
    if source.startswith(LIST) and not Path(source).exists():
        files = [
            path
            for _, line in text_lines(source.removeprefix(LIST))
            if line.strip()
            for path in _files_of(line.strip())
        ]
    elif is_url(source):
        files = _matching_urls(source) if glob.has_magic(source) else _below_url(source)
    elif Path(source).is_dir():
        below = sorted(str(path) for path in Path(source).rglob("*") if path.is_file())
        files = [path for path in below if _is_data(path, source)]
    elif glob.has_magic(source) and not Path(source).exists():
        names = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - stars may stand in folders
        files = [name for name in names if Path(name).is_file() and _is_data(name, "")]
    else:
        return [source]
    if not files:
        raise InputError(
            "names no file that could be read.",
            path=source,
            remedy="Files whose names begin with . or _ are passed over.",
        )
    return files


def _below_url(url: str) -> list[str]:
    """The files of a folder; the URL itself where it is a file, or nothing that can be listed."""
    below = files_below(url)
    return [url] if below is None else sorted(path for path in below if _is_data(path, url))


def _matching_urls(url: str) -> list[str]:
    folder = re.split(r"[*?\[]", url, maxsplit=1)[0].rpartition("/")[0]
    depth = url.count("/")
    return sorted(
        path
        for path in files_below(folder) or []
        if fnmatchcase(path, url)
        and _is_data(path, folder)
        and ("**" in url or path.count("/") == depth)
    )


def _is_data(path: str, folder: str) -> bool:
    """Return whether the name below the folder is that of data: no part begins with . or _."""
    inside = path.removeprefix(folder) if folder else Path(path).name
    return not any(part.startswith((".", "_")) for part in inside.split("/"))
