"""LIWC: share of the words of a ranking's documents in a category of word lists."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .base import Definition, Inputs, ParamInfo, PerQuery, document_numbers
from .rab import rab_at


def _compute(
    inputs: Inputs, cutoffs: Sequence[int], *, category: str, minus: str
) -> list[PerQuery]:
    if inputs.categories is None:
        raise InputError("LIWC needs word lists of categories.", remedy='Give liwc="FILE.dic".')
    values, present = document_numbers(inputs.categories, inputs.ranked)
    first = _column(values, inputs.categories.names, category)
    if minus:
        first = first - _column(values, inputs.categories.names, minus)
    return [PerQuery(value) for value in rab_at(first, present, cutoffs)]


def _column(
    values: NDArray[np.float64], names: Sequence[str], category: str
) -> NDArray[np.float64]:
    if category not in names:
        raise InputError(
            f"LIWC: no category {category!r}." if category else "LIWC names no category.",
            remedy=f"Write LIWC(category=NAME), one of {', '.join(names)}.",
        )
    column: NDArray[np.float64] = values[names.index(category)]
    return column


LIWC = Definition(
    name="LIWC",
    position=110,
    summary="Words of a category per 100 words, averaged over the first k documents.",
    equation="none of its own: LIWC gives each text the percentage of its words that belong to "
    "a category; studies of bias average it over the first documents",
    formula="LIWC_k = (1/k) sum_{i<=k} 100 n_c(d_i) / |d_i|; with minus the same of that category "
    "is taken off",
    example="LIWC(category=family)@4",
    working="(0 + 0 + 0 + 100 * 2/5) / 4",
    source="[LIWC15]; the word lists are your own, in its .dic format",
    range="[0, 100]; [-100, 100] with minus",
    direction="more is more of the category; with minus, positive leans to the first",
    compute=_compute,
    params={
        "category": ParamInfo(str, "", "The category of the word lists; it has to be named."),
        "minus": ParamInfo(str, "", "A category to take off, so that the sign says which leads."),
    },
    needs=frozenset({"categories"}),
    no_group_words="The document has 0 of the category.",
)
