"""Names of runs that are short enough for a column of a paper."""

import re
from collections.abc import Sequence
from itertools import takewhile

_LONGEST = 14
_SHORTEST = 3
_PART = re.compile(r"[_\-. ]+")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """A name of at most 14 signs for each run, no two the same.

    A long name is cut where one of its parts ends, as long as no other name begins so too; else its
    middle is left out. Names that stay alike all the same are kept whole.

    >>> short_names(["BM25", "SPLADE_P_P_ENSEMBLE_DISTIL"])
    {'BM25': 'BM25', 'SPLADE_P_P_ENSEMBLE_DISTIL': 'SPLADE_P_P'}
    >>> list(short_names(["REP_LLAMA_STEP_100", "REP_LLAMA_STEP_200"]).values())
    ['REP_LL…EP_100', 'REP_LL…EP_200']
    """
    chosen: dict[str, str] = {name: name for name in names if len(name) <= _LONGEST}
    for name in names:
        if name not in chosen:
            taken = set(chosen.values()) | set(names)
            others = [other for other in names if other != name]
            chosen[name] = next((cut for cut in _cuts(name, others) if cut not in taken), name)
    return {name: chosen[name] for name in names}


def common_beginning(names: Sequence[str]) -> str:
    """Return the common beginning of names, up to the end of a part; empty where there is none.

    >>> common_beginning(["dl20.BM25", "dl20.BERT"]), common_beginning(["BM25", "BERT"])
    ('dl20.', '')
    """
    # The whole name of a run is not a beginning, though other names go on from there.
    shared = _shared([name[:-1] for name in names]) if len(set(names)) > 1 else ""
    ends = [match.end() for match in _PART.finditer(shared)]
    return shared[: ends[-1]] if ends and ends[-1] >= _SHORTEST else ""


def _shared(names: Sequence[str]) -> str:
    columns = takewhile(lambda signs: len(set(signs)) == 1, zip(*names, strict=False))
    return "".join(signs[0] for signs in columns)


def _cuts(name: str, others: Sequence[str]) -> list[str]:
    """Beginnings that no other name has, the longest whole parts first; then both ends."""
    ends = [match.start() for match in _PART.finditer(name)]
    whole = [name[:end] for end in reversed(ends) if _SHORTEST <= end <= _LONGEST]
    alone = [cut for cut in whole if not any(other.startswith(cut) for other in others)]
    return [*alone, f"{name[:6]}…{name[-6:]}", f"{name[: _LONGEST - 1]}…"]
