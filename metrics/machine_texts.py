"""Source bias for notebooks: runs over texts of people and of language models, data frames out."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .api import evaluate
from .errors import InputError
from .extras import need
from .public import public
from .results.source_bias import (
    COLUMNS,
    NUMBERS,
    Sources,
    by_label,
    by_rule,
    of_source,
    source_rows,
)
from .runs import Run
from .runs.qrels import Qrels
from .sources import qrels_of, runs_of
from .texts.labels import labels_of, read_labels
from .vocabulary import LEVEL, Order

if TYPE_CHECKING:
    import pandas as pd

_PAIR = 2
#: Whose documents come first in a difference where nobody says so.
_PEOPLE = frozenset({"human", "people", "person"})


@public
def source_bias(
    runs: Any,
    qrels: Any,
    sources: Any,
    *,
    pair: tuple[str, str] | None = None,
    copy_of: Mapping[str, str] | None = None,
    cutoffs: int | Iterable[int] = (1, 3, 5, 10),
    scores: Any = None,
    order: Order = "default",
    level: float = LEVEL,
) -> "pd.DataFrame":
    r"""Measure whether rankers prefer what one source wrote: a data frame, one row per value.

    `runs` and `qrels` are as `evaluate` takes them; the runs rank the copies of all sources
    together, and the qrels judge documents by their own ids or by those of what they are copies of.
    `sources` is a pattern of ids that names `source` and `document`, such as
    `(?P<document>.+)-(?P<source>human|llm)`; a file or a frame of labels, `docno,group`; or
    `{docno: source}`, for twins with `copy_of`, `{docno: document}`. `pair` are the two sources
    that are compared; without it the labels must have two: `human` first, else as sorted.

    Rows, by `measure`: *SourceDelta*, the relative difference in percent of nDCG by the first
    source's copies alone and by the second's, above 0 where the first is preferred; *SourceShare*,
    the share of the first source among the first documents; *SourceTwins*, how often of a relevant
    document the first source's copy stands first. With `scores` (as `evaluate` takes them) *RaB*
    within each source follows. `low` and `high` are an interval over queries, none below 30 of
    them (`withheld`). Raises `InputError` where no source is known or nothing is judged.
    """
    compared = sources_of(sources, pair, copy_of)
    ranks = (cutoffs,) if isinstance(cutoffs, int) else tuple(cutoffs)
    rows = rows_of_sources(
        runs_of(runs, order), qrels_of(qrels), compared, ranks, scores=scores, level=level
    )
    frame: pd.DataFrame = need("pandas").DataFrame(rows, columns=COLUMNS)
    # A column of None alone would not be numeric.
    return frame.astype(dict.fromkeys(NUMBERS, float))


def rows_of_sources(
    runs: Iterable[Run],
    qrels: Qrels,
    sources: Sources,
    cutoffs: Sequence[int],
    *,
    scores: Any = None,
    level: float = LEVEL,
) -> list[dict[str, object]]:
    """The rows of `source_bias` as dictionaries by `COLUMNS`."""
    rows: list[dict[str, object]] = []
    for run in runs:
        rows += source_rows(run, qrels, sources, cutoffs, level)
        for source in sources.pair if scores is not None else ():
            bias = evaluate(of_source(run, source, sources), "RaB", scores, cutoffs=cutoffs)
            for row in bias[["cutoff", "value", "n_queries"]].to_dict("records"):
                named = {"run": run.name, "measure": "RaB", "sources": source, "withheld": ""}
                rows.append(
                    {**dict.fromkeys(COLUMNS), **named, **{str(n): v for n, v in row.items()}}
                )
    return rows


def sources_of(
    sources: Any, pair: tuple[str, str] | None, copy_of: Mapping[str, str] | None = None
) -> Sources:
    """The sources of documents by a pattern, a file, a frame or a mapping."""
    if isinstance(sources, str) and "(?P<" in sources:
        return by_rule(sources, pair or _named_in(sources))
    labels = read_labels(sources) if isinstance(sources, str | Path) else labels_of(sources)
    names = labels.names
    if pair is None:
        if len(names) != _PAIR:
            raise InputError(
                f"the labels have {len(names)} sources.", remedy="Name the two sources to compare."
            )
        pair = (names[1], names[0]) if names[1] in _PEOPLE else (names[0], names[1])
    if unknown := [name for name in pair if name not in names]:
        raise InputError(
            f"no document is of the source {unknown[0]!r}.",
            remedy=f"Sources are {', '.join(names)}.",
        )
    largest = np.argmax(labels.values, axis=1)
    source_of = {docno: names[largest[row]] for docno, row in labels.row_of.items()}
    return by_label(source_of, pair, copy_of)


def _named_in(pattern: str) -> tuple[str, str]:
    """The two sources that a pattern names: `(?P<source>human|llm)`."""
    named = pattern.partition("(?P<source>")[2].partition(")")[0].split("|")
    if len(named) != _PAIR or not all(name.isidentifier() for name in named):
        raise InputError(
            "the pattern does not name two sources.",
            remedy="Write (?P<source>human|llm), or name the two sources to compare.",
        )
    return named[0], named[1]
