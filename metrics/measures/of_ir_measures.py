"""Measures of effectiveness that ir_measures has and Fairpool has not, by their names there."""

from collections.abc import Sequence
from functools import lru_cache
from subprocess import SubprocessError
from typing import Any

import numpy as np

from ..errors import InputError
from ..extras import has, need
from .base import MOST_CUTOFF, Definition, Inputs, Measure, PerQuery


@lru_cache(maxsize=256)
def measure_of(text: str) -> Measure | None:
    """The measure that ir_measures reads `text` as; None where it reads none, or is not there.

    One without a cut-off in its name looks at the whole list, unless cut-offs are named.
    """
    if not has("ir_measures"):
        return None
    ir_measures = need("ir_measures")
    try:
        theirs = ir_measures.parse_measure(text)
        theirs.validate_params()
    except (AssertionError, NameError, TypeError, ValueError):
        theirs = _of_trec_eval(text)
    if theirs is None:
        return None
    if hasattr(theirs, "DEFINITION"):  # ours inside ir_measures
        return None
    takes_cutoff = "cutoff" in theirs.SUPPORTED_PARAMS
    cutoff = theirs.params.get("cutoff") if takes_cutoff else MOST_CUTOFF
    return _definition(theirs, takes_cutoff=takes_cutoff)(cutoff)


def _of_trec_eval(text: str) -> Any:
    """The measure that trec_eval calls so, as iprec_at_recall_0.10; None for none.

    Raises `InputError` for a name of several, P_5,10.
    """
    try:
        measures = need("ir_measures").parse_trec_measure(text.strip())
    except (AssertionError, ValueError, KeyError, TypeError):
        return None
    if len(measures) > 1:
        raise InputError(
            f"{text!r} names several measures.",
            remedy=f"Give them as a list: {list(map(str, measures))}.",
        )
    return measures[0] if measures else None


def _definition(theirs: Any, *, takes_cutoff: bool) -> Definition:
    params = {name: value for name, value in theirs.params.items() if name != "cutoff"}
    name = str(type(theirs)(**params)) if params or not takes_cutoff else theirs.NAME

    def compute(inputs: Inputs, cutoffs: Sequence[int]) -> list[PerQuery]:
        if not inputs.qrels:
            raise InputError("effectiveness needs judgements.", remedy='Give qrels="FILE".')
        return [
            PerQuery(_values(inputs, theirs if cutoff == MOST_CUTOFF else theirs @ cutoff))
            for cutoff in cutoffs
        ]

    return Definition(
        name=name,
        position=1_000,
        summary=theirs.SHORT_DESC or name,
        equation="see ir_measures",
        formula="see ir_measures",
        example=name,
        working="",
        source="[MMO22]",
        range="see ir_measures",
        direction="more is better",
        compute=compute,
        needs=frozenset({"qrels"}),
        of_whole_lists=True,
    )


def _values(inputs: Inputs, theirs: Any) -> Any:
    """The value of each query; undefined for one without judgements."""
    run, qids = inputs.ranked.run, inputs.ranked.qids
    qrels = {qid: dict(inputs.qrels[qid]) for qid in qids if inputs.qrels.get(qid)}
    scores = {qid: run[qid] for qid in qrels if qid in run}
    if run.order == "rank":
        scores = {
            qid: {docno: -float(rank) for rank, docno in enumerate(of_query)}
            for qid, of_query in scores.items()
        }
    try:
        metrics = list(need("ir_measures").iter_calc([theirs], qrels, scores))
    except (ValueError, RuntimeError, SubprocessError) as error:
        raise InputError(
            f"ir_measures cannot compute {theirs} here ({error}).",
            remedy="Give it what the program behind it takes (whole numbers as query ids, the "
            f"package that ir_measures names for it), or leave out {theirs}.",
        ) from None
    values = {metric.query_id: metric.value for metric in metrics}
    return np.array([values.get(qid, np.nan) for qid in qids], dtype=np.float64)
