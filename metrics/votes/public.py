"""Agreement and decisions for notebooks: data frames in, data frames out."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, InputTypeError
from ..extras import need
from ..io.headers import normal
from ..public import public
from ..runs.columns import as_frame
from ..runs.values import id_text
from ..vocabulary import JOINED, LEVEL, RESAMPLES
from .agreeing import Agreement, agree
from .deciding import decide_votes, methods_of
from .intervals import Estimate, IntervalMethod
from .table import Kind, Votes

if TYPE_CHECKING:
    import pandas as pd

HoldsFor = Literal["other workers", "these workers"]
_INTERVALS = {
    "other workers": IntervalMethod.QUERIES_AND_WORKERS,
    "these workers": IntervalMethod.QUERIES,
}
#: What the columns are called where nobody says it.
_NAMES = {
    "item": ("item", "task", "qid", "query_id", "item_id"),
    "worker": ("worker", "annotator", "rater", "worker_id", "annotator_id"),
    "value": ("value", "label", "answer"),
}
#: The coefficients of all options, by their fields.
_COEFFICIENTS = {
    "alpha": "krippendorff_alpha",
    "ac1": "gwet_ac1",
    "kappa": "fleiss_kappa",
    "raw": "raw_agreement",
}


@public
def agreement(
    votes: Any,
    *,
    item: str = "",
    worker: str = "",
    value: str = "",
    question: str = "",
    kind: str = "nominal",
    options: Sequence[str] | None = None,
    wide: bool = False,
    holds_for: HoldsFor = "other workers",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> "pd.DataFrame":
    """Measure how far workers agree on their answers, with intervals for *other* workers.

    `votes` is a data frame with a row for each answer, whose columns `item`, `worker` and `value`
    are found by their usual names (task, annotator, label ...); with `wide` it has a row for each
    item and a column for each worker, empty where there is no answer. `question` names a column
    that tells several questions apart. An answer is the code of an option, `?` for "I cannot tell".

    `kind` says what answers have in common: "nominal", "ordinal", "interval" (numbers) or "several"
    (sets of codes, or codes joined by `;`). `options` are all that could be chosen, for "ordinal"
    in their order; without them those that occur. With `holds_for="these workers"` intervals
    resample the items alone, `resamples` times from `seed`: they hold for these very workers, and
    others would differ more.

    A row for each coefficient: alpha (Krippendorff 2004) with the distances that `distance` names,
    Gwet's ac1, Fleiss' kappa, raw agreement, and alpha of each option against the others. `value`,
    `low` and `high` are missing where they are not defined or no interval would hold, as `withheld`
    says. What one has to know of the numbers is a warning of Python. Raises `InputError` for what
    is no table of votes.
    """
    pandas = need("pandas", extra="votes")
    if holds_for not in _INTERVALS:
        names = " or ".join(map(repr, _INTERVALS))
        raise InputError(f"holds_for is {holds_for!r}.", remedy=f"Write {names}.")
    rows: list[dict[str, Any]] = []
    for name, of in _by_question(votes, (item, worker, value), question, kind, options, wide=wide):
        measured = agree(
            of, interval=_INTERVALS[holds_for], resamples=resamples, level=level, seed=seed
        )
        for words in measured.warnings:
            warnings.warn(f"{name}: {words}" if name else words, UserWarning, stacklevel=3)
        rows += _rows(name, measured, holds_for)
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


@public
def decide(
    votes: Any,
    method: str = "",
    *,
    item: str = "",
    worker: str = "",
    value: str = "",
    question: str = "",
    kind: str = "nominal",
    options: Sequence[str] | None = None,
    wide: bool = False,
    strict: bool = False,
    seed: int = 0,
    gold: Mapping[str, str] | None = None,
) -> "pd.DataFrame":
    """Decide the answer about each item from the votes of several workers.

    `votes`, and what says how to read them, are those of `agreement`. `method` is "majority",
    "dawid_skene", "mace" or "gold_weighted" of options in no order, "median" or "majority" of
    others; of several options each is decided that more than half of the workers chose. With
    `strict` a majority needs more than half of the votes. `seed` is for MACE; `gold` has the known
    answers by item that "gold_weighted" weighs workers by.

    A row for each item: `decided` (missing unless the `state` is "decided": a tie is never drawn),
    `n_votes`, `n_for`, `n_cannot_tell`, and `confidence`, the posterior of a method that has one.
    Raises `InputError` for a method that does not decide such answers.
    """
    pandas = need("pandas", extra="votes")
    rows: list[dict[str, Any]] = []
    for name, of in _by_question(votes, (item, worker, value), question, kind, options, wide=wide):
        fitting = methods_of(of.kind)
        if method and method not in fitting:
            raise InputError(
                f"{method!r} decides no {kind} answers.", remedy=f"Use {', '.join(fitting)}."
            )
        done = decide_votes(of, method, strict=strict, seed=seed, gold=of, known=gold)
        rows += [
            {
                "question": name,
                "item": row.item,
                "decided": row.label,
                "state": row.state.value,
                "n_votes": row.n_votes,
                "n_for": row.n_for,
                "n_cannot_tell": row.n_cannot_tell,
                "confidence": row.confidence,
                "method": method or fitting[0],
            }
            for row in done.every
        ]
    frame: pd.DataFrame = pandas.DataFrame(rows)
    return frame


def _rows(name: str, measured: Agreement, holds_for: str) -> Iterator[dict[str, Any]]:
    estimates = [
        (short, "", getattr(measured, field))
        for short, field in _COEFFICIENTS.items()
        if short == "alpha" or getattr(measured, field).value is not None
    ]
    estimates += [("alpha", option, of) for option, of in measured.per_category_alpha.items()]
    for coefficient, option, estimate in estimates:
        yield {
            "question": name,
            "coefficient": coefficient,
            "option": option,
            "distance": measured.coefficient if not option else Kind.NOMINAL.value,
            **estimate.as_dict(),
            "holds_for": holds_for,
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


def _by_question(
    votes: Any,
    names: tuple[str, str, str],
    question: str,
    kind: str,
    options: Sequence[str] | None,
    *,
    wide: bool,
) -> Iterator[tuple[str, Votes]]:
    """Each question by its name, "" where there is one, with its votes."""
    if isinstance(votes, Votes):
        yield "", votes
        return
    frame = as_frame(votes)
    if frame is None:
        raise InputTypeError(
            f"the votes are {type(votes).__name__}.", remedy="Give a data frame of them."
        )
    if kind not in set(Kind):
        kinds = ", ".join(Kind)
        raise InputError(f"{kind!r} is no kind of a question.", remedy=f"There are {kinds}.")
    columns = _of_wide(frame, names[0]) if wide else _of_long(frame, names)
    if not question:
        yield "", _votes(columns, Kind(kind), options)
        return
    if wide or question not in frame:
        raise InputError(f"the table of votes has no column {question!r} of questions.")
    of_row = list(map(id_text, frame[question]))
    for name in dict.fromkeys(of_row):
        part = [
            [cell for cell, of in zip(column, of_row, strict=True) if of == name]
            for column in columns
        ]
        yield str(name), _votes(part, Kind(kind), options)


def _of_long(frame: Mapping[str, list[Any]], names: tuple[str, str, str]) -> list[list[Any]]:
    return [frame[_column(frame, role, name)] for role, name in zip(_NAMES, names, strict=True)]


def _of_wide(frame: Mapping[str, list[Any]], item: str) -> list[list[Any]]:
    at = _column(frame, "item", item)
    rows = [
        (thing, worker, cell)
        for worker, column in frame.items()
        if worker != at
        for thing, cell in zip(frame[at], column, strict=True)
        # NaN is the one value that differs from itself.
        if cell is not None and cell == cell  # noqa: PLR0124 - see above
    ]
    return [list(column) for column in zip(*rows, strict=True)] or [[], [], []]


def _column(frame: Mapping[str, list[Any]], role: str, name: str) -> str:
    """The column of that role; `InputError` where none or several may be it."""
    columns = [name] if name in frame else []
    if not name:
        columns = [column for column in frame if normal(column) in map(normal, _NAMES[role])]
    if len(columns) == 1:
        return columns[0]
    has = f"{', '.join(columns)} may both be" if columns else f"none of {', '.join(frame)} is"
    raise InputError(f"{has} the column of the {role}.", remedy=f"Name it: {role}='...'.")


def _set(cell: Any) -> frozenset[str]:
    """The codes in a cell of several options."""
    if isinstance(cell, str):
        return frozenset(cell.split(JOINED))
    if isinstance(cell, list | tuple | set | frozenset):
        return frozenset(map(str, cell))
    raise InputError(f"{cell!r} is no set of options.", remedy="Join codes by ;, as in a;b.")


def _votes(columns: Sequence[list[Any]], kind: Kind, options: Sequence[str] | None) -> Votes:
    items, workers, answers = ([*map(id_text, column)] for column in columns)
    if kind == Kind.SEVERAL:
        sets = list(map(_set, answers))
        return Votes.of(
            items, workers, sets, options=options, kind=kind, are_all_offered=options is not None
        )
    known = Votes.of(items, workers, answers, options=options)
    codes = list(known.options)
    points: tuple[float, ...] = ()
    if kind in (Kind.ORDINAL, Kind.INTERVAL) and (options is None or kind == Kind.INTERVAL):
        try:
            points = tuple(sorted(map(float, codes)))
        except ValueError:
            raise InputError(
                f"the options {', '.join(codes[:5])} are no numbers.",
                remedy="Give the options in their order: options=[...].",
            ) from None
        codes.sort(key=float)
    return Votes.of(
        items,
        workers,
        answers,
        options=codes,
        kind=kind,
        points=points,
        are_all_offered=options is not None,
    )
