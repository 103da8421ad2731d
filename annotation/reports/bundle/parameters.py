"""The parameters of a batch, as a bundle has them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from metrics.errors import InputError
from metrics.vocabulary import CATEGORY_QUESTION, LARGEST_SEED
from metrics.votes.deciding import ALL_METHODS
from metrics.votes.intervals import LEAST_RESAMPLES, MOST_RESAMPLES, IntervalMethod

#: Labels that nobody's answers imply: by a person here, and as somebody else released them.
ADJUDICATED, RELEASED = "adjudicated", "released"
#: Which three votes stand for the first of a query that was asked for more.
ANY_THREE, ALL_DIFFERENT = "any three", "all different"
_MOST_CATEGORIES = 20
#: Characters of a model's name.
_LONGEST_MODEL = 200


@dataclass(frozen=True)
class Parameters:
    """Parameters of the labels and of the agreement.

    `suggested_by` is the model whose labels annotators saw, or "". `adaptive_share` of the queries
    get three votes in any case where the batch asks adaptively, chosen by `adaptive_seed`; the
    answers to `adaptive_question`, "" for that of the paper, brought further votes.
    `adaptive_first`: which three votes stand for the first of a query that was asked for more,
    `ALL_DIFFERENT`, or any, as in version 1.0.
    `n_categories` is how many categories voters could choose from, 0 for those in use. `labelled`
    has the method, strictness and seed of each labelled question; the others are decided by the
    rule of their kind. The question of the paper has these in `method`, `strict`, `label_seed`.
    """

    categories: tuple[str, ...]
    method: str
    strict: bool
    label_seed: int
    n_categories: int
    resamples: int
    level: float
    agreement_seed: int
    interval: str
    queries_per_hit: int
    suggested_by: str = ""
    adaptive_share: float | None = None
    adaptive_seed: int = 0
    adaptive_question: str = ""
    adaptive_first: str = ANY_THREE
    labelled: Mapping[str, tuple[str, bool, int]] = field(default_factory=dict)

    @property
    def terms(self) -> Mapping[str, tuple[str, bool, int]]:
        """Method, strictness and seed by labelled question."""
        if not self.method:
            return self.labelled
        return {CATEGORY_QUESTION: (self.method, self.strict, self.label_seed)}

    @property
    def methods(self) -> Mapping[str, str]:
        return {name: method for name, (method, _, _) in self.terms.items()}

    def as_dict(self) -> dict[str, Any]:
        """Values for a manifest, without those that the batch does not need."""
        described = asdict(self)
        if not self.suggested_by:
            del described["suggested_by"]
        if not self.labelled:
            del described["labelled"]
        if self.adaptive_share is None:
            del described["adaptive_share"], described["adaptive_seed"]
            del described["adaptive_first"]
        if not self.adaptive_question:
            del described["adaptive_question"]
        return described


def read_parameters(stored: Any, path: str | Path, *, categories: Sequence[str]) -> Parameters:
    """The parameters of a manifest. Raises `InputError` where they are incomplete or out of range.

    The ranges bound the time and memory that a bundle from elsewhere can take.
    """
    try:
        read: dict[str, Any] = {"categories": tuple(map(str, stored["categories"]))}
        read["labelled"] = {
            str(name): (str(method), bool(strict), int(seed))
            for name, (method, strict, seed) in stored.get("labelled", {}).items()
        }
        parameters = Parameters(**stored | read)
        whole = [
            getattr(parameters, parameter.name)
            for parameter in fields(Parameters)
            if parameter.type is int
        ]
        in_range = (
            all(type(value) is int for value in whole)
            and parameters.categories == tuple(categories)
            and 0 <= parameters.n_categories <= _MOST_CATEGORIES
            and LEAST_RESAMPLES <= parameters.resamples <= MOST_RESAMPLES
            and 0 < parameters.level < 1
            and min(parameters.label_seed, parameters.agreement_seed, parameters.adaptive_seed) >= 0
            and (parameters.adaptive_share is None or 0 <= parameters.adaptive_share <= 1)
            and isinstance(parameters.adaptive_question, str)
            and parameters.adaptive_first in (ANY_THREE, ALL_DIFFERENT)
            and all(
                method in (*ALL_METHODS, RELEASED) and 0 <= seed <= LARGEST_SEED
                for method, _, seed in parameters.terms.values()
            )
            and parameters.interval in set(IntervalMethod)
            and parameters.queries_per_hit >= 1
            and isinstance(parameters.suggested_by, str)
            and len(parameters.suggested_by) <= _LONGEST_MODEL
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"its parameters cannot be read ({error}).", path=path) from None
    if not in_range:
        raise InputError("its parameters are out of range.", path=path)
    return parameters
