"""Shares, means and differences of a pool from few labels or values of people, as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..measures import get
from ..statistics.few_labels import Sample, labels_needed, mean, withheld
from ..statistics.model_beliefs import LabellingModel, mean_beliefs
from ..statistics.plausible import Likeness, chance_of_sample, likeness, sample_text
from ..statistics.pool_figures import (
    Kind,
    PoolFigure,
    category_samples,
    pool_figure,
    pool_figures,
)
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
            f"no model says anything of {len(outside):,} of {len(labels):,} labelled queries, as "
            f"{outside[0]!r}.",
            remedy="Give the models' labels of the whole pool.",
        )
    design = terms.design or Design()
    of_design = {
        name: dict(zip(qids, of_queries or (), strict=False))
        for name, of_queries in design.of_queries(qids).items()
    }
    samples = category_samples(
        {code: mean_beliefs(models, code, qids).by_query for code in CATEGORIES},
        labels,
        strata=of_design["strata"],
        chances=of_design["chances"],
    )
    target = terms.target or "pool"
    known_of_all = [sample.belief for sample in samples.values()]
    known_of_all += [_of_pool(of_run, qids) for of in values.values() for of_run in of.values()]
    remark, why = _doubts(samples[category], known_of_all, _said(labels, models))
    views: list[tuple[View | None, Mapping[str, _OfRun]]] = [(None, {}), *values.items()]
    for view, of_runs in views:
        _check_baseline(terms.baseline, of_runs)
        biases = {run: _of_pool(of_run, qids) for run, of_run in of_runs.items()}
        figures = pool_figures(
            samples,
            biases,
            category=category,
            baseline=terms.baseline or min(biases, default=""),
            has_models=True,
            target=target,
            every_look=terms.every_look,
        )
        for figure in figures:
            is_new = (figure.kind == "share") == (view is None)
            if is_new and (terms.baseline or figure.kind != "difference"):
                yield _row(_without(figure, why), view, terms, len(qids)) | {"remark": remark}


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
            remark, why = _doubts(sample, [sample.belief], alike)
            figure = _without(_figure(sample, run, other, terms, view), why)
            yield _row(figure, view, terms, len(f)) | {"remark": remark}


def _doubts(sample: Sample, known_of_all: Sequence[ArrayLike], alike: Likeness) -> tuple[str, str]:
    """Doubts about figures, and the reason to give none of both together; "" for none."""
    texts = [sample_text(chance_of_sample(sample, known_of_all)), alike.text]
    why = ""
    if alike.is_copied:
        why = "people's labels are the model's own: all are equal."
    elif sample.n == sample.pool:
        why = "the model says nothing of a query that people did not label."
    return " ".join(filter(None, texts)), why


def _said(labels: Mapping[str, str], models: Sequence[LabellingModel]) -> Likeness:
    """Compare people's labels with those of the model that is most like them."""
    each = [
        likeness(
            (labels[a.qid], a.category) for a in model.answers if a.category and a.qid in labels
        )
        for model in models
    ]
    return min(each, key=lambda like: like.chance, default=likeness([]))


def _without(figure: PoolFigure, why: str) -> PoolFigure:
    if not why or figure.corrected is None:
        return figure
    return replace(figure, corrected=withheld(figure.corrected, why))


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
    alone, both = (
        mean(sample, weight=weight, target=target, level=level, is_bounded=is_bounded)
        for weight in (0.0, None)
    )
    kind: Kind = "difference" if other else "mean"
    return pool_figure(kind, "", alone, both, sample.pool, run, other)


def _reads_judgments(measure: str) -> bool:
    """Return whether it is a measure that is bounded by the best grade; others may be of tf."""
    try:
        needs = get(measure).needs
    except InputError:
        return False
    return not {"qrels", "passages"}.isdisjoint(needs) and "magnitudes" not in needs


def _row(figure: PoolFigure, view: View | None, terms: Terms, pool: int) -> Row:
    needed, both = None, figure.corrected
    is_simple = terms.design is not None and terms.design.is_simple
    is_given = both is not None and both.low is not None and both.n < pool
    if terms.half_width and is_simple and is_given and both is not None:
        needed = labels_needed(both, terms.half_width, pool)
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
            f"the values have no run {baseline!r}.", remedy=f"There is: {', '.join(of_runs)}."
        )
