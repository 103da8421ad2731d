"""Fairpool inside PyTerrier, which loads this module as `pt.fairpool`.

It has the measures of `fairpool.ir_measures`, and `Balance`, which re-ranks what a pipeline
retrieves for gender balance:

    bm25 >> pt.text.get_text(dataset) >> pt.fairpool.Balance("exposure", 0.3)
"""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyterrier as pt

from .errors import InputError
from .ir_measures import (
    AWRF,
    AWRF_TREC,
    EE_D,
    EE_L,
    EE_R,
    NDKL,
    TED,
    AnswerBias,
    AnswerShare,
    ARaB,
    CitedChange,
    CitedShare,
    ExposureRatio,
    FaiRR,
    NFaiRR,
    RaB,
    RaB_adjusted,
    TExFAIR,
    t_test,
)
from .mitigation import reranked
from .mitigation.rerank import join_for_reranking
from .results.meeting import meet
from .runs import Run
from .texts.in_memory import MagnitudesInMemory
from .texts.magnitude_store import Magnitudes, current_magnitudes
from .vocabulary import BALANCE_METHODS, BalanceMethod, Missing, Tokenizer

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "AWRF",
    "AWRF_TREC",
    "EE_D",
    "EE_L",
    "EE_R",
    "NDKL",
    "TED",
    "ARaB",
    "AnswerBias",
    "AnswerShare",
    "Balance",
    "CitedChange",
    "CitedShare",
    "ExposureRatio",
    "FaiRR",
    "NFaiRR",
    "RaB",
    "RaB_adjusted",
    "TExFAIR",
    "t_test",
]


class Balance(pt.Transformer):  # type: ignore[misc] # PyTerrier is not installed with the tools
    """The first `depth` documents of each query in an order that trades relevance for balance.

    `method` and `strength` (0: as they were, 1: balance only) are those of `fairpool balance`.
    `scores` names a scored collection; without it the column `text` of the results is counted, cut
    by `tokenizer`. Documents below `depth` stay where they are, and the scores count down to 1. A
    document that the collection does not have is an error, or with `missing="zero"` one without
    gendered words. Raises `InputError`.
    """

    def __init__(
        self,
        method: BalanceMethod,
        strength: float,
        *,
        scores: str | Path | None = None,
        tokenizer: Tokenizer = "word",
        depth: int = 100,
        missing: Missing = "error",
    ) -> None:
        if method not in BALANCE_METHODS:
            known = ", ".join(BALANCE_METHODS)
            raise InputError(f"there is no method {method!r}.", remedy=f"Use one of {known}.")
        self.method, self.strength, self.depth = method, strength, depth
        self._missing, self._tokenizer = missing, tokenizer
        self._scores = scores
        if scores is not None:
            current_magnitudes(scores)  # unreadable files are reported before anything is retrieved

    def transform(self, results: "pd.DataFrame") -> "pd.DataFrame":
        """The results in their new order, all columns but `score` and `rank` as they were."""
        scores = self._scores
        magnitudes = self._counted(results) if scores is None else current_magnitudes(scores)
        if results.empty:
            return results
        run = Run.from_frame(results, "run")
        together = meet([run], magnitudes=magnitudes, missing=self._missing)
        for remark in together.remarks:
            warnings.warn(remark, stacklevel=2)
        ranked = join_for_reranking(together.runs[0], magnitudes, self.depth, self._missing)
        # With the ids that it came with.
        ranked = replace(ranked, run=run)
        order = reranked(ranked, self.method, self.strength, "run").to_frame()
        order["rank"] -= 1  # theirs begin at 0
        keys = [results[name].astype(str) for name in ("qid", "docno")]
        rest = results.drop(columns=["score", "rank"], errors="ignore")
        return (
            rest.assign(qid=keys[0], docno=keys[1])
            .merge(order, on=["qid", "docno"])
            .sort_values(["qid", "rank"], ignore_index=True)
        )

    def transform_inputs(self) -> list[list[str]]:
        """The columns that it takes, for `pt.inspect`, schematics and checks of `pt.Experiment`."""
        return [["qid", "docno", "score", *(["text"] if self._scores is None else [])]]

    def transform_outputs(self, input_columns: list[str]) -> list[str]:
        """The columns that it gives for these; PyTerrier's `InputValidationError` if one lacks."""
        pt.validate.columns(input_columns, includes=self.transform_inputs()[0])
        kept = [name for name in input_columns if name not in {"score", "rank"}]
        return [*kept, "score", "rank"]

    def _counted(self, results: "pd.DataFrame") -> Magnitudes:
        if "text" not in results.columns:
            raise InputError(
                "Balance needs the documents' texts.",
                remedy="Name a scored collection, scores='m.parquet', or put "
                "pt.text.get_text(dataset) before it.",
            )
        texts = dict(zip(results["docno"].astype(str), results["text"], strict=True))
        return MagnitudesInMemory(texts, tokenizer=self._tokenizer)
