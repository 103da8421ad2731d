"""LabelRaB: RaB by labels of passages, which somebody gave, and not by their words."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from ..errors import InputError
from .base import Definition, Inputs, Linear, PerQuery
from .rab import rab_at
from .sides import SHOWN


def _compute(inputs: Inputs, cutoffs: Sequence[int]) -> list[PerQuery]:
    if not inputs.passages:
        raise InputError("LabelRaB needs labels of passages.", remedy='Give passages="FILE".')
    ranked = inputs.ranked
    present = ranked.positions >= 0
    leans = np.zeros(present.shape)
    for row, qid in enumerate(ranked.qids):
        of_query = inputs.passages.get(qid, {})
        docnos = ranked.run.docnos.take(ranked.positions[row, present[row]]).tolist()
        leans[row, present[row]] = list(map(of_query.get, docnos, repeat(0)))
        present[row] &= bool(of_query)
    return [PerQuery(value) for value in rab_at(leans, present, cutoffs)]


LABEL_RAB = Definition(
    name="LabelRaB",
    position=135,
    summary="Share of the first k passages that lean male, minus that of those that lean female.",
    equation="qRaB_t^g(q) = (1/t) sum_{i=1..t} mag^g(d_i^(q)) (2); RaB_t(q) = qRaB_t^m(q) - "
    "qRaB_t^f(q), with mag^g(d) = 1 where somebody labelled d with g",
    formula="LabelRaB_k = (1/k) sum_{i<=k} (1 where d_i is labelled m, -1 where f, 0 for n and "
    "both)",
    example="LabelRaB@4",
    working="(1 - 1) / 4",
    source="[RS20]",
    range="[-1, 1]",
    direction="0 is balanced, positive leans male, negative leans female",
    compute=_compute,
    linear=Linear(weights=lambda length, _cutoff: np.full(length, 1 / max(length, 1)), gain=float),
    needs=frozenset({"passages"}),
    sides=lambda _params, _groups: SHOWN,
    empty_list="Undefined; so is a query without any label.",
    no_group_words="A passage without a label leans to neither side.",
)
