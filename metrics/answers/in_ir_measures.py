"""The measures of answers inside ir_measures, and so inside PyTerrier.

A run is a data frame with a row for each query, as PyTerrier-RAG's readers give it: `query_id` (in
PyTerrier `qid`), `qanswer`, the answer, and for measures of citations `citations`, docids or places
in the column `references`; or `qanswer` is a list of `{text, citations}`. Without an answer, a
citation with a label, or a group word a query is undefined, and stays out of the mean.

- `AnswerBias()`: log(1 + m) - log(1 + f) of the group words of the answer.
- `AnswerShare(group="f")`: the share of the group among the answer's group words.
- `CitedShare(group="f", labels="labels.csv")`: the share of the group among cited documents.
- `CitedChange(group="f", labels="labels.csv", run="bm25.run")`: the same, minus the plain share of
  the group in the retrieved list.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric, providers
from ir_measures.measures import Measure, ParamInfo
from ir_measures.util import QrelsConverter
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.sides import sides_of
from ..results.undefined import Mean, Undefined
from ..runs import read_run
from ..runs.columns import checked_id
from ..texts.labels import read_labels
from ..texts.lexicon import read_lexicon
from ..texts.magnitude import log1p_counts
from ..texts.scan.texts import score_texts
from ..vocabulary import TOKENIZERS
from .answer import Answer, gathered, notices_of
from .groups import groups_of_labels
from .reading import SYSTEMS, Columns, answers_of
from .steps import CITED, RETRIEVED, Array, follow

_WORDS = {
    "lexicon": ParamInfo(dtype=str, default="", desc="a word list, a file or a built-in one"),
    "tokenizer": ParamInfo(
        dtype=str, choices=TOKENIZERS, default="word", desc="how the answer is cut"
    ),
}
_GROUP = {"group": ParamInfo(dtype=str, default="", desc="the group whose share it is")}
_LABELS = {
    **_GROUP,
    "labels": ParamInfo(dtype=str, default="", desc="labels of documents, a file"),
    "attribute": ParamInfo(dtype=str, default="", desc="which attribute of the labels"),
}
_RUN = {"run": ParamInfo(dtype=str, default="", desc="the retrieved lists, a file")}


class AnswerMeasure(Measure):
    """A measure of answers as ir_measures knows measures."""

    SUMMARY = ""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.__name__ = self.NAME

    @property
    def DEFAULT(self) -> float:  # type: ignore[override] # noqa: N802 - the name it asks for
        """The value of a query without an answer."""
        return Undefined()

    def aggregator(self) -> Mean:
        return Mean()

    def values(self, answers: Sequence[Answer]) -> Array:
        """The value of each answer (Q,), NaN where it is undefined."""
        raise NotImplementedError

    def place(self, groups: Sequence[str]) -> int:
        """Where its group stands among these."""
        if self["group"] not in groups:
            raise InputError(
                f"{self} has no group {self['group']!r}.",
                remedy=f"Write {self.NAME}(group=NAME, ...), one of {', '.join(groups)}.",
            )
        return groups.index(self["group"])

    def file(self, name: str) -> str:
        """The file of a parameter."""
        path: str = self[name]
        if not path:
            raise InputError(f"{self} needs {name}.", remedy=f"Write {name}='FILE'.")
        return path


def _words(
    measure: AnswerMeasure, answers: Sequence[Answer]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The groups of the word list, and how many of their words each answer has (Q, G)."""
    lexicon = read_lexicon(measure["lexicon"] or None)
    scores = score_texts([answer.text for answer in answers], lexicon, measure["tokenizer"])
    return lexicon.groups, np.stack([scores.tc[group] for group in lexicon.groups], axis=1)


class _AnswerBias(AnswerMeasure):
    NAME = "AnswerBias"
    SUPPORTED_PARAMS = _WORDS
    SHORT_DESC = "Lean of the group words of an answer, log(1 + m) - log(1 + f)."

    def values(self, answers: Sequence[Answer]) -> Array:
        groups, words = _words(self, answers)
        pair = sides_of(groups)
        if pair is None:
            raise InputError(f"{self} compares two groups, the word list has {len(groups)}.")
        low, high = (log1p_counts(words[:, groups.index(group)]) for group in pair)
        return high - low


class _AnswerShare(AnswerMeasure):
    NAME = "AnswerShare"
    SUPPORTED_PARAMS = {**_GROUP, **_WORDS}
    SHORT_DESC = "Share of a group among the group words of an answer."

    def values(self, answers: Sequence[Answer]) -> Array:
        groups, words = _words(self, answers)
        totals = words.sum(axis=1)
        shares = np.full(len(answers), np.nan)
        np.divide(words[:, self.place(groups)], totals, out=shares, where=totals > 0)
        return shares


class _CitedShare(AnswerMeasure):
    NAME = "CitedShare"
    SUPPORTED_PARAMS = _LABELS
    SHORT_DESC = "Share of a group among the documents that an answer cites."

    def values(self, answers: Sequence[Answer]) -> Array:
        return self._steps(answers, [[] for _ in answers])[CITED]

    def _steps(self, answers: Sequence[Answer], lists: Sequence[Sequence[str]]) -> dict[str, Array]:
        groups = groups_of_labels(read_labels(self.file("labels")), self["attribute"])
        place = self.place(groups.names)
        steps = follow(lists, answers, groups).steps
        return {name: step.shares[:, place] for name, step in steps.items()}


class _CitedChange(_CitedShare):
    NAME = "CitedChange"
    SUPPORTED_PARAMS = {**_LABELS, **_RUN}
    SHORT_DESC = "Share of a group among cited documents minus that among retrieved ones."

    def values(self, answers: Sequence[Answer]) -> Array:
        run = read_run(self.file("run"))
        steps = self._steps(answers, [run.documents(answer.qid) for answer in answers])
        change: Array = steps[CITED] - steps[RETRIEVED]
        return change


def judged_queries(qrels: Any, columns: Sequence[str]) -> dict[Any, dict[Any, int]]:
    """The grades of documents by query, where measures need these columns of the judgments.

    A data frame with more or fewer columns, such as the gold answers of PyTerrier-RAG, names the
    queries alone to measures that need no grades.
    """
    names = set(getattr(qrels, "columns", ()))
    if "query_id" in names and list(columns) == ["query_id"]:
        return {qid: {} for qid in qrels["query_id"].unique().tolist()}
    grades: dict[Any, dict[Any, int]] = QrelsConverter(qrels).as_dict_of_dict()
    return grades


class _Evaluator(providers.Evaluator):
    def __init__(self, measures: list[AnswerMeasure], qids: Iterable[Any]) -> None:
        #: Theirs may be numbers, ours are text.
        self._their_qid = {checked_id(qid, "query"): qid for qid in qids}
        super().__init__(measures, set(self._their_qid.values()))
        self._ours = measures

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        answers = [answer for answer in _answers_of(run) if answer.qid in self._their_qid]
        for measure in self._ours if answers else ():
            for answer, value in zip(answers, measure.values(answers).tolist(), strict=True):
                known = measure.DEFAULT if np.isnan(value) else value
                yield Metric(self._their_qid[answer.qid], measure, known)


def _answers_of(run: Any) -> list[Answer]:
    """The first answer to each query of a frame; a warning says what is odd."""
    if not hasattr(run, "columns") or "qanswer" not in run.columns:
        raise InputError(
            "measures of answers need a data frame with a column qanswer.",
            remedy="Give query_id, qanswer and, for measures of citations, citations.",
        )
    frame = run.drop(columns=[*SYSTEMS], errors="ignore")
    records = frame.assign(query_id=[checked_id(q, "query") for q in run["query_id"]]).to_dict(
        "records"
    )
    read = gathered(answers_of(records, Columns(qid="query_id", answer="qanswer")))
    for answers in read:
        # An answer without a citation is undefined, and one by words need not have any.
        odd = {kind: n for kind, n in answers.oddities.items() if kind != "uncited"}
        for notice in notices_of("the answers", odd):
            warnings.warn(notice, stacklevel=2)
    return [answer for answers in read for answer in answers.values()]


class AnswerProvider(providers.Provider):
    """Computes measures of answers; `ir_measures.providers.registry["fairpool_answers"]`."""

    NAME = "fairpool_answers"
    SUPPORTED_MEASURES: list[Measure] = []

    def supports(self, measure: Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, AnswerMeasure)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        cited = any(isinstance(measure, _CitedShare) for measure in measures)
        return ["query_id", "qanswer", *(["citations"] if cited else [])]

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:  # noqa: ARG002 - theirs
        return ["query_id"]

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> _Evaluator:
        ours = [measure for measure in measures if isinstance(measure, AnswerMeasure)]
        return _Evaluator(ours, judged_queries(qrels, self.qrel_inputs(ours)))


ANSWER_MEASURES: dict[str, AnswerMeasure] = {
    kind.NAME: kind() for kind in (_AnswerBias, _AnswerShare, _CitedShare, _CitedChange)
}
for _measure in ANSWER_MEASURES.values():
    ir_measures.measures.register(_measure)
