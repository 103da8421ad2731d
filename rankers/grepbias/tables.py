"""Tables 1 to 6 of Sundararaman & Subramanian 2022 as rows.

Where several runs of one kind differ in their seed only, a cell is the mean over the seeds.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from metrics.reports.formats.tables import Row
from metrics.results.preference import WORDINGS, Preference, Wordings, wording_preference
from metrics.runs import Run

from .dataset import CATEGORIES, Pair
from .logits import LogitRun
from .published import AVERAGE, published
from .selection import Selection, choose_debiased
from .statistics import (
    accuracy,
    average_preference,
    bias_by_chance,
    difference_interval,
    gender_gap,
    gender_preference,
    mean_other_accuracy,
    other_categories,
    wilson_interval,
)

#: Table 4 of Sundararaman & Subramanian 2022.
PUBLISHED = {
    "Sex & Relationship": ("love", "emotional", "friend"),
    "Career": ("job", "career", "home"),
    "Child Care": ("baby", "parents", "children"),
    "Appearance": ("beauty", "hair", "attractive"),
    "Cognitive Capabilities": ("iq", "intelligence", "gifted"),
    "Domestic Work": ("home", "cleaning", "house"),
    "Physical Capabilities": ("athletes", "fat", "weight"),
}


def top_words(pairs: Sequence[Pair], n: int = 3) -> dict[str, list[str]]:
    """The `n` words of the highest TF-IDF of each category, best first.

    A category is one document, all of its titles and texts; English stop words are left out.
    """
    # Imported here so that the options of `fairpool grepbias` need none of the extra `rank`.
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        " ".join(pair.text for pair in pairs if pair.category == category)
        for category in CATEGORIES
    ]
    vectorizer = TfidfVectorizer(stop_words="english")
    weights = vectorizer.fit_transform(texts).toarray()
    words = vectorizer.get_feature_names_out()
    best = np.argsort(-weights, axis=1, kind="stable")[:, :n]
    return {
        category: [str(words[place]) for place in places]
        for category, places in zip(CATEGORIES, best, strict=True)
    }


@dataclass(frozen=True)
class Table:
    """A table: `name` is its file's, `title` says what a cell is."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[Row]


_RUN_COLUMNS = ("mode", "train_on", "alpha")
_SHARES = ("male", "female", "neutral")
_COUNTS = ("n", "n_tied", "n_not_retrieved")
_OTHERS = "mean of others"
_PREFERENCE_COLUMNS = (
    *_RUN_COLUMNS,
    "tested_on",
    *_SHARES,
    "difference",
    "low",
    "high",
    "by_chance",
    *_COUNTS,
    *(f"published_{name}" for name in _SHARES),
)
_REDUCTION_COLUMNS = (
    *(f"{name}_{when}" for when in ("before", "after") for name in (*_SHARES, "bias")),
    "gap_before",
    "gap_after",
    "accuracy_before",
    "accuracy_after",
    "published_before",
    "published_after",
)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def accuracy_table(runs: Sequence[LogitRun], name: str, title: str, number: int = 0) -> Table:
    """Accuracy by training category (rows) and test category, each with its interval.

    `number` is that of the published table to stand beside: 1, 2, 5, or 0 for none. The mean of the
    others leaves out the training category.
    """
    rows: list[Row] = []
    for train_on in _trained(runs):
        own = [run for run in runs if run.train_on == train_on]
        cells = {
            category: (
                fmean(accuracy(run, category).value for run in own),
                accuracy(own[0], category).n,
            )
            for category in CATEGORIES
        }
        ours: dict[str, object] = {name: _defined(share) for name, (share, _) in cells.items()}
        mean = _defined(fmean(mean_other_accuracy(run) for run in own))
        rows.append({"train_on": train_on, "values": "ours", **ours, _OTHERS: mean})
        bounds = {name: wilson_interval(*cell) for name, cell in cells.items()}
        for place, bound in enumerate(("low", "high")):
            limits = {name: _defined(limit[place]) for name, limit in bounds.items()}
            rows.append({"train_on": train_on, "values": bound, **limits, _OTHERS: None})
        if number:
            row = published(number)[train_on,]
            theirs = {name: row[name] for name in CATEGORIES}
            theirs[_OTHERS] = row["average_without_own"]
            rows.append({"train_on": train_on, "values": "published", **theirs})
    return Table(name, title, ("train_on", "values", *CATEGORIES, _OTHERS), rows)


def preference_table(
    runs: Sequence[LogitRun], name: str, title: str, *, is_plain: bool = True
) -> Table:
    """Whose wording stands highest, by training and test category, beside the published Table 3.

    `is_plain`: the models are those of Table 3, which nobody has debiased. The average is the mean
    over all test categories, the training category among them. Beside male - female stand its
    interval and what chance makes of so many gendered winners.
    """
    rows: list[Row] = []
    for run in runs:
        about = {"mode": run.mode, "train_on": run.train_on, "alpha": str(run.alpha)}
        for category in CATEGORIES:
            if (run.category == category).any():
                cell = gender_preference(run, [category])
                theirs = published(3)[run.train_on, category] if is_plain else {}
                rows.append({**about, **_preference_row(category, cell, theirs)})
        theirs = published(3)[run.train_on, AVERAGE] if is_plain else {}
        rows.append({**about, **_preference_row(AVERAGE, average_preference(run), theirs)})
    return Table(name, title, _PREFERENCE_COLUMNS, rows)


def _preference_row(
    tested_on: str, preference: Preference, theirs: Mapping[str, float]
) -> dict[str, object]:
    low, high = difference_interval(preference)
    numbers = {name: getattr(preference, name) for name in _SHARES} | {
        "difference": preference.male - preference.female,
        "low": low,
        "high": high,
        "by_chance": bias_by_chance(preference),
    }
    return {
        "tested_on": tested_on,
        **{name: _defined(value) for name, value in numbers.items()},
        **{name: getattr(preference, name) for name in _COUNTS},
        **{f"published_{name}": theirs.get(name) for name in _SHARES},
    }


def ranking_table(runs: Sequence[Run], pairs: Sequence[Pair], depth: int) -> Table:
    """Whose wording of a relevant document runs rank highest, among the first `depth` ranks."""
    docnos: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for pair in pairs:
        if pair.relevant and pair.gender in WORDINGS:
            docnos[pair.query][pair.gender] = pair.document
    documents = [Wordings(query, by_gender) for query, by_gender in docnos.items()]
    rows: list[Row] = []
    for run in runs:
        preference = wording_preference(run, documents, depth)
        fractions = {
            name: _defined(getattr(preference, name)) for name in ("male", "female", "neutral")
        }
        rows.append(
            {
                "run": run.name,
                **fractions,
                "n": preference.n,
                "n_tied": preference.n_tied,
                "n_not_retrieved": preference.n_not_retrieved,
            }
        )
    columns = ("run", "male", "female", "neutral", "n", "n_tied", "n_not_retrieved")
    title = f"Wordings preferred by runs, of those among the first {depth} ranks"
    return Table("table3_runs", title, columns, rows)


def word_table(pairs: Sequence[Pair]) -> Table:
    """Table 4: the three words of the highest TF-IDF of each category beside the published."""
    words = top_words(pairs)
    rows: list[Row] = [
        {
            "category": category,
            "words": ", ".join(words[category]),
            "published": ", ".join(PUBLISHED[category]),
            "in_both": len(set(words[category]) & set(PUBLISHED[category])),
        }
        for category in CATEGORIES
    ]
    columns = ("category", "words", "published", "in_both")
    return Table("table4_words", "Words of the highest TF-IDF of each category", columns, rows)


def reduction_table(pairs: Iterable[tuple[LogitRun, LogitRun]]) -> Table:
    """Table 6: the average preference before and after debiasing, |male - female|, and its costs.

    Averages include the training category, as the paper's; gap and accuracy are of the others.
    """
    rows: list[dict[str, object]] = []
    for before, after in pairs:
        others = other_categories(before)
        shares = [average_preference(run) for run in (before, after)]
        theirs = published(6)[before.train_on,]
        numbers = {
            f"{name}_{when}": getattr(preference, name)
            for preference, when in zip(shares, ("before", "after"), strict=True)
            for name in (*_SHARES, "bias")
        } | {
            "gap_before": gender_gap(before, others),
            "gap_after": gender_gap(after, others),
            "accuracy_before": mean_other_accuracy(before),
            "accuracy_after": mean_other_accuracy(after),
            "published_before": theirs["difference_before"],
            "published_after": theirs["difference_after"],
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


def before_and_after(
    runs: Sequence[LogitRun], selection: Selection = "own"
) -> list[tuple[LogitRun, LogitRun]]:
    """Each plain run that has debiased ones of its mode and seed, with what is chosen of all."""
    pairs = []
    for plain in (run for run in runs if not run.is_debiased):
        candidates = [
            run
            for run in runs
            if run.is_debiased
            and (run.mode, run.train_on, run.seed) == (plain.mode, plain.train_on, plain.seed)
        ]
        if candidates:
            pairs.append((plain, choose_debiased(plain, candidates, selection=selection)))
    return pairs


def _trained(runs: Sequence[LogitRun]) -> list[str]:
    return [name for name in CATEGORIES if any(run.train_on == name for run in runs)]
