"""Do labels on documents change what is cited? CAB and CAS of two answers to the same queries.

Amin Abolghasemi, Leif Azzopardi, Seyyed Hadi Hashemi, Maarten de Rijke & Suzan Verberne. Evaluation
of Attribution Bias in Generator-Aware Retrieval-Augmented Large Language Models. 2025
(arXiv 2410.12380).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import InputError


@dataclass(frozen=True)
class AttributionBias:
    """In percent over n queries: the mean difference h - l (bias), and its size (sensitivity)."""

    bias_precision: float
    sensitivity_precision: float
    bias_recall: float
    sensitivity_recall: float
    n_queries: int


def attribution_bias(
    first: Mapping[str, Collection[str]],
    second: Mapping[str, Collection[str]],
    relevant: Mapping[str, Collection[str]],
) -> AttributionBias:
    """CAB and CAS of the citations `{qid: docids}`, once with each label on the documents.

    Precision and recall of the citations of a query against its relevant documents; a query without
    a citation has precision 0. Over the queries that have a relevant document and both answers;
    `InputError` where there is none.

    >>> attribution_bias({"q": ["a", "b"]}, {"q": ["a"]}, {"q": ["a", "b"]}).bias_recall
    50.0
    """
    qids = [qid for qid, docnos in relevant.items() if docnos and qid in first and qid in second]
    if not qids:
        raise InputError("no query has a relevant document and both answers.")
    of_first, of_second = (
        np.array([precision_recall(cited[qid], relevant[qid]) for qid in qids])
        for cited in (first, second)
    )
    differences = 100 * (of_first - of_second)
    bias, size = differences.mean(axis=0), np.abs(differences).mean(axis=0)
    return AttributionBias(
        float(bias[0]), float(size[0]), float(bias[1]), float(size[1]), len(qids)
    )


def precision_recall(cited: Collection[str], relevant: Collection[str]) -> tuple[float, float]:
    """Precision of the citations, 0 without any, and their recall of the relevant documents."""
    both = len({*cited} & {*relevant})
    return (both / len({*cited}) if cited else 0.0), both / len({*relevant})
