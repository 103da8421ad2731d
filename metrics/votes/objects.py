"""Ways to decide, as objects with `fit` and `fit_predict` for those who come from crowd-kit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..errors import Hinted, InputTypeError
from .public import decide

if TYPE_CHECKING:
    import pandas as pd


class _Decider(Hinted):
    """Decides by `method`; its fields are the arguments of `decide`.

    After `fit`, `decisions_` is the table of `decide`.
    """

    method: ClassVar[str]
    has_model: ClassVar[bool] = False
    decisions_: "pd.DataFrame"

    def __new__(cls, *values: Any, **fields: Any) -> Self:
        own = getattr(cls, "__dataclass_fields__", {})
        if unknown := [name for name in fields if name not in own]:
            raise InputTypeError(
                f"{cls.__name__} has no argument {unknown[0]!r}.",
                remedy=f"Leave it out. It has {', '.join(own) or 'none'}.",
            )
        if values and not isinstance(values[0], str | int | Mapping | None):
            raise InputTypeError(
                f"{cls.__name__} does not take votes itself.",
                remedy=f"Use {cls.__name__}().fit_predict(votes).",
            )
        return super().__new__(cls)

    def fit(self, votes: Any, **names: Any) -> Self:
        """Decide each item of the votes; `names` are further arguments of `decide`."""
        terms = {**vars(self), **names}
        terms.pop("decisions_", None)
        frame = decide(votes, self.method, **terms, probabilities=self.has_model)
        by = ["question", "item"] if frame["question"].any() else "item"
        self.decisions_ = frame.set_index(by)
        return self

    def fit_predict(self, votes: Any, **names: Any) -> "pd.Series[Any]":
        """Return the decided answers by item; a tie is missing, never drawn."""
        decided: pd.Series[Any] = self.fit(votes, **names).decisions_["decided"]
        return decided


class _Model(_Decider):
    has_model = True

    def fit_predict_proba(self, votes: Any, **names: Any) -> "pd.DataFrame":
        """Return the probability of each option, by item."""
        table = self.fit(votes, **names).decisions_
        of_options = table[[name for name in table.columns if name.startswith("p_")]]
        return of_options.rename(columns=lambda name: name.removeprefix("p_"))


@dataclass
class Majority(_Decider):
    """The answer with more votes than every other; with `strict`, with more than half of them."""

    method = "majority"
    strict: bool = False


@dataclass
class Median(_Decider):
    """The middle answer of ordered ones, the lower of two middles; `strict` makes these a tie."""

    method = "median"
    kind: str = "ordinal"
    strict: bool = False


@dataclass
class DawidSkene(_Model):
    """A confusion matrix of each worker, fitted by maximum likelihood (Dawid & Skene 1979)."""

    method = "dawid_skene"


@dataclass
class MACE(_Model):
    """Workers know the answer or guess by a habit (Hovy et al. 2013); `seed` starts the fit."""

    method = "mace"
    seed: int = 0


@dataclass
class GoldWeighted(_Model):
    """Workers weighed by their accuracy on `gold`, the known answers by item."""

    method = "gold_weighted"
    gold: Mapping[Any, Any] | None = None
