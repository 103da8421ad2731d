"""A measure: data that describes it, and one function that computes it.

A measure's module makes its `Definition`; `metrics.measures.registry` finds it there by itself.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Hinted, InputError, InputTypeError, did_you_mean
from ..runs.ranked import Ranked
from ..texts.document_numbers import DocumentNumbers
from ..texts.magnitude_store import Magnitudes
from .sources import written_out

Need = Literal[
    "magnitudes", "two groups", "background", "qrels", "categories", "labels", "passages"
]
Qrels = Mapping[str, Mapping[str, int]]

_Made = TypeVar("_Made")


_EVALUATE = 'Measure runs by evaluate(runs, "RaB@10", texts).'

#: What others call the cut-off, which is not a parameter.
_CUTOFF_NAMES = ("k", "top_k", "at", "depth", "n")
#: The largest cut-off: ranks are 32-bit numbers in the tables that are written.
MOST_CUTOFF = 2**31 - 1


@dataclass(frozen=True)
class ParamInfo:
    """A parameter of a measure, with its choices, or the range of a number.

    `is_named`: names of the measure have it even where it is the default, since values under the
    others are of another size and readers would not guess which was taken.
    """

    dtype: type
    default: Any
    description: str
    choices: tuple[Any, ...] = ()
    least: int | None = None
    most: int = MOST_CUTOFF
    is_named: bool = False


class Sides(Mapping[str, NDArray[np.float64]]):
    """The values of the sides of a measure, computed on first use."""

    def __init__(self, compute: Mapping[str, Callable[[], NDArray[np.float64]]]) -> None:
        self._compute = compute

    def __getitem__(self, side: str) -> NDArray[np.float64]:
        return self._compute[side]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._compute)

    def __len__(self) -> int:
        return len(self._compute)


@dataclass(frozen=True, eq=False)
class PerQuery:
    """A measure's value for each query (Q,), NaN where it is undefined.

    `sides` holds the values of the two sides where the measure is a difference, by their names.
    """

    value: NDArray[np.float64]
    sides: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Inputs:
    """Everything that a measure may look at.

    `backgrounds` maps the name of a background run to that run, joined with the same magnitudes
    for the same queries in the same order as `ranked`, to the depth of the background.
    `magnitudes` is the whole scored collection. `qrels` maps query to document to grade.
    `categories` has the percentages of word categories in documents, `labels` the weights of the
    groups that documents are labelled with. `passages` maps query to document to the side that it
    leans to by its label: 1 male, -1 female, 0 neither.
    """

    ranked: Ranked
    magnitudes: Magnitudes | None = None
    backgrounds: Mapping[str, Ranked] = field(default_factory=dict)
    qrels: Qrels = field(default_factory=dict)
    categories: DocumentNumbers | None = None
    labels: DocumentNumbers | None = None
    passages: Qrels = field(default_factory=dict)
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def kept(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """The result of `make` for these inputs, computed once for the measures that share it."""
        if key not in self._kept:
            self._kept[key] = make()
        result: _Made = self._kept[key]
        return result


def document_numbers(
    numbers: DocumentNumbers, ranked: Ranked
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers of the ranked documents (columns, Q, T), and who has any (Q, T); 0 elsewhere."""
    rows = _number_rows(numbers, ranked)
    known = rows >= 0
    values = np.zeros((len(numbers.names), *rows.shape))
    values[:, known] = numbers.values[rows[known]].T
    return values, known


def n_without_numbers(numbers: DocumentNumbers, ranked: Ranked, cutoff: int) -> int:
    """Documents within the first `cutoff` ranks of which nothing is known."""
    rows = _number_rows(numbers, ranked)[:, :cutoff]
    unknown = (rows < 0) | (rows >= numbers.n_known)
    return int(np.count_nonzero(unknown & (ranked.positions[:, :cutoff] >= 0)))


def _number_rows(numbers: DocumentNumbers, ranked: Ranked) -> NDArray[np.int64]:
    rows = np.full(ranked.positions.shape, -1, dtype=np.int64)
    listed = ranked.positions >= 0
    rows[listed] = numbers.rows(ranked.run.docnos.take(ranked.positions[listed]).tolist())
    return rows


# Called as compute(inputs, cutoffs, **parameters); gives one `PerQuery` per cut-off, in order, so
# that a measure can share the work between the cut-offs.
Compute = Callable[..., Sequence[PerQuery]]


#: The worst and the best value that a ranking can have, as means over the queries; None where there
#: is none.
Ends = tuple[float | None, float | None]
# Called as bounds(inputs, cutoffs, parameters); gives the ends for each cut-off, in order.
Bounds = Callable[[Inputs, Sequence[int], Mapping[str, Any]], Sequence[Ends]]


def always(floor: float | None, ideal: float | None) -> Bounds:
    """Return bounds that are the same for every query."""
    return lambda _inputs, cutoffs, _params: [(floor, ideal)] * len(cutoffs)


NO_BOUNDS = always(None, None)


@dataclass(frozen=True)
class Linear:
    """A measure that is a sum of its documents' gains.

    `weights` (T,): factors of the gains by rank, for a number of documents (at most the cut-off)
    and a cut-off. `gain`: of a grade, or of the side of a passage, by the measure's parameters.
    """

    weights: Callable[[int, int], NDArray[np.float64]]
    gain: Callable[..., float]


@dataclass(frozen=True, eq=False)
class Definition(Hinted):
    """A measure as data, and the function that computes it.

    Tables list measures by `position`. `equation` is what the paper writes, with its numbers;
    `formula` is what is computed. `example` is the measure's name with a cut-off and parameters,
    and `working` what it comes to on the documents of `worked`, in numbers, ln, log2 and abs.
    `source` cites papers by their keys in `sources`. `needs` is what the measure looks at by its
    default parameters, `needs_of` by others. `sides` names the negative and the positive side of a
    difference of two, by its parameters and the groups of the word list. One `of_whole_lists` has
    no cut-off unless some are named. `linear` is there for those that judged pairs of query and
    document can estimate.
    """

    name: str
    position: int
    summary: str
    equation: str
    formula: str
    example: str
    working: str
    source: str
    range: str
    direction: str
    compute: Compute
    params: Mapping[str, ParamInfo] = field(default_factory=dict)
    needs: frozenset[Need] = frozenset({"magnitudes"})
    needs_of: Callable[[Mapping[str, Any]], frozenset[Need]] | None = None
    bounds: Bounds = NO_BOUNDS
    sides: Callable[[Mapping[str, Any], Sequence[str]], tuple[str, str]] | None = None
    linear: Linear | None = None
    of_whole_lists: bool = False
    short_list: str = "The mean or sum runs over the documents that exist."
    empty_list: str = "Undefined: the query is left out of the mean and counted."
    no_group_words: str = "The document has magnitude 0."

    @property
    def citation(self) -> str:
        """The papers that the measure is from, written out."""
        return written_out(self.source)

    def __call__(self, cutoff: int | None = None, *others: Any, **params: Any) -> "Measure":
        """Return this measure with a cut-off and parameters, by default its own."""
        if others:
            raise InputTypeError(f"{self.name} takes a cut-off.", remedy=_EVALUATE)
        for name, value in params.items():
            self._check(name, value)
        return Measure(self, cutoff, params)

    def __matmul__(self, cutoff: int) -> "Measure":
        return self(cutoff)

    def __str__(self) -> str:
        return self.name

    def param(self, name: str) -> ParamInfo:
        """The parameter of that name; raises `InputError` with those that there are."""
        if name not in self.params:
            known = ", ".join(self.params) or "none"
            near = next((param for param in self.params if param.startswith(name[:3])), "")
            remedy = f"Write {self.name} @ 10." if name in _CUTOFF_NAMES else f"It has: {known}."
            remedy += f" Did you mean {near}?" if near else ""
            raise InputError(f"{self.name} has no parameter {name!r}.", remedy=remedy)
        return self.params[name]

    def _check(self, name: str, value: object) -> None:
        info = self.param(name)
        if info.choices and value not in info.choices:
            choices = ", ".join(str(choice) for choice in info.choices)
            raise InputError(
                f"{self.name} has no {name} {value!r}.", remedy=f"Choose one of {choices}."
            )
        if info.least is not None and not (
            isinstance(value, int) and info.least <= value <= info.most
        ):
            raise InputError(
                f"{self.name}: {name} is {value!r}.",
                remedy=f"Use a whole number from {info.least} to {info.most:,}.",
            )


@dataclass(frozen=True)
class Measure(Hinted):
    """A definition with its parameters and (unless it is asked for later) a cut-off.

    `given` are the parameters that were set; `params` has the defaults of the others as well.
    `str(measure)` is its canonical name, `ARaB(magnitude=bool)@10`, which `get` reads back.
    """

    definition: Definition
    cutoff: int | None
    given: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.cutoff is not None and not isinstance(self.cutoff, int | np.integer):
            raise InputTypeError(
                f"{self.definition.name}: the cut-off is {self.cutoff!r}.",
                remedy=_EVALUATE if isinstance(self.cutoff, Mapping) else "Use a whole number.",
            )
        if self.cutoff is not None and not 1 <= self.cutoff <= MOST_CUTOFF:
            raise InputError(
                f"{self.definition.name}: the cut-off is {self.cutoff}.",
                remedy=f"Use 1 to {MOST_CUTOFF:,}.",
            )

    def __matmul__(self, cutoff: int) -> "Measure":
        return Measure(self.definition, cutoff, self.given)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def params(self) -> Mapping[str, Any]:
        """Every parameter of the measure with its value."""
        defaults = {name: info.default for name, info in self.definition.params.items()}
        return {**defaults, **self.given}

    @property
    def needs(self) -> frozenset[Need]:
        """Inputs of the measure beside the run."""
        needs_of = self.definition.needs_of
        return self.definition.needs if needs_of is None else needs_of(self.params)

    def positive(self, groups: Sequence[str]) -> str:
        """The side that a positive value leans to, "" where the measure has no sides."""
        sides = self.definition.sides
        return "" if sides is None else sides(self.params, groups)[1]

    def with_params(self, **params: Any) -> "Measure":
        """Return the measure with those of these parameters set that it has."""
        known = {name: value for name, value in params.items() if name in self.definition.params}
        return self.definition(self.cutoff, **{**self.given, **known})

    def __str__(self) -> str:
        named = [
            f"{name}={self.params[name]}"
            for name, info in self.definition.params.items()
            if info.is_named or self.params[name] != info.default
        ]
        inside = f"({','.join(named)})" if named else ""
        return f"{self.name}{inside}" + (f"@{self.cutoff}" if self.cutoff else "")

    def at(self, inputs: Inputs, cutoffs: Sequence[int]) -> Sequence[PerQuery]:
        """The values per query at each of the cut-offs."""
        if not isinstance(inputs, Inputs):
            raise InputTypeError(f"the inputs are {type(inputs).__name__}.", remedy=_EVALUATE)
        return self.definition.compute(inputs, cutoffs, **self.params)

    def __call__(self, *_runs: object, **_options: object) -> NoReturn:
        """Refuse to measure anything: runs are joined with texts and judgments first."""
        raise InputTypeError(f"{self} takes no runs.", remedy=_EVALUATE)

    def compute(self, inputs: Inputs, *others: object) -> PerQuery:
        """The values per query at the measure's own cut-off."""
        if others:
            raise InputTypeError(f"{self} takes no runs.", remedy=_EVALUATE)
        if self.cutoff is None:
            raise InputError(f"{self} has no cut-off.", remedy=f"Write for example {self}@10.")
        return self.at(inputs, (self.cutoff,))[0]


_NAME = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)(?:\((?P<params>[^()]*)\))?(?:@(?P<cutoff>-?\d{1,20}))?", re.ASCII
)


#: Measures that ir_measures has by other names; its parameter `rel` is `relevant`.
_NAMES_OF_IR_MEASURES = {"RR": "MRR", "R": "Recall"}
#: With `rbdf=False`, as the measures inside ir_measures are asked, a measure is this one.
_NO_RBDF = "-noRBDF"


def parse(text: str, definitions: Mapping[str, Definition]) -> Measure:
    """The measure that `text` names, `NAME(param=value,...)@cutoff`; the last two are optional.

    The spellings of ir_measures are read, too: `RR(rel=2)@10`, `RaB_adjusted`, `RaB @ 10`.
    """
    match = _NAME.fullmatch(re.sub(r"\s*@\s*", "@", text.strip()))
    if match is None:
        raise InputError(f"{text!r} names no measure.", remedy="Write for example ARaB@10.")
    name = _NAMES_OF_IR_MEASURES.get(match["name"], match["name"]).replace("_", "-")
    definition = definitions.get(name)
    if definition is None:
        hint = _ending_hint(name, match["cutoff"], definitions)
        hint = hint or did_you_mean(match["name"], definitions).strip()
        raise InputError(
            f"unknown measure {match['name']!r}.",
            remedy=hint or f"Known: {', '.join(definitions)}.",
        )
    params = {}
    for pair in filter(None, (part.strip() for part in (match["params"] or "").split(","))):
        name, equals, value = (part.strip(" '\"") for part in pair.partition("="))
        if not equals:
            fitting = [key for key, info in definition.params.items() if name in info.choices]
            remedy = f"Did you mean {fitting[0]}={name}?" if fitting else "Write name=value."
            raise InputError(f"{text!r}: {pair!r} is not a parameter.", remedy=remedy)
        name = {"rel": "relevant"}.get(name, name)
        if name == "rbdf" and f"{definition.name}{_NO_RBDF}" in definitions:
            if value not in ("True", "False"):
                raise InputError(f"{text!r}: rbdf is {value}.", remedy="Use True or False.")
            definition = definitions[definition.name + _NO_RBDF * (value == "False")]
            continue
        params[name] = _cast(definition, name, value)
    return definition(int(match["cutoff"]) if match["cutoff"] else None, **params)


def _ending_hint(name: str, cutoff: str | None, definitions: Mapping[str, Definition]) -> str:
    """The question for a name with a magnitude or a cut-off at its end, RaB-bool; else ""."""
    number = re.fullmatch(r"(.*?)-?(\d{1,9})", name, re.ASCII)
    if number and number[1] in definitions and not cutoff:
        return f"Did you mean {number[1]}@{number[2]}?"
    first, _, magnitude = name.rpartition("-")
    definition = definitions.get(first)
    info = definition.params.get("magnitude") if definition else None
    if info is None or magnitude not in info.choices:
        return ""
    at = f"@{cutoff}" if cutoff else ""
    return f"Did you mean {first}(magnitude={magnitude}){at}?"


def _cast(definition: Definition, name: str, value: str) -> object:
    info = definition.param(name)
    if info.dtype is bool:
        if value not in ("True", "False"):
            raise InputError(f"{definition.name}: {name}={value}.", remedy="Use True or False.")
        return value == "True"
    try:
        return info.dtype(value)
    except ValueError:
        raise InputError(
            f"{definition.name}: {name}={value} is not {info.dtype.__name__}."
        ) from None
