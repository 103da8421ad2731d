"""Names for runs that nobody named."""

import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError
from .lines import open_text
from .packing import ENDINGS as PACKED

_ENDINGS = (".run", ".res", ".trec", ".txt", ".tsv", ".csv", ".json", ".jsonl", ".parquet", *PACKED)
#: Characters with a meaning in tables, lists and options.
_FORBIDDEN = re.compile(r"[\s:|=]+")
_TAG = 5


def run_name(path: str | Path) -> str:
    """The name of a run that nobody named: that of its file without the endings of runs.

    >>> run_name("runs/dl20.BM25.run.gz")
    'dl20.BM25'
    """
    name = Path(path).name
    while shorter := [name.removesuffix(end) for end in _ENDINGS if name[1:].endswith(end)]:
        [name] = shorter
    return _fit(name)


def run_tag(path: str | Path) -> str:
    """The sixth column of a run's first line, fit to be a name; "" where it has none."""
    try:
        with open_text(path) as stream:
            fields = stream.readline(1 << 16).decode("utf-8", "replace").split()
    except InputError:
        return ""
    return _fit(" ".join(fields[_TAG:]))


def _fit(name: str) -> str:
    seen = "".join(sign if sign.isprintable() else " " for sign in name)
    return _FORBIDDEN.sub("_", seen)


def told_apart(names: Iterable[str], tags: Iterable[str]) -> list[str]:
    """Each name; where several are the same, their tags, if these differ.

    >>> told_apart(["BM25", "output", "output"], ["a", "b", "c"])
    ['BM25', 'b', 'c']
    """
    names, tags = list(names), list(tags)
    shared = [tag if names.count(name) > 1 else "" for name, tag in zip(names, tags, strict=True)]
    return [
        tag if tag and shared.count(tag) == 1 else name
        for name, tag in zip(names, shared, strict=True)
    ]


def named_apart(files: Iterable[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """The runs, `told_apart`; a name that somebody gave stays."""
    files = list(files)
    tags = [run_tag(path) if name == run_name(path) else "" for name, path in files]
    names = told_apart((name for name, _ in files), tags)
    return [(name, path) for name, (_, path) in zip(names, files, strict=True)]
