"""Tables 1 to 6 of Sundararaman & Subramanian 2022 as rows.

Where several runs of one kind differ in their seed only, a cell is the mean over the seeds.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..reports.formats.tables import Row
from ..results.preference import WORDINGS, Wordings, wording_preference
from ..runs import Run
from .dataset import CATEGORIES, Pair
from .logits import LogitRun
from .selection import choose_debiased
from .statistics import (
    accuracy,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    other_categories,
)
from .words import PUBLISHED, top_words


@dataclass(frozen=True)
class Table:
    """A table: `name` is its file's, `title` says what a cell is."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[Row]


_RUN_COLUMNS = ("mode", "train_on", "alpha")
_REDUCTION_COLUMNS = (
    "bias_before",
    "bias_after",
    "gap_before",
    "gap_after",
    "accuracy_before",
    "accuracy_after",
)
_Statistic = Callable[[LogitRun], float]


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def accuracy_table(runs: Sequence[LogitRun], name: str, title: str) -> Table:
    """One row for each training category: accuracy on each category and on the others' mean."""
    rows: list[Row] = []
    for train_on in _trained(runs):
        own = [run for run in runs if run.train_on == train_on]
        row: dict[str, object] = {"train_on": train_on}
        for category in CATEGORIES:
            row[category] = _mean(own, lambda run, c=category: accuracy(run, c).value)  # type: ignore[misc]
        rows.append(row | {"mean of others": _mean(own, mean_other_accuracy)})
    return Table(name, title, ("train_on", *CATEGORIES, "mean of others"), rows)


def preference_table(runs: Sequence[LogitRun], name: str, title: str) -> Table:
    """Whose wording stands highest, for each training category, on the other categories."""
    columns = ("mode", "train_on", "alpha", "male", "female", "neutral", "n", "n_tied")
    rows: list[Row] = []
    for run in runs:
        found = gender_preference(run, other_categories(run))
        rows.append(
            {
                "mode": run.mode,
                "train_on": run.train_on,
                "alpha": str(run.alpha),
                "male": _defined(found.male),
                "female": _defined(found.female),
                "neutral": _defined(found.neutral),
                "n": found.n,
                "n_tied": found.n_tied,
                "n_not_retrieved": found.n_not_retrieved,
                "mean_gap": _defined(gender_gap(run, other_categories(run))),
                "accuracy": _defined(mean_other_accuracy(run)),
            }
        )
    extra = ("n_not_retrieved", "mean_gap", "accuracy")
    return Table(name, title, (*columns, *extra), rows)


def ranking_table(runs: Sequence[Run], pairs: Sequence[Pair], depth: int) -> Table:
    """Whose wording of a relevant document runs rank highest, among the first `depth` ranks."""
    docnos: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for pair in pairs:
        if pair.relevant and pair.gender in WORDINGS:
            docnos[pair.query][pair.gender] = pair.document
    documents = [Wordings(query, by_gender) for query, by_gender in docnos.items()]
    rows: list[Row] = []
    for run in runs:
        found = wording_preference(run, documents, depth)
        fractions = {name: _defined(getattr(found, name)) for name in ("male", "female", "neutral")}
        rows.append(
            {
                "run": run.name,
                **fractions,
                "n": found.n,
                "n_tied": found.n_tied,
                "n_not_retrieved": found.n_not_retrieved,
            }
        )
    columns = ("run", "male", "female", "neutral", "n", "n_tied", "n_not_retrieved")
    title = f"Wordings preferred by runs, of those among the first {depth} ranks"
    return Table("table3_runs", title, columns, rows)


def word_table(pairs: Sequence[Pair]) -> Table:
    """Table 4: the three words of the highest TF-IDF of each category beside the published."""
    found = top_words(pairs)
    rows: list[Row] = [
        {
            "category": category,
            "words": ", ".join(found[category]),
            "published": ", ".join(PUBLISHED[category]),
            "in_both": len(set(found[category]) & set(PUBLISHED[category])),
        }
        for category in CATEGORIES
    ]
    columns = ("category", "words", "published", "in_both")
    return Table("table4_words", "Words of the highest TF-IDF of each category", columns, rows)


def reduction_table(pairs: Iterable[tuple[LogitRun, LogitRun]]) -> Table:
    """Table 6: bias, |male - female|, on the other categories before and after debiasing."""
    rows: list[dict[str, object]] = []
    for before, after in pairs:
        others = other_categories(before)
        bias = [gender_preference(run, others).bias for run in (before, after)]
        numbers = {
            "bias_before": bias[0],
            "bias_after": bias[1],
            "gap_before": gender_gap(before, others),
            "gap_after": gender_gap(after, others),
            "accuracy_before": mean_other_accuracy(before),
            "accuracy_after": mean_other_accuracy(after),
        }
        run = {"mode": before.mode, "train_on": before.train_on, "alpha": str(after.alpha)}
        rows.append(run | {name: _defined(value) for name, value in numbers.items()})
    columns = (*_RUN_COLUMNS, *_REDUCTION_COLUMNS, "reduction")
    means = [_mean_row(rows, mode) for mode in dict.fromkeys(row["mode"] for row in rows)]
    table: list[Row] = [row | {"reduction": _reduction(row)} for row in (*rows, *means)]
    return Table("table6_reduction", "Bias before and after debiasing", columns, table)


def _mean_row(rows: Sequence[dict[str, object]], mode: object) -> dict[str, object]:
    means: dict[str, object] = {}
    for name in _REDUCTION_COLUMNS:
        known = [row[name] for row in rows if row["mode"] == mode and row[name] is not None]
        means[name] = fmean(float(str(value)) for value in known) if known else None
    return {"mode": mode, "train_on": "mean", "alpha": "", **means}


def _reduction(row: dict[str, object]) -> float | None:
    """The share of the bias that is gone; None where there was none."""
    before, after = row["bias_before"], row["bias_after"]
    if not before or after is None:
        return None
    return (float(str(before)) - float(str(after))) / float(str(before))


def before_and_after(runs: Sequence[LogitRun]) -> list[tuple[LogitRun, LogitRun]]:
    """Each plain run with the debiased run that `choose_debiased` takes of its mode and seed."""
    pairs = []
    for plain in (run for run in runs if not run.is_debiased):
        candidates = [
            run
            for run in runs
            if run.is_debiased
            and (run.mode, run.train_on, run.seed) == (plain.mode, plain.train_on, plain.seed)
        ]
        if candidates:
            pairs.append((plain, choose_debiased(plain, candidates)))
    return pairs


def _trained(runs: Sequence[LogitRun]) -> list[str]:
    return [name for name in CATEGORIES if any(run.train_on == name for run in runs)]


def _mean(runs: Sequence[LogitRun], statistic: _Statistic) -> float:
    return fmean(statistic(run) for run in runs)
