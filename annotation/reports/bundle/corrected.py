"""The corrected figures of a batch of drawn queries, from the tables of a bundle alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.reports.bundle.study import ModelBundle, PoolBundle
from annotation.reports.bundle.tables import DecisionRow
from annotation.schemes import JOINED, Question, Scheme
from metrics.errors import InputError
from metrics.statistics.few_labels import Target
from metrics.statistics.model_beliefs import LabellingModel, ModelAnswer
from metrics.statistics.pool_figures import LabelledPool

NAME = "figures/corrected.json"
_TARGETS: tuple[Target, ...] = ("pool", "population")
_UNEQUAL = "unequal"
#: Of the estimator; it grows when intervals or corrected values change.
ESTIMATOR = 2
#: What every version of the estimator finds: of all, and of a row.
_SAME = ("pool", "n_pool", "n_labelled", "design", "seed", "models", "every_look")
_SAME_OF_ROW = ("target", "figure", "category", "run", "baseline", "people", "models", "n")


@dataclass(frozen=True)
class DecidedBatch:
    """The decisions of a batch, the name of its pool, and the model that its annotators saw."""

    pool: str
    suggested_by: str
    scheme: Scheme
    decisions: Sequence[DecisionRow]

    @property
    def question(self) -> Question:
        """The question that makes the subset, which the figures are about."""
        return self.scheme.subset_question


def corrected_figures(
    batch: DecidedBatch,
    pools: Mapping[str, PoolBundle],
    batches: Iterable[DecidedBatch],
    models: Sequence[ModelBundle],
) -> dict[str, Any] | None:
    """Return the figures that the site shows by default of `batch`, for JSON.

    Labels of all batches of the sample count, the latest first, except those that showed a model's
    labels. None where the pool was not drawn, or a drawn query has no label, or where the question
    of the subset takes several answers or ordered ones. `InputError` where the description of the
    sample is impossible.
    """
    if not batch.question.is_nominal:
        return None
    try:
        return _figures(batch, pools, batches, models)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"its sample cannot be read ({error}).", path=batch.pool) from None


def is_of_another_version(figures: Any) -> bool:
    """Return whether an earlier or later version of the estimator made them."""
    return isinstance(figures, dict) and figures.get("estimator", 1) != ESTIMATOR


def of_any_version(figures: Any) -> Any:
    """Keep what every version of the estimator finds: no intervals, and no corrected values."""
    rows = figures.get("rows") if isinstance(figures, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return figures
    kept = {name: figures.get(name) for name in _SAME}
    return kept | {"rows": [{name: row.get(name) for name in _SAME_OF_ROW} for row in rows]}


def of_kind(figures: Any, *, shares: bool) -> Any:
    """Keep the rows of shares alone, or all others; an object without rows stays as it is."""
    rows = figures.get("rows") if isinstance(figures, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return figures
    return {**figures, "rows": [row for row in rows if (row.get("figure") == "share") == shares]}


def _figures(
    about: DecidedBatch,
    pools: Mapping[str, PoolBundle],
    batches: Iterable[DecidedBatch],
    models: Sequence[ModelBundle],
) -> dict[str, Any] | None:
    terms = pools[about.pool].terms.get("sample") if about.pool in pools else None
    if not terms:
        return None
    parts, parent = _parts(about.pool, pools), pools[terms["parent"]]
    question = about.question
    subset = JOINED.join(about.scheme.subset.codes_of(question))
    drawn = {row.qid for part in parts for row in pools[part].queries}
    labels = {
        row.qid: row.decided
        for batch in batches
        if batch.pool in parts and not batch.suggested_by
        for row in batch.decisions
        if row.method and row.question == question.name and row.qid in drawn
    }
    if len(labels) < len(drawn):
        return None
    texts = {row.qid: row.query for row in sorted(parent.queries, key=lambda row: row.qid)}
    categories = {code: code.split(JOINED) for code in (*question.codes, subset)}
    pool = LabelledPool.of(
        texts, labels, [_model(model) for model in models if _answers(model, question)],
        categories, subset, strata=terms["strata"],
        chances=terms["chances"] if terms["design"] == _UNEQUAL else {},
    )  # fmt: skip
    biases = _biases(parent, texts)
    every_look = terms.get("half_width") is not None
    rows = [
        figure.row()
        for target in _TARGETS
        for figure in pool.figures(
            biases, baseline=min(biases, default=""), target=target, every_look=every_look
        )
    ]
    return {
        "pool": parent.name,
        "n_pool": len(texts),
        "n_labelled": len(labels),
        "design": terms["design"],
        "seed": terms["seed"],
        "models": list(pool.models),
        "every_look": every_look,
        "estimator": ESTIMATOR,
        "rows": rows,
    }


def _parts(pool: str, pools: Mapping[str, PoolBundle]) -> set[str]:
    """The sample and those that it continues."""
    parts: set[str] = set()
    name: str | None = pool
    while name and name not in parts:
        parts.add(name)
        name = pools[name].terms["sample"]["continues"]
    return parts


def _answers(model: ModelBundle, question: Question) -> bool:
    """Return whether the model answers this question, with the options that it has."""
    answered = (model.terms.get("question"), model.terms.get("options"))
    return answered == (question.name, list(question.codes))


def _model(model: ModelBundle) -> LabellingModel:
    answers = (ModelAnswer(row.qid, row.category or None, row.belief) for row in model.labels)
    terms, n_options = model.terms, len(model.terms["options"])
    prompt = str(terms["prompt"])
    return LabellingModel(model.name, str(terms["category"]), prompt, answers, n_options)


def _biases(parent: PoolBundle, qids: Iterable[str]) -> dict[str, Any]:
    """The bias of each query in each run; NaN where it is undefined."""
    known = parent.terms.get("biases") or {}
    runs = sorted({run for of_query in known.values() for run in of_query})
    return {
        run: np.array([float(known.get(qid, {}).get(run, np.nan)) for qid in qids]) for run in runs
    }
