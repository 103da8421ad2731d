"""Names of runs that are short enough for a column of a paper."""

import re
from collections.abc import Sequence

_LONGEST = 14
_SHORTEST = 3
_PART = re.compile(r"[_\-. ]+")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """A name of at most 14 signs for each run, no two the same.

    A long name is cut where one of its parts ends, or, where that would name two runs, anywhere.
    Names that stay alike all the same are kept whole.

    >>> short_names(["BM25", "SPLADE_P_P_ENSEMBLE_DISTIL"])
    {'BM25': 'BM25', 'SPLADE_P_P_ENSEMBLE_DISTIL': 'SPLADE_P_P'}
    """
    chosen: dict[str, str] = {name: name for name in names if len(name) <= _LONGEST}
    for name in names:
        if name not in chosen:
            taken = set(chosen.values()) | set(names)
            chosen[name] = next((cut for cut in _cuts(name) if cut not in taken), name)
    return {name: chosen[name] for name in names}


def _cuts(name: str) -> list[str]:
    """Beginnings of the name, the longest that ends with a part first."""
    ends = [match.start() for match in _PART.finditer(name)]
    whole = [name[:end] for end in reversed(ends) if _SHORTEST <= end <= _LONGEST]
    return [*whole, f"{name[: _LONGEST - 1]}…", f"{name[:6]}…{name[-6:]}"]
