"""Shares, means and differences of a pool from few labels or values of people, as rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures import get
from ..statistics.few_labels import Sample, mean
from ..statistics.model_beliefs import LabellingModel
from ..statistics.plausible import doubts, likeness, why_not_both
from ..statistics.pool_figures import Kind, LabelledPool, PoolFigure
from ..vocabulary import CATEGORIES
from .designs import Design
from .judgments import Terms
from .value_files import Values, View, view_text

Row = dict[str, Any]
COLUMNS = (
    "figure",
    "target",
    "category",
    "measure",
    "run",
    "baseline",
    "people",
    "people_low",
    "people_high",
    "models",
    "corrected",
    "corrected_low",
    "corrected_high",
    "models_off_by",
    "n",
    "effective_n",
    "weight",
    "labels_needed",
    "withheld",
    "remark",
)
_NAN = float("nan")
_OfRun = Mapping[str, float]


def rows_of_labels(
    labels: Mapping[str, str],
    models: Sequence[LabellingModel],
    values: Values,
    terms: Terms,
    *,
    category: str,
) -> Iterator[Row]:
    """Rows of `COLUMNS`: the share of each category, then, of each measure, means and differences.

    `labels`: by query of the sample, what people say. The pool is all that the models answered
    about. The means of `values` are over the queries of `category`. Intervals are those of the pool
    unless the terms name another target. `remark` says what makes the labels or the sample
    doubtful; where labels are copies of a model's, or no others have one, no interval is given of
    both together.
    """
    qids = sorted({answer.qid for model in models for answer in model.answers})
    known = set(qids)
    if outside := sorted(set(labels) - known):
        raise InputError(
            f"{len(outside):,} of {len(labels):,} labelled queries have no label of a model, "
            f"such as {outside[0]!r}.",
            remedy="Give the models' labels of the whole pool.",
        )
    design = terms.design or Design()
    design.of_queries(qids)
    pool = LabelledPool.of(
        dict.fromkeys(qids, ""), labels, models, {code: (code,) for code in CATEGORIES}, category,
        strata=design.strata, chances=design.chances,
    )  # fmt: skip
    biases = {
        view: {run: _of_pool(of_run, qids) for run, of_run in of_runs.items()}
        for view, of_runs in values.items()
    }
    remark = " ".join(pool.doubts(bias for of_runs in biases.values() for bias in of_runs.values()))
    views: list[tuple[View | None, Mapping[str, NDArray[np.float64]]]] = [(None, {})]
    for view, of_runs in [*views, *biases.items()]:
        _check_baseline(terms.baseline, of_runs)
        figures = pool.figures(
            of_runs,
            baseline=terms.baseline if of_runs else "",
            target=terms.target or "pool",
            every_look=terms.every_look,
        )
        for figure in figures:
            if (figure.kind == "share") == (view is None):
                yield _row(figure, view, terms, len(qids)) | {"remark": remark}


def rows_of_values(people: Values, model: Values, terms: Terms) -> Iterator[Row]:
    """Rows of `COLUMNS`: of each measure the mean of each run, and its difference to the baseline.

    Intervals are of all queries like those of the pool unless the terms name another target.
    `people`: by their judgments, of the queries of the sample; `model`: by a model's, of the pool.
    """
    for view, of_people in people.items():
        of_model = model.get(view, {})
        if missing := [run for run in of_people if run not in of_model]:
            raise InputError(
                f"the model's values have no {view_text(view)} of {missing[0]}.",
                remedy="Measure the same runs by both judgments.",
            )
        _check_baseline(terms.baseline, of_people)
        pairs = [(run, "") for run in of_people]
        if terms.baseline:
            pairs += [(run, terms.baseline) for run in of_people if run != terms.baseline]
        for run, other in pairs:
            z, f = _known(of_people, run, other), _known(of_model, run, other)
            sample = _sample(z, f, run, terms)
            alike = likeness((value, f[qid]) for qid, value in z.items())
            figure = _figure(sample, run, other, terms, view)
            if why := why_not_both(alike, sample.n, sample.pool):
                figure = figure.without_both(why)
            remark = " ".join(doubts(sample, [sample.belief], alike))
            yield _row(figure, view, terms, len(f)) | {"remark": remark}


def _of_pool(of_run: _OfRun, qids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([of_run.get(qid, _NAN) for qid in qids])


def _sample(z: _OfRun, f: _OfRun, run: str, terms: Terms) -> Sample:
    if outside := [qid for qid in z if qid not in f]:
        raise InputError(
            f"the model's values of {run} lack {len(outside):,} of {len(z):,} queries that people "
            f"judged, as {outside[0]!r}.",
            remedy="Let the model judge them, or leave them out of people's.",
        )
    places = {qid: place for place, qid in enumerate(f)}
    of_design = (terms.design or Design()).of_queries(list(f))
    return Sample.of([*f.values()], [places[qid] for qid in z], [*z.values()], **of_design)


def _figure(sample: Sample, run: str, other: str, terms: Terms, view: View) -> PoolFigure:
    target = terms.target or "population"
    level = terms.level_with(sample.n, sample.pool, target)
    is_bounded = _reads_judgments(view[0])
    both = mean(sample, target=target, level=level, is_bounded=is_bounded)
    kind: Kind = "difference" if other else "mean"
    return PoolFigure.of(kind, both, sample.pool, run=run, other=other)


def _reads_judgments(measure: str) -> bool:
    """Return whether it is a measure that is bounded by the best grade; others may be of tf."""
    try:
        needs = get(measure).needs
    except InputError:
        return False
    return not {"qrels", "passages"}.isdisjoint(needs) and "magnitudes" not in needs


def _row(figure: PoolFigure, view: View | None, terms: Terms, pool: int) -> Row:
    needed = figure.corrected and terms.labels_needed(figure.corrected, pool)
    measure = "" if view is None else view_text(view)
    return figure.row() | {"measure": measure, "labels_needed": needed}


def _known(of_runs: Mapping[str, _OfRun], run: str, other: str) -> dict[str, float]:
    """The values of a run, or its differences to another, where they are defined."""
    values = dict(of_runs[run])
    if other:
        values = {qid: value - of_runs[other].get(qid, _NAN) for qid, value in values.items()}
    return {qid: value for qid, value in values.items() if not np.isnan(value)}


def _check_baseline(baseline: str, of_runs: Mapping[str, Any]) -> None:
    if baseline and of_runs and baseline not in of_runs:
        raise InputError(
            f"the values have no run {baseline!r}.", remedy=f"Runs are {', '.join(of_runs)}."
        )
