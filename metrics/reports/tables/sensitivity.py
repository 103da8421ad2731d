"""Sensitivity of the bias to word list, tokenizer, broken encodings and magnitude."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...results.evaluation import requests_of
from ...results.scored_runs import ScoredRuns, score_runs
from ...statistics.correlations import correlation
from ...statistics.ordering import comparable
from ...texts.magnitude_store import Magnitudes
from ...vocabulary import MAGNITUDE_NAMES
from ..formats.layout import Column, Table
from ..results import Results, magnitude_title

_MEASURES = ("RaB", "ARaB")


@dataclass(frozen=True)
class BiasUnder:
    """A measure of all models under one way of scoring and one magnitude.

    `kendall` and `n_turned` compare it with the report's own scores and first magnitude.
    """

    measure: str
    cutoff: int
    with_lexicon: str
    with_tokenizer: str
    with_repair: str
    magnitude: str
    least: float | None
    greatest: float | None
    kendall: float | None
    n_turned: int


def check_same_collection(scores: Magnitudes, others: Sequence[Magnitudes]) -> None:
    """`InputError` where one of the others was scored from another collection."""
    for other in others:
        if other.metadata.collection_digest != scores.metadata.collection_digest:
            raise InputError(
                "the scores are of another collection.",
                path=other.path,
                remedy="Choose scores of the collection that the other scores are made from.",
            )


def score_in_ways(
    paths: Mapping[str, Path],
    scores: Magnitudes,
    others: Sequence[Magnitudes],
    cutoff: int,
    **rules: Any,
) -> list[ScoredRuns]:
    """RaB and ARaB under every magnitude by these scores and each of the others.

    Nothing without others. `rules` are queries, order, missing and population of `score_runs`.
    """
    check_same_collection(scores, others)
    requests = requests_of(_MEASURES, MAGNITUDE_NAMES, (cutoff,))
    ways = (scores, *others) if others else ()
    return [score_runs(paths, way, requests, **rules) for way in ways]


def sensitivity_of(ways: Sequence[ScoredRuns]) -> list[BiasUnder]:
    """The bias of the runs, scored in several ways, beside the first way and magnitude."""
    results = [(Results(way.results, {}), way.provenance["magnitudes"]) for way in ways]
    rows = []
    for measure in _MEASURES if ways else ():
        own = results[0][0]
        cutoff = own.cutoffs[0]
        first = _values(own, measure, own.magnitudes[0], cutoff)
        for way, source in results:
            for magnitude in way.magnitudes:
                values = _values(way, measure, magnitude, cutoff)
                known = values[~np.isnan(values)]
                signs = np.sign(comparable(first)) * np.sign(comparable(values))
                rows.append(
                    BiasUnder(
                        measure=measure,
                        cutoff=cutoff,
                        with_lexicon=str(source["lexicon_name"]),
                        with_tokenizer=str(source["tokenizer"]),
                        with_repair=str(source.get("repair") or "none"),
                        magnitude=magnitude_title(magnitude),
                        least=float(known.min()) if len(known) else None,
                        greatest=float(known.max()) if len(known) else None,
                        kendall=correlation(first, values, tested=False).kendall,
                        n_turned=int((signs < 0).sum()),
                    )
                )
    return rows


def _values(results: Results, measure: str, magnitude: str, cutoff: int) -> NDArray[np.float64]:
    values = [results.value(run, measure, cutoff, magnitude) for run in results.runs]
    return np.array(values, dtype=np.float64)


def sensitivity_table(rows: Sequence[BiasUnder], notes: Sequence[str]) -> Table:
    """One row for each measure, way of scoring and magnitude."""
    is_repaired = any(row.with_repair != "none" for row in rows)
    return Table(
        name="sensitivity",
        title=f"Word list, tokenizer and magnitude at cut-off {rows[0].cutoff}.",
        columns=[
            Column("measure", "Measure"),
            Column("with_lexicon", "Word list"),
            Column("with_tokenizer", "Tokenizer"),
            *([Column("with_repair", "Repair")] if is_repaired else []),
            Column("magnitude", "Magnitude"),
            Column("least", "least", "Over models"),
            Column("greatest", "greatest", "Over models"),
            Column("kendall", "τ", "Beside the first row"),
            Column("n_turned", "turned", "Beside the first row"),
        ],
        rows=[vars(row) for row in rows],
        detail=True,
        notes=[
            (
                "τ: Kendall's tau-b between the values of the models, 1 where both rows order them "
                "alike. Turned: models whose value has the other sign."
            ),
            *(["Repair: what repaired broken encodings in the texts."] if is_repaired else []),
            *notes,
        ],
        block="measure",
    )
