"""Result of measuring agreement: the coefficients, their titles and their fields."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

from . import coefficients
from .coefficients import Coefficient
from .estimates import AlphaVariance
from .intervals import Estimate, IntervalMethod
from .table import Kind, Votes


class NamedCoefficient(NamedTuple):
    """A coefficient of all options: its short name, title, meaning, and the kinds that have it.

    `of` makes it for some votes and the number of options that chance chooses from.
    """

    short: str
    title: str
    meaning: str
    of: Callable[[Votes, int], Coefficient]
    kinds: tuple[Kind, ...] = (Kind.NOMINAL,)
    has_distance: bool = False


class Measured(NamedTuple):
    """A coefficient of a question, with its distances where it has any, and what was measured."""

    of: NamedCoefficient
    distance: str
    estimate: Estimate


def _named(*row: Any) -> dict[str, NamedCoefficient]:
    return {"coefficient": NamedCoefficient(*row)}


@dataclass(frozen=True)
class Agreement:
    """Agreement of the voters over `n_queries` queries that have a vote.

    `votes_per_query` is their mean; `categories` counts the votes for each category; `ties` and
    `majority` say what the usual rule for such a question makes of them. What is not defined for
    its kind is undefined here, or empty. `interval` says what the intervals hold for, `variance`
    where that of alpha comes from.

    The next four fields are the details: `patterns` like {"3-0": share of the queries},
    `confusion[a][b]` the share of the votes beside a vote for a that say b. `coefficient` names the
    distances of alpha; `n_paired` queries have two votes or more, and chance chooses from
    `n_options`. A new coefficient of all options is a field with `_named`, and nothing else.
    """

    n_queries: int
    n_votes: int
    n_workers: int
    votes_per_query: float | None
    categories: dict[str, int]
    raw_agreement: Estimate = field(
        metadata=_named(
            "raw",
            "Raw agreement",
            "Share of the pairs of votes on a query that agree. Chance alone gives some of it.",
            lambda _votes, _n_options: coefficients.raw_agreement,
            (Kind.NOMINAL, Kind.ORDINAL),
        )
    )
    krippendorff_alpha: Estimate = field(
        metadata=_named(
            "alpha",
            "Krippendorff's alpha",
            "Agreement beyond chance, over all votes. 1 is perfect, 0 is what chance gives.",
            lambda votes, _n_options: coefficients.alpha_of(votes),
            tuple(Kind),
            True,
        )
    )
    gwet_ac1: Estimate = field(
        metadata=_named(
            "ac1",
            "Gwet's AC1",
            "Agreement beyond chance that stays readable where one category dominates.",
            lambda _votes, n_options: coefficients.gwet_ac1(n_options),
        )
    )
    fleiss_kappa: Estimate = field(
        metadata=_named(
            "kappa",
            "Fleiss' kappa",
            "Agreement beyond chance, close to alpha; for comparison with other studies.",
            lambda _votes, _n_options: coefficients.fleiss_kappa,
        )
    )
    per_category_alpha: dict[str, Estimate]
    ties: int
    majority: dict[str, int]
    interval: IntervalMethod
    variance: AlphaVariance | None
    warnings: list[str] = field(default_factory=list)
    specific_agreement: dict[str, Estimate] = field(default_factory=dict)
    patterns: dict[str, Estimate] = field(default_factory=dict)
    pattern_counts: dict[str, int] = field(default_factory=dict)
    confusion: dict[str, dict[str, Estimate]] = field(default_factory=dict)
    coefficient: str = Kind.NOMINAL
    n_paired: int = 0
    n_options: int = 0
    n_cannot_tell: int = 0

    @property
    def measured(self) -> list[Measured]:
        """Each coefficient that its kind of question has, the one of every kind first."""
        [kind] = [kind for kind in Kind if kind.distance == self.coefficient]
        return [
            Measured(of, self.coefficient if of.has_distance else "", getattr(self, name))
            for name, of in sorted(COEFFICIENTS.items(), key=lambda row: -len(row[1].kinds))
            if kind in of.kinds
        ]


#: The coefficients of all options by their fields of `Agreement`.
COEFFICIENTS: dict[str, NamedCoefficient] = {
    of.name: of.metadata["coefficient"] for of in fields(Agreement) if "coefficient" in of.metadata
}
#: What says more of the summary.
FURTHER_FIELDS = ("coefficient", "n_paired", "n_options", "n_cannot_tell")
#: What is shown with `--details`.
DETAIL_FIELDS = ("specific_agreement", "patterns", "pattern_counts", "confusion")
#: The fields that `agreement --json` promises.
SUMMARY_FIELDS = tuple(
    of.name for of in fields(Agreement) if of.name not in FURTHER_FIELDS + DETAIL_FIELDS
)
_HELD_FOR = {
    IntervalMethod.QUERIES_AND_WORKERS: "Intervals hold for other queries and other workers.",
    IntervalMethod.QUERIES: "Intervals resample the queries: they hold for these very workers, and "
    "others would differ more.",
}


def interval_words(interval: IntervalMethod) -> str:
    """Scope of the intervals, in a sentence."""
    return _HELD_FOR[interval]


def as_dict(agreement: Agreement, *, details: bool = False) -> dict[str, Any]:
    """Plain values for JSON: every coefficient is {value, low, high, level}."""
    fields = SUMMARY_FIELDS + FURTHER_FIELDS + (DETAIL_FIELDS if details else ())
    return {name: _plain(getattr(agreement, name)) for name in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.as_dict()
    if isinstance(value, AlphaVariance):
        return asdict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
