"""Measuring runs: measures x magnitudes x cut-offs, per query and averaged."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.base import MOST_CUTOFF, Inputs, Measure, Need, PerQuery, Sides, n_without_numbers
from ..measures.registry import available, get
from ..statistics.ordering import comparable
from ..texts.document_numbers import attribute_columns
from ..texts.magnitude import COUNTS
from ..vocabulary import CUTOFFS
from .population import Population
from .scale import Scale

_PAIR = 2
#: Measures of one group of the labels, which the parameter `group` names.
_OF_A_GROUP = ("LabelExposure", "LabelShare")
# Exact where magnitudes are whole numbers.
_EXACT = frozenset({"RaB", "ARaB"})


def is_exact(measure: str, magnitude: str) -> bool:
    """Return whether the values per query are the doubles nearest to the exact ones."""
    return measure in _EXACT and magnitude in COUNTS


@dataclass(frozen=True)
class Request:
    """A measure to compute at some cut-offs; `label` is the name that stands in the tables."""

    label: str
    measure: Measure
    cutoffs: tuple[int, ...]

    @property
    def magnitude(self) -> str:
        """The magnitude that the measure uses; "" for a measure that has none to choose."""
        return str(self.measure.params.get("magnitude", ""))


def _places(some: Sequence[str], qids: Sequence[str]) -> list[int]:
    place = {qid: place for place, qid in enumerate(qids)}
    return [place[qid] for qid in some]


@dataclass(frozen=True, eq=False)
class Result:
    """One measure of one run at one cut-off.

    `per_query.value[i]` belongs to `qids[i]`, NaN where it is undefined. The figure is about the
    `population`, of which the run answers all but `n_unanswered`; other queries have no value.
    `positive` is the side that a positive value leans to, "" for a measure without sides.
    """

    run: str
    measure: str
    magnitude: str
    cutoff: int
    qids: tuple[str, ...]
    per_query: PerQuery
    n_docs_missing: int
    scale: Scale | None = None
    population: Population | None = None
    n_unanswered: int = 0
    positive: str = ""

    @property
    def measured(self) -> tuple[str, ...]:
        """The queries that the figure is about."""
        return self.qids if self.population is None else self.population.qids

    @cached_property
    def measured_values(self) -> NDArray[np.float64]:
        """The value of each of `measured`, NaN where it is undefined."""
        return self.per_query.value[_places(self.measured, self.qids)]

    def beside(self, qids: tuple[str, ...]) -> "Result":
        """The result with a value for each of `qids`: NaN for those that it is not about."""
        if self.qids == qids:
            return self
        places = _places(self.qids, qids)

        def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
            every = np.full(len(qids), np.nan)
            every[places] = values
            return every

        own = self.per_query
        sides = {side: partial(lambda side: spread(own.sides[side]), side) for side in own.sides}
        return replace(self, qids=qids, per_query=PerQuery(spread(own.value), Sides(sides)))

    @cached_property
    def n_queries(self) -> int:
        """Queries that the mean runs over."""
        return int(np.count_nonzero(~np.isnan(self.per_query.value)))

    @property
    def n_queries_missing(self) -> int:
        """Number of queries left out: without any document, or undefined for the measure."""
        return len(self.measured) - self.n_queries

    @cached_property
    def value(self) -> float | None:
        """The mean over the queries; None when there is nothing to average, or it is infinite."""
        values = self.per_query.value
        known = values[~np.isnan(values)].tolist()
        # The sum is rounded once, so that the order of the queries does not matter.
        mean = math.fsum(known) / self.n_queries if known else math.nan
        return mean if math.isfinite(mean) else None

    @cached_property
    def compared(self) -> NDArray[np.float64]:
        """The value of each query as it is sorted, ranked and compared; see `comparable`."""
        return comparable(self.per_query.value, exact=is_exact(self.measure, self.magnitude))

    def row(self) -> dict[str, object]:
        """The result as a row of the table that `fairpool measure` writes."""
        return {
            "run": self.run,
            "measure": self.measure,
            "magnitude": self.magnitude,
            "cutoff": None if self.cutoff == MOST_CUTOFF else self.cutoff,
            "value": self.value,
            "n_queries": self.n_queries,
            "n_queries_missing": self.n_queries_missing,
            "n_docs_missing": self.n_docs_missing,
            "population": "" if self.population is None else self.population.of,
            "positive": self.positive,
            **(self.scale.row() if self.scale else {}),
        }


def requests_of(
    names: Iterable[str],
    magnitudes: Iterable[str] | None = None,
    cutoffs: Iterable[int] | None = None,
    background: str | None = None,
) -> list[Request]:
    """The requests, in this order: measures, then magnitudes, then cut-offs.

    A name may fix what it has: `ARaB`, `ARaB@10`, `ARaB(magnitude=bool)@10`. `background` goes to
    the measures that take one and do not name theirs. Without `magnitudes` each measure takes its
    own default; without `cutoffs` they are `CUTOFFS`, and of the measures of ir_measures, such as
    AP, the whole list. A request that comes twice counts once.
    """
    names, are_named = tuple(names), cutoffs is not None
    cutoffs = tuple(dict.fromkeys(CUTOFFS if cutoffs is None else cutoffs))
    magnitudes = None if magnitudes is None else tuple(magnitudes)
    for kind, chosen in (("measure", names), ("magnitude", magnitudes), ("cut-off", cutoffs)):
        if chosen == ():
            raise InputError(f"no {kind} is named.", remedy="Name at least one.")
    for cutoff in cutoffs:
        if not 1 <= cutoff <= MOST_CUTOFF:
            raise InputError(f"the cut-off is {cutoff}.", remedy=f"Use 1 to {MOST_CUTOFF:,}.")
    requests: dict[tuple[str, str], Request] = {}
    for measure in (get(name) for name in names):
        label = str(measure.definition(**_without_magnitude(measure)))
        for full in _completed(measure, magnitudes, background):
            at = (measure.cutoff,) if measure.cutoff else cutoffs
            if not (measure.cutoff or are_named) and measure.definition.of_whole_lists:
                at = (MOST_CUTOFF,)
            requests.setdefault((label, str(full)), Request(label, full, at))
    return list(requests.values())


def of_each_group(names: Iterable[str], labels: Sequence[str]) -> list[str]:
    """The names, a share of documents that names no group as one of each group of the labels."""
    every: list[str] = []
    for name in names:
        measure = get(name)
        is_open = measure.definition.name in _OF_A_GROUP and "group" not in measure.given
        of_groups = [str(measure.with_params(group=label)) for label in labels]
        every += of_groups if is_open and labels else [name]
    return every


def all_measures(
    n_groups: int,
    *,
    with_qrels: bool,
    with_passages: bool = False,
    categories: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> list[str]:
    """The names of all measures that a collection of so many groups, with or without qrels, has.

    `n_groups` is 0 without a scored collection; `categories` and `labels` are the names of the
    word categories and of the groups that documents are labelled with.
    """
    there: dict[Need, bool] = {
        "magnitudes": n_groups > 0,
        "two groups": n_groups == _PAIR,
        "qrels": with_qrels,
        "passages": with_passages,
        "categories": bool(categories),
        "labels": bool(labels),
    }
    # Measures of one column name it: one measure for each.
    columns = {
        "LIWC": [f"LIWC(category={name})" for name in categories],
        **{share: [f"{share}(group={name})" for name in labels] for share in _OF_A_GROUP},
        # It is of one attribute; the measures with `attributes` are of any number.
        "LabelAWRF": ["LabelAWRF"] * (len(attribute_columns(labels)) == 1),
    }
    names = []
    for definition in available():
        names += columns.get(definition.name, [definition.name])
        names += [f"{definition.name}(attributes=labels)"] * ("attributes" in definition.params)
    return [name for name in names if all(there.get(need, True) for need in get(name).needs)]


def _without_magnitude(measure: Measure) -> dict[str, Any]:
    return {name: value for name, value in measure.given.items() if name != "magnitude"}


def _completed(
    measure: Measure, magnitudes: Sequence[str] | None, background: str | None
) -> Iterator[Measure]:
    """The measure with each magnitude and with the background, unless its name fixed them."""
    # Of the measures with a target only one of the background looks at one.
    looks = measure.params.get("target", "background") == "background"
    if background is not None and looks and "background" not in measure.given:
        measure = measure.with_params(background=background)
    chosen = "magnitude" in measure.given or "magnitude" not in measure.definition.params
    if chosen or magnitudes is None:
        yield measure
        return
    for magnitude in magnitudes:
        yield measure.with_params(magnitude=magnitude)


def depth_of(requests: Iterable[Request]) -> int:
    """The largest cut-off that is asked for."""
    return max(cutoff for request in requests for cutoff in request.cutoffs)


def backgrounds_of(requests: Iterable[Request]) -> dict[str, int | None]:
    """The background runs that the requests name, with the depth they need (None: all of it)."""
    depths: dict[str, int | None] = {}
    for request in requests:
        params: Mapping[str, object] = request.measure.params
        name = str(params.get("background", "collection"))
        if name not in ("", "collection"):
            depth = int(str(params.get("depth", 0))) or None
            known = depths.get(name, 0)
            depths[name] = None if depth is None or known is None else max(depth, known)
    return depths


def evaluate(
    inputs: Inputs, requests: Iterable[Request], population: Population | None = None
) -> list[Result]:
    """Every request for the run of `inputs`, whose queries are the `population`."""
    ranked = inputs.ranked
    return [
        Result(
            run=ranked.name,
            measure=request.label,
            magnitude=request.magnitude,
            cutoff=cutoff,
            qids=ranked.qids,
            per_query=per_query,
            n_docs_missing=_n_missing(inputs, request, cutoff),
            population=population,
            n_unanswered=int(np.count_nonzero(ranked.length == 0)),
            positive=request.measure.positive(ranked.groups),
        )
        for request in requests
        for cutoff, per_query in zip(
            request.cutoffs, request.measure.at(inputs, request.cutoffs), strict=True
        )
    ]


def _n_missing(inputs: Inputs, request: Request, cutoff: int) -> int:
    """Number of documents within the cut-off without data for the measure."""
    needs = request.measure.needs
    if "magnitudes" in needs:
        return inputs.ranked.n_missing(cutoff)
    numbers = inputs.categories if "categories" in needs else inputs.labels
    if numbers is None or not needs & {"categories", "labels"}:
        return 0
    return n_without_numbers(numbers, inputs.ranked, cutoff)
