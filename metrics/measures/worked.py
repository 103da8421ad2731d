"""The worked example of docs/metrics.md: four documents, every measure, and its working."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from ..runs import Run
from ..runs.ranked import join
from ..texts.categories import CategoryLexicon
from ..texts.document_numbers import DocumentNumbers
from ..texts.in_memory import load_magnitudes
from .base import Inputs
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
_LABELS = {"d1": (1.0, 0.0), "d2": (0.0, 1.0), "d4": (3.0, 1.0)}

INTRODUCTION = (
    "*In the paper* is the equation that is published, *Formula* what is computed. Each measure "
    "has a worked example, at cut-off 4, on the ranking d1 *he said he would come*, d2 *her "
    "house*, d3 *rain fell all night*, d4 *his mother and his father* (tokenizer `word`, the "
    "default word list). Male words: 2, 0, 0, 3 (his twice, father), female words: 0, 1, 0, 1, "
    "tokens: 5, 2, 4, 5. The collection holds d5 *she* too. Judgements: d2 2, d4 1, and d6, which "
    "is not ranked, 3. Labels: d1 north, d2 south, d4 north 3 and south 1. The category family has "
    "father and moth*. ln is the natural logarithm."
)

_W2, _W4 = "1 / log2(3)", "1 / log2(5)"
_RBDF = f"(1 + {_W2} + {_W4}) / (1 + {_W2} + 1 / 2 + {_W4})"
_TE_F, _TE_M = "(1 / 2 / log2(3) + 1 / 5 / log2(5))", "(2 / 5 + 3 / 5 / log2(5))"
_TED = f"2 * abs({_TE_F} / ({_TE_F} + {_TE_M}) - 1 / 2)"
_FAIRR = "0 + 1 / log2(3) + 1 / 2 + 1 / 2 / log2(5)"
_RAB = "(ln(3) - ln(2) + 0 + (ln(3) + ln(2) - ln(2))) / 4"
_NORTH = "(1 + 3 / 4 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(5))"

#: Measure to its name with parameters, and the working as an expression.
WORKED: Mapping[str, tuple[str, str]] = {
    "RaB": ("RaB@4", _RAB),
    "ARaB": (
        "ARaB@4",
        "(ln(3) + (ln(3) - ln(2)) / 2 + (ln(3) - ln(2)) / 3 + (2 * ln(3) - ln(2)) / 4) / 4",
    ),
    "RaB-adjusted": ("RaB-adjusted@4", f"{_RAB} - (2 * ln(3) - 2 * ln(2)) / 5"),
    "FaiRR": ("FaiRR@4", _FAIRR),
    "NFaiRR": (
        "NFaiRR(background=collection)@4",
        f"({_FAIRR}) / (1 + 1 / log2(3) + 1 / 2 + 1 / 2 / log2(5))",
    ),
    "AWRF": (
        "AWRF@4",
        "2 * abs((1 / log2(3) + 1 / 4 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(5)) - 1 / 2)",
    ),
    "TED": ("TED@4", f"{_RBDF} * {_TED}"),
    "TED-noRBDF": ("TED-noRBDF@4", _TED),
    "TExFAIR": ("TExFAIR@4", f"1 - {_RBDF} * {_TED}"),
    "TExFAIR-noRBDF": ("TExFAIR-noRBDF@4", f"1 - {_TED}"),
    "LIWC": ("LIWC(category=family)@4", "(0 + 0 + 0 + 100 * 2 / 5) / 4"),
    "LabelExposure": ("LabelExposure(group=north)@4", _NORTH),
    "LabelAWRF": ("LabelAWRF@4", f"2 * abs({_NORTH} - 1 / 2)"),
    "MRR": ("MRR@4", "1 / 2"),
    "Recall": ("Recall@4", "2 / 3"),
    "nDCG": ("nDCG@4", "(2 / log2(3) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / 2)"),
}


@cache
def inputs() -> Inputs:
    """The example, as every run comes to a measure."""
    magnitudes = load_magnitudes(TEXTS)
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
    )


def _numbers(names: tuple[str, ...], rows: Mapping[str, object]) -> DocumentNumbers:
    values = np.array(list(rows.values()), dtype=np.float64)
    return DocumentNumbers(
        names, values, {docno: row for row, docno in enumerate(rows)}, {}, len(rows)
    )


def value(name: str) -> float:
    """What the measure of this name with its cut-off gives on the example."""
    return float(get(name).compute(inputs()).value[0])


def example(measure: str) -> str:
    """The worked example of a measure as one line of Markdown."""
    name, working = WORKED[measure]
    return f"`{name}`: `{working} = {value(name):.6f}`"
