"""The figures of a pool: by people alone, by models alone, and corrected, beside each other."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..vocabulary import LEVEL
from .few_labels import (
    LEAST_OF_EACH,
    Figure,
    Sample,
    Target,
    mean_of_subset,
    share,
    share_by_strata,
    without_strata,
    worth,
)
from .figure import too_few_of_each, withheld
from .looks import level_at_every_look
from .model_beliefs import Beliefs, LabellingModel, mean_beliefs, queries_in
from .plausible import Likeness, doubts, likeness, why_not_both
from .shares import can_be_stratified

Array = NDArray[np.float64]
Kind = Literal["share", "mean", "difference"]


@dataclass(frozen=True)
class PoolFigure:
    """A share of the pool, or the mean bias of its queries of a category, of a run or between two.

    `people`: from their labels alone; its `naive` is the figure by the models alone. `corrected`:
    from both, its `effective_n` by the widths of both; None where no model labelled anything. `run`
    and `other` are the systems: of a difference it is the bias of `run` minus that of `other`.
    """

    kind: Kind
    category: str
    people: Figure
    corrected: Figure | None
    run: str = ""
    other: str = ""

    @classmethod
    def of(cls, kind: Kind, both: Figure, pool: int, **names: str) -> "PoolFigure":
        """The figure `both` with that of people alone, which it has beside it."""
        people = both.people or both
        gain = worth(people, both, pool)
        corrected = replace(both, effective_n=gain * people.n) if gain else both
        return cls(kind, people=people, corrected=corrected, **{"category": "", **names})

    def without_both(self, why: str) -> "PoolFigure":
        """The figure without an interval from people and models together, and why."""
        return replace(self, corrected=self.corrected and withheld(self.corrected, why))

    @property
    def best(self) -> Figure:
        """The corrected figure where it has an interval, else that of people."""
        both = self.corrected
        return self.people if both is None or both.low is None else both

    @property
    def naive(self) -> float | None:
        """The figure by the models alone; None without models, or where it is undefined."""
        known = self.corrected is not None and np.isfinite(self.people.naive)
        return self.people.naive if known else None

    @property
    def naive_error(self) -> float | None:
        """Error of the models alone, estimated from the labels."""
        if self.naive is None or self.corrected is None:
            return None
        return self.naive - self.corrected.value

    def row(self) -> dict[str, Any]:
        """Its members for a table; what is undefined or withheld is None."""
        both = self.corrected
        return {
            "figure": self.kind,
            "target": self.people.target,
            "category": self.category,
            "run": self.run,
            "baseline": self.other,
            **_columns("people", self.people),
            "models": self.naive,
            **_columns("corrected", both),
            "models_off_by": self.naive_error,
            "n": self.people.n,
            "effective_n": _finite(both.effective_n if both else None),
            "weight": _finite(both.weight if both else None),
            "withheld": (both or self.people).withheld,
        }


@dataclass(frozen=True, eq=False)
class LabelledPool:
    """A pool of queries that models labelled, and the random sample of it that people did.

    `labels`: by query of the sample, what people say. `categories`: the options that make each one.
    `category`: the one that means are over. `beliefs`: by category, those of the models in each
    query of the pool, in its order. `strata`, `chances`: of each query of the pool, empty where the
    design has none. `alike`: labels of people and of the models beside each other.
    """

    labels: Mapping[str, str]
    categories: Mapping[str, Sequence[str]]
    category: str
    beliefs: Mapping[str, Beliefs]
    strata: Mapping[str, Any]
    chances: Mapping[str, float]
    alike: Likeness

    @classmethod
    def of(
        cls,
        texts: Mapping[str, str],
        labels: Mapping[str, str],
        models: Iterable[LabellingModel],
        categories: Mapping[str, Sequence[str]],
        category: str,
        *,
        strata: Mapping[str, Any] | None = None,
        chances: Mapping[str, float] | None = None,
    ) -> "LabelledPool":
        """The pool of `texts`, by query; an empty one is not looked for in prompts."""
        read = [replace(model, answers=tuple(model.answers)) for model in models]
        beliefs = {
            name: mean_beliefs(read, codes, texts, texts) for name, codes in categories.items()
        }
        alike = _alike(
            texts, labels, read, {c: b for c, b in beliefs.items() if c in categories[c]}
        )
        return cls(labels, categories, category, beliefs, strata or {}, chances or {}, alike)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that have a belief about the category of the means."""
        return self.beliefs[self.category].models

    @cached_property
    def samples(self) -> dict[str, Sample]:
        """Of each category the labelled queries, of the pool that they were drawn from."""
        qids = list(self.beliefs[self.category].by_query)
        rows = [row for row, qid in enumerate(qids) if qid in self.labels]
        design = {
            name: [of[qid] for qid in qids]
            for name, of in (("strata", self.strata), ("chances", self.chances))
            if of
        }
        return {
            category: Sample.of(
                list(self.beliefs[category].by_query.values()),
                rows,
                [self.labels[qids[row]] in codes for row in rows],
                **design,
            )
            for category, codes in self.categories.items()
        }

    def doubts(self, biases: Iterable[ArrayLike]) -> list[str]:
        """Return what makes the sample, or its labels, doubtful."""
        known = [sample.belief for sample in self.samples.values()]
        return doubts(self.samples[self.category], [*known, *biases], self.alike)

    def figures(
        self,
        biases: Mapping[str, Array],
        *,
        baseline: str,
        target: Target = "pool",
        every_look: bool = False,
    ) -> Iterator[PoolFigure]:
        """`pool_figures`, without those of both together where the labels do not allow any."""
        sample = self.samples[self.category]
        why = why_not_both(self.alike, sample.n, sample.pool)
        figures = pool_figures(
            self.samples, biases, category=self.category, baseline=baseline,
            has_models=bool(self.models), target=target, every_look=every_look,
        )  # fmt: skip
        for figure in figures:
            yield figure.without_both(why) if why else figure


def _alike(
    texts: Mapping[str, str],
    labels: Mapping[str, str],
    models: Sequence[LabellingModel],
    beliefs: Mapping[str, Beliefs],
) -> Likeness:
    """People's labels beside those of the model, or of all models together, that is most like them.

    Together they say what they believe in most.
    """
    pairs = []
    for model in models:
        telling = labels.keys() - queries_in(model.prompt, texts)
        pairs.append([(labels[a.qid], a.category) for a in model.answers if a.qid in telling])
    if models:
        believed = {
            qid: max(beliefs, key=lambda category: beliefs[category].by_query[qid])
            for qid in labels.keys() & texts.keys()
        }
        pairs.append([(labels[qid], code) for qid, code in believed.items()])
    each = [likeness((a, b) for a, b in of if a in beliefs and b is not None) for of in pairs]
    return min(each, key=lambda like: like.chance, default=likeness([]))


def pool_figures(
    samples: Mapping[str, Sample],
    biases: Mapping[str, Array],
    *,
    category: str,
    baseline: str,
    has_models: bool,
    target: Target = "pool",
    level: float = LEVEL,
    every_look: bool = False,
) -> Iterator[PoolFigure]:
    """The share of each category, the mean bias of each run, and differences of runs.

    `samples`: of each category, the same queries with what people and models say of that category.
    `biases` (M): of each run, NaN where undefined; such queries are left out of its means. The
    means are over the queries of `category`; differences are those of each run to the `baseline`,
    "" for none. Intervals hold for one look, or at `every_look` at ever more labels; then the
    figures carry the level of each by itself. People alone know no strata of a model's belief:
    their figures are those of a sample by the chances that these strata gave.
    """
    if every_look:
        sample = samples[category]
        pool = sample.pool if target == "pool" else math.inf
        level = level_at_every_look(sample.n, pool, level=level)

    def figure(kind: Kind, both: Figure, **names: str) -> PoolFigure:
        whole = PoolFigure.of(kind, both, samples[category].pool, **names)
        return whole if has_models else replace(whole, corrected=None)

    for name, sample in samples.items():
        yield figure("share", _share(sample, target, level), category=name)
    systems = [(run, "") for run in biases]
    systems += [(run, baseline) for run in biases if baseline and run != baseline]
    for run, other in systems:
        values = biases[run] - (biases[other] if other else 0)
        sample, known = _defined(samples[category], values)
        both = mean_of_subset(sample, known, target=target, level=level)
        kind: Kind = "difference" if other else "mean"
        yield figure(kind, both, category=category, run=run, other=other)


def _share(sample: Sample, target: Target, level: float) -> Figure:
    """The share, with that by people alone; counted in strata, for the rare ones, where that goes.

    A share that is counted as a mean is withheld where few belong, or do not.
    """
    both = share(sample, target=target, level=level)
    if sample.chances is None and (sample.strata is None or not np.ptp(sample.strata)):
        alone, whole = replace(sample, strata=None), np.zeros(sample.pool)
        return replace(both, people=share_by_strata(alone, whole, target=target, level=level))
    people = share(without_strata(sample), weight=0.0, target=target, level=level)
    belong = int(sample.outcomes.sum())
    if min(belong, sample.n - belong) < LEAST_OF_EACH:
        why = too_few_of_each(belong, sample.n, LEAST_OF_EACH)
        people = withheld(people, why)
        both = both if can_be_stratified(sample) else withheld(both, why)
    return replace(both, people=people)


def _defined(sample: Sample, values: Array) -> tuple[Sample, Array]:
    """Leave out the queries whose value is undefined: they belong to no subset."""
    known = ~np.isnan(values)
    outcomes, belief = sample.outcomes * known[sample.rows], sample.belief * known
    return replace(sample, outcomes=outcomes, belief=belief), np.where(known, values, 0.0)


def _columns(name: str, figure: Figure | None) -> dict[str, float | None]:
    values = (figure.value, figure.low, figure.high) if figure else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(_finite, values), strict=True))


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
