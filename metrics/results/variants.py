"""ComSRB of runs: overlap of each neutral query's list with the lists of its two variants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io.csv_tables import rows_of
from ..measures.comsrb import comsrb
from ..runs import Run
from ..statistics.significance import effect_size, paired_t_test

MEASURES = ("ComSRB-RaB", "ComSRB-ARaB", "ComSRB-nDRaB")
COLUMNS = (
    "run",
    "topic",
    "measure",
    "cutoff",
    "value",
    "n_queries",
    "n_queries_missing",
    "t",
    "t_p",
    "effect",
)
PER_QUERY_COLUMNS = ("run", "qid", "topic", "measure", "cutoff", "value")
#: The row of a table that is over the queries of all topics.
ALL_TOPICS = "all"

_VARIANTS = ("neutral", "stereotypical", "counter")
_SHAPE = (
    "Write neutral,stereotypical,counter or neutral,stereotypical,counter,topic, ids of queries."
)


@dataclass(frozen=True)
class Variants:
    """The ids of a neutral query, its stereotypical and its counter-stereotypical variant."""

    neutral: str
    stereotypical: str
    counter: str
    topic: str = ""


def read_variants(path: str | Path) -> list[Variants]:
    """Lines `neutral,stereotypical,counter[,topic]`; a first line of these names is a header.

    Raises `InputError` with file and line for a line of another shape and a neutral query that
    comes twice.
    """
    variants: dict[str, Variants] = {}
    for place, (number, row) in enumerate(rows_of(path, _SHAPE)):
        if place == 0 and tuple(row[:3]) == _VARIANTS:
            continue
        if len(row) not in (3, 4) or not all(row) or len(set(row[:3])) != len(_VARIANTS):
            raise InputError("does not name three queries.", path=path, line=number, remedy=_SHAPE)
        if row[-1] == ALL_TOPICS and len(row) > len(_VARIANTS):
            raise InputError("a topic cannot be named all.", path=path, line=number)
        if row[0] in variants:
            raise InputError(f"repeats the query {row[0]!r}.", path=path, line=number)
        variants[row[0]] = Variants(*row)
    if not variants:
        raise InputError("has no queries.", path=path, remedy=_SHAPE)
    return list(variants.values())


def variants_by_suffix(qids: Sequence[str], suffixes: Sequence[str]) -> list[Variants]:
    """Return the queries with all three variants, identified by the ends of their ids."""
    neutral, stereotypical, counter = suffixes
    known = set(qids)
    stems = [qid.removesuffix(neutral) for qid in sorted(known) if qid.endswith(neutral)]
    return [
        Variants(stem + neutral, stem + stereotypical, stem + counter)
        for stem in stems
        if stem and {stem + stereotypical, stem + counter} <= known
    ]


@dataclass(frozen=True, eq=False)
class RunVariants:
    """ComSRB of one run at one cut-off: `values[i]` (three measures) belongs to `queries[i]`.

    NaN where one of the three queries has no document.
    """

    run: str
    cutoff: int
    queries: Sequence[Variants]
    values: NDArray[np.float64]

    def rows(self) -> list[dict[str, object]]:
        """Rows of `COLUMNS`: over all queries, then topic by topic where there are topics."""
        topics = list(dict.fromkeys(query.topic for query in self.queries if query.topic))
        places = {ALL_TOPICS: list(range(len(self.queries)))}
        places |= {
            topic: [i for i, query in enumerate(self.queries) if query.topic == topic]
            for topic in topics
        }
        return [
            {
                "run": self.run,
                "topic": topic,
                "measure": name,
                "cutoff": self.cutoff,
                **_summary(self.values[chosen, measure]),
            }
            for topic, chosen in places.items()
            for measure, name in enumerate(MEASURES)
        ]

    def per_query(self) -> list[dict[str, object]]:
        """Rows of `PER_QUERY_COLUMNS`."""
        return [
            {
                "run": self.run,
                "qid": query.neutral,
                "topic": query.topic,
                "measure": name,
                "cutoff": self.cutoff,
                "value": None if np.isnan(value) else float(value),
            }
            for query, values in zip(self.queries, self.values, strict=True)
            for name, value in zip(MEASURES, values, strict=True)
        ]


def _summary(values: NDArray[np.float64]) -> Mapping[str, object]:
    """Return the mean, and its test against 0.

    The t-test of the values against 0 is the paired one of the two variants' overlaps; the effect
    is Cohen's d of these differences, with n - 1 in the standard deviation.
    """
    known = values[~np.isnan(values)]
    test = paired_t_test(known, np.zeros(len(known)))
    return {
        "value": float(known.mean()) if len(known) else None,
        "n_queries": len(known),
        "n_queries_missing": len(values) - len(known),
        "t": test and test[0],
        "t_p": test and test[1],
        "effect": effect_size(known, np.zeros(len(known))),
    }


def compare_variants(run: Run, queries: Sequence[Variants], cutoff: int) -> RunVariants:
    """ComSRB of every query at a cut-off."""
    values = np.full((len(queries), len(MEASURES)), np.nan)
    for place, query in enumerate(queries):
        neutral = run.documents(query.neutral)
        variants = run.documents(query.stereotypical), run.documents(query.counter)
        if neutral and all(variants):
            values[place] = comsrb(neutral, *variants, cutoff)
    return RunVariants(run.name, cutoff, queries, values)
