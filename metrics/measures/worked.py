"""The documents of the measures' worked examples; each measure has its own working."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from ..runs import Run
from ..runs.ranked import join
from ..texts.categories import CategoryLexicon
from ..texts.document_numbers import DocumentNumbers
from ..texts.in_memory import score_in_memory
from .base import Definition, Inputs
from .registry import get

#: The ranking is d1 to d4; d5 is in the collection only.
TEXTS = {
    "d1": "he said he would come",
    "d2": "her house",
    "d3": "rain fell all night",
    "d4": "his mother and his father",
    "d5": "she",
}
QRELS = {"q": {"d1": 0, "d2": 2, "d4": 1, "d6": 3}}
_PASSAGES = {"q": {"d1": 1, "d2": -1, "d3": 0, "d4": 0}}
_LABELS = {"d1": (1.0, 0.0), "d2": (0.0, 1.0), "d4": (3.0, 1.0)}

INTRODUCTION = (
    "The worked example is at cut-off 4, on the ranking d1 *he said he would come*, d2 *her "
    "house*, d3 *rain fell all night*, d4 *his mother and his father* (tokenizer `word`, the "
    "default word list). Male words: 2, 0, 0, 3, female words: 0, 1, 0, 1, tokens: 5, 2, 4, 5. The "
    "collection also holds d5 *she*. Judgements: d2 2, d4 1, and d6, which is not ranked, 3. "
    "Labels: d1 north, d2 south, d4 north 3 and south 1; of passages: d1 m, d2 f, d3 n, d4 both. "
    "The category family has father and moth*."
)


@cache
def inputs() -> Inputs:
    """The example, as every run comes to a measure."""
    magnitudes = score_in_memory(TEXTS)
    run = Run.from_dict({"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}, "A")
    lexicon = CategoryLexicon(
        "", "", ("family",), {"father": frozenset({0})}, {"moth": frozenset({0})}
    )
    percentages = lexicon.percentages(TEXTS.values(), "word")
    return Inputs(
        join(run, magnitudes, 4),
        magnitudes,
        qrels=QRELS,
        categories=_numbers(("family",), dict(zip(TEXTS, percentages.tolist(), strict=True))),
        labels=_numbers(("north", "south"), _LABELS),
        passages=_PASSAGES,
    )


def _numbers(names: tuple[str, ...], rows: Mapping[str, object]) -> DocumentNumbers:
    values = np.array(list(rows.values()), dtype=np.float64)
    return DocumentNumbers(
        names, values, {docno: row for row, docno in enumerate(rows)}, {}, len(rows)
    )


def value(name: str) -> float:
    """The value of the measure of this name and cut-off on the example."""
    return float(get(name).compute(inputs()).value[0])


def example(definition: Definition) -> str:
    """The worked example of a measure as one line of Markdown."""
    name = definition.example
    return f"`{name}`: `{definition.working} = {value(name):.6f}`"
