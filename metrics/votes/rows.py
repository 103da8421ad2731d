"""Agreement and decisions as rows, the same for data frames and for files of the program."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from ..errors import InputError
from .agreement import Agreement
from .deciding import MODEL_METHODS, Decisions
from .intervals import Estimate, IntervalMethod
from .methods.posterior import Posterior
from .table import Kind

HoldsFor = Literal["other workers", "these workers"]
_INTERVALS: Mapping[str, IntervalMethod] = dict(
    zip(
        get_args(HoldsFor),
        (IntervalMethod.QUERIES_AND_WORKERS, IntervalMethod.QUERIES),
        strict=True,
    )
)


def interval_of(holds_for: str) -> IntervalMethod:
    """The intervals that hold for these; `InputError` for other words."""
    if holds_for not in _INTERVALS:
        names = " or ".join(map(repr, _INTERVALS))
        raise InputError(f"holds_for is {holds_for!r}.", remedy=f"Write {names}.")
    return _INTERVALS[holds_for]


def agreement_rows(question: str, measured: Agreement) -> Iterator[dict[str, Any]]:
    """A row for each coefficient that the question has, and for alpha of each option."""
    words = {method: words for words, method in _INTERVALS.items()}
    estimates = [(of.short, "", estimate) for of, _distance, estimate in measured.measured]
    estimates += [("alpha", option, of) for option, of in measured.per_category_alpha.items()]
    for coefficient, option, estimate in estimates:
        yield {
            "question": question,
            "coefficient": coefficient,
            "option": option,
            "distance": measured.coefficient if not option else Kind.NOMINAL.value,
            **estimate.as_dict(),
            "holds_for": words[measured.interval],
            "n_items": measured.n_queries,
            "n_paired": measured.n_paired,
            "n_votes": measured.n_votes,
            "n_workers": measured.n_workers,
            "n_options": measured.n_options,
            "withheld": _withheld(estimate),
        }


def _withheld(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    return "no interval holds" if estimate.low is None else ""


def decision_rows(
    question: str, decisions: Decisions, *, probabilities: bool = False
) -> Iterator[dict[str, Any]]:
    """A row for each item; with `probabilities` those of the options as p_CODE.

    Raises `InputError` where a method without a model has none.
    """
    posterior = decisions.posterior
    if probabilities and posterior is None:
        raise InputError(
            f"{decisions.method} gives no probabilities.",
            remedy=f"Use {' or '.join(MODEL_METHODS)}.",
        )
    columns = [f"p_{option}" for option in decisions.options] if probabilities else []
    for place, row in enumerate(decisions.every):
        yield {
            "question": question,
            "item": row.item,
            "decided": row.label,
            "state": row.state.value,
            "n_votes": row.n_votes,
            "n_for": row.n_for,
            "n_cannot_tell": row.n_cannot_tell,
            "confidence": row.confidence,
            "method": decisions.method,
            **_of_options(columns, posterior, place),
        }


def _of_options(
    columns: Sequence[str], posterior: Posterior | None, place: int
) -> dict[str, float | None]:
    if posterior is None or not columns:
        return {}
    values = posterior.probabilities[place].tolist()
    # Without a vote they are NaN, the one value that differs from itself.
    known = [value if value == value else None for value in values]  # noqa: PLR0124 - see above
    return dict(zip(columns, known, strict=True))
