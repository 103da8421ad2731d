"""Corrected figures in the words of a datasheet."""

from collections.abc import Mapping
from typing import Any

from annotation.schemes import JOINED, Question
from metrics.vocabulary import INTERVAL


def figures_in_words(figures: Mapping[str, Any], question: Question) -> str:
    """Describe each figure for the pool itself, of answers to `question`, and its basis."""
    models = ", ".join(f"`{name}`" for name in figures["models"]) or "no model"
    looks = ", at every look at ever more labels" if figures["every_look"] else ""
    head = (
        f"{figures['n_labelled']} of {figures['n_pool']} queries of the pool `{figures['pool']}` "
        f"were drawn at random ({figures['design']}, seed {figures['seed']}) and labelled by "
        f"voters; {models} labelled all. {INTERVAL}s for this pool{looks}; figures of models alone "
        "have no valid interval.\n"
    )
    lines = [_line(row, question) for row in figures["rows"] if row["target"] == "pool"]
    return "\n".join([head, *lines])


def _line(row: Mapping[str, Any], question: Question) -> str:
    name = "corrected" if row["corrected"] is not None else "people"
    alone = "" if row["models"] is None else f"; models alone {row['models']:.4f}"
    return f"- {_name(row, question)}: {name} {_interval(row, name)}, {row['n']} labels{alone}"


def _name(row: Mapping[str, Any], question: Question) -> str:
    codes = row["category"].split(JOINED)
    category = " or ".join(question.words([code]) for code in codes).lower()
    if row["figure"] == "share":
        return f"share {category}"
    minus = f" minus `{row['baseline']}`" if row["baseline"] else ""
    return f"mean bias of `{row['run']}`{minus}, {category}"


def _interval(row: Mapping[str, Any], name: str) -> str:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    if low is None or high is None:
        return f"withheld ({row['withheld']})"
    return f"{value:.4f} ({low:.4f} to {high:.4f})"
