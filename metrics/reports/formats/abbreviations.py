"""Meanings of the abbreviations in a table."""

import re

from ..sides import GENDERS, Sides
from .layout import Table

_MEANINGS = {
    "RaB": "rank bias, {sides.high} minus {sides.low}",
    "ARaB": "RaB averaged over the ranks from 1 on",
    "TF": "term frequency",
    "Bool": "whether any word occurs",
    "MRR": "mean reciprocal rank",
    "nDCG": "normalised discounted cumulative gain",
    "FaiRR": "fairness of a ranked list by the neutrality of its documents",
    "NFaiRR": "FaiRR as a share of the best that the background allows",
    "TExFAIR": "term exposure-based fairness",
    "AWRF": "attention-weighted rank fairness",
    "RBDF": "discount for few documents with group words",
    "CRBO": "counterfactual rank-biased overlap",
    "LIWC": "words of a category per 100 words",
}


def abbreviations_in(table: Table, sides: Sides = GENDERS) -> list[str]:
    """`RaB: rank bias ...` for each abbreviation of the table's title, head and cells."""
    titles = [text for column in table.columns for text in (column.title, column.group)]
    cells = [cell for cells in table.body for cell in cells]
    words = set(re.findall(r"\w+", " ".join([table.title, *titles, *cells])))
    return [
        f"{short}: {meaning.format(sides=sides)}"
        for short, meaning in _MEANINGS.items()
        if short in words
    ]
