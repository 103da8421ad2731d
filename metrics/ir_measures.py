"""The measures inside ir_measures, and so inside PyTerrier.

`import fairpool.ir_measures` registers `RaB`, `ARaB`, `RaB_adjusted`, `FaiRR`, `NFaiRR`, `AWRF`,
`AWRF_TREC`, `EE_L`, `EE_D`, `EE_R`, `NDKL`, `ExposureRatio`, `TED` and `TExFAIR` with ir_measures
and adds a provider to its default pipeline, and so of answers `AnswerBias`, `AnswerShare`,
`CitedShare` and `CitedChange`, see `fairpool.answers.in_ir_measures`:

    ARaB(magnitude='bool', scores='magnitudes.parquet')@10

`scores` names a scored collection. Without it the texts of the documents are taken from the column
`text` of the run, a data frame, as PyTerrier's pipelines have it. The queries are those of the
qrels, as for every other measure of ir_measures; only expected exposure and targets of the relevant
documents look at the grades. `labels` names a file of labels for measures with `attributes`.

A query without any document, or undefined for the measure, counts neither as 0 nor at all: it
stays out of the mean. With `undefined='nan'` one such query makes the mean NaN. PyTerrier's own
tests know no undefined values; `test=pt.fairpool.t_test` leaves them out in pairs.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures import Metric, providers
from ir_measures.measures import Measure, ParamInfo
from ir_measures.util import RunConverter

from .answers.in_ir_measures import ANSWER_MEASURES, AnswerProvider, judged_queries
from .errors import InputAttributeError, InputError, InputTypeError
from .io.ids import met, renamed_text
from .measures import Definition, available
from .measures.base import MOST_CUTOFF, Need, Qrels
from .measures.base import Measure as OurMeasure
from .measures.registry import get
from .results.evaluation import Request
from .results.measuring import measure_runs
from .results.meeting import renamed_queries
from .results.population import Population
from .results.undefined import Mean, Undefined
from .runs import Run
from .runs.columns import checked_id
from .statistics.significance import n_undefined, paired_t_test
from .texts.document_numbers import DocumentNumbers
from .texts.in_memory import MagnitudesInMemory
from .texts.labels import read_labels
from .texts.magnitude_store import Magnitudes, current_magnitudes
from .vocabulary import MAIN_CUTOFF, TOKENIZERS

# Parameters beside those of the definition.
_TEXTS = frozenset({"texts", "text", "docs", "documents", "collection", "corpus"})
_OWN = ("cutoff", "scores", "labels", "tokenizer", "missing", "undefined")


def t_test(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Statistic and two-sided p of the paired t-test, over the queries defined in both systems.

    For `pt.Experiment(..., baseline=0, test=pt.fairpool.t_test)`. A warning says how many queries
    were left out. NaN where the differences have no spread.
    """
    if left_out := n_undefined(first, second):
        warnings.warn(
            f"queries left out of the test, undefined in one of the systems: {left_out} of "
            f"{len(first)}.",
            stacklevel=2,
        )
    return paired_t_test(first, second) or (math.nan, math.nan)


class BiasMeasure(Measure):
    """A measure of Fairpool as ir_measures knows measures."""

    DEFINITION: Definition
    FIXED: dict[str, Any] = {}

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.__name__ = self.NAME

    def __call__(self, **params: Any) -> "BiasMeasure":
        """Fix parameters; `InputError` for one that there is not."""
        if unknown := [name for name in params if name not in self.SUPPORTED_PARAMS]:
            near = "scores" if unknown[0] in _TEXTS else ", ".join(self.SUPPORTED_PARAMS)
            raise InputTypeError(
                f"{self.NAME} has no parameter {unknown[0]!r}.", remedy=f"Use {near}."
            )
        measure: BiasMeasure = super().__call__(**params)
        return measure

    def validate_params(self) -> None:
        """`InputError` for a value that a parameter does not take."""
        try:
            super().validate_params()
        except AssertionError as error:
            raise InputTypeError(
                f"{self.NAME}: {error}.",
                remedy="Give scores and labels as paths, and of others a value that "
                f"`fairpool measures {self.NAME}` names.",
            ) from None

    @property
    def DEFAULT(self) -> float:  # type: ignore[override] # noqa: N802 - the name it asks for
        """The value of a query that the run does not have."""
        return float("nan") if self["undefined"] == "nan" else Undefined()

    def aggregator(self) -> Mean:
        return Mean()

    def request(self, longest: int = MOST_CUTOFF) -> Request:
        """The measure with its parameters and cut-off, to be computed.

        Without a cut-off it is of whole lists, of which the `longest` has so many documents.
        """
        params = {name: value for name, value in self.params.items() if name not in _OWN}
        definition, cutoff = self.DEFINITION, self.params.get("cutoff", longest)
        if "cutoff" not in self.params and "qrels" in definition.needs and longest < MOST_CUTOFF:
            raise InputError(
                f"{self} compares a list with a target of as many ranks.",
                remedy=f"Give a cut-off: {self}@{MAIN_CUTOFF}.",
            )
        if params.pop("rbdf", True) is False:
            definition = get(f"{definition.name}-noRBDF").definition
        if "background" in definition.params:
            params.setdefault("background", "collection")
        return Request(definition.name, definition(cutoff, **params), (cutoff,))

    def unbound(self) -> OurMeasure:
        """The measure without its files, and with a cut-off where it was given one."""
        unknown = [name for name in self.params if name not in self.SUPPORTED_PARAMS]
        if unknown:
            self.DEFINITION.param(unknown[0])
        measure = self.request().measure
        return measure if "cutoff" in self.params else measure.definition(**measure.given)

    def needs(self) -> frozenset[Need]:
        """Inputs of the measure beside the run."""
        return self.request().measure.needs

    def labels(self) -> DocumentNumbers | None:
        """The labels of documents, for the measures that may take them."""
        path = self.params.get("labels")
        return read_labels(path) if path else None

    def magnitudes(self, texts: dict[str, str] | None) -> Magnitudes | None:
        """The scored collection of `scores`, or one of the texts of the run's documents."""
        if "magnitudes" not in self.needs():
            return None
        if self["scores"]:
            return current_magnitudes(self["scores"])
        if texts is None:
            raise InputError(
                f"{self} needs the documents' texts.",
                remedy="Name a scored collection, scores='m.parquet', or give a run with a "
                "column text.",
            )
        of_all = self.params.get("target") == "background" or self.NAME == "RaB_adjusted"
        if of_all or "background" in self.DEFINITION.needs:
            raise InputError(
                f"{self} looks at the whole collection, not only at the run's documents.",
                remedy="Name a scored collection: scores='m.parquet'.",
            )
        return MagnitudesInMemory(texts, tokenizer=self["tokenizer"])


class _Evaluator(providers.Evaluator):
    def __init__(self, measures: list[BiasMeasure], qrels: Qrels) -> None:
        super().__init__(measures, set(qrels))
        self._ours = measures
        #: Theirs may be numbers, ours are text.
        self._their_qid = {checked_id(qid, "query"): qid for qid in qrels}
        self._qrels = {
            checked_id(qid, "query"): {checked_id(d, "document"): grade for d, grade in of.items()}
            for qid, of in qrels.items()
        }

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        read, texts = _as_run(run)
        if read is not None:
            read = self._met(read)
        for measure in self._ours:
            yield from self._metrics(measure, read, texts)

    def _met(self, run: Run) -> Run:
        """The run with queries as the qrels write them, where the two differ in `.0` alone."""
        names = met(run.qids, self._their_qid)
        if names is None:
            return run
        warnings.warn(renamed_text("the queries of the run", run.qids, names), stacklevel=2)
        return renamed_queries(run, names)

    def _metrics(
        self, measure: BiasMeasure, run: Run | None, texts: dict[str, str] | None
    ) -> Iterator[Metric]:
        if run is None:
            return
        qids = tuple(sorted(self._their_qid))
        longest = int(np.diff(run.offsets).max(initial=1))
        [result] = measure_runs(
            [run],
            measure.magnitudes(texts),
            [measure.request(longest)],
            chosen=Population("judged", qids),
            missing=measure["missing"],
            qrels=self._qrels,
            labels=measure.labels(),
        )
        for qid, value in zip(qids, result.per_query.value.tolist(), strict=True):
            known = measure.DEFAULT if math.isnan(value) else value
            yield Metric(self._their_qid[qid], measure, known)


class FairpoolProvider(providers.Provider):
    """Computes the measures of this module; `ir_measures.providers.registry["fairpool"]`."""

    NAME = "fairpool"
    SUPPORTED_MEASURES: list[Measure] = []

    def supports(self, measure: Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, BiasMeasure)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        needs_text = any(
            isinstance(m, BiasMeasure) and not m["scores"] and "magnitudes" in m.needs()
            for m in measures
        )
        return ["query_id", "doc_id", "score", *(["text"] if needs_text else [])]

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        by_grade = any(isinstance(m, BiasMeasure) and "qrels" in m.needs() for m in measures)
        return ["query_id", "doc_id", "relevance"] if by_grade else ["query_id"]

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> _Evaluator:
        ours = [measure for measure in measures if isinstance(measure, BiasMeasure)]
        return _Evaluator(ours, judged_queries(qrels, self.qrel_inputs(ours)))


def _as_run(run: Any) -> tuple[Run | None, dict[str, str] | None]:
    """Return the run, and the texts of its documents, if any."""
    if hasattr(run, "itertuples"):
        if not len(run):
            return None, None
        texts = None
        if "text" in run.columns:
            texts = dict(zip(run["doc_id"].astype(str), run["text"], strict=True))
        return Run.from_frame(run, "run"), texts
    scores = RunConverter(run).as_dict_of_dict()
    return (Run.from_dict(scores, "run") if any(scores.values()) else None), None


def _parameters(definition: Definition) -> dict[str, ParamInfo]:
    own = {
        "cutoff": ParamInfo(dtype=int, required=False, desc="ranks to look at (default: all)"),
        "scores": ParamInfo(dtype=str, default="", desc="a scored collection, a Parquet file"),
        "tokenizer": ParamInfo(
            dtype=str, choices=TOKENIZERS, default="word", desc="how the column text is cut"
        ),
        "missing": ParamInfo(
            dtype=str,
            choices=("error", "zero", "skip"),
            default="error",
            desc="what becomes of a document that the collection does not have",
        ),
        "undefined": ParamInfo(
            dtype=str,
            choices=("skip", "nan"),
            default="skip",
            desc="whether the mean leaves undefined queries out or is NaN",
        ),
    }
    theirs = {
        name: ParamInfo(
            dtype=info.dtype,
            default=info.default,
            desc=info.description,
            **({"choices": info.choices} if info.choices else {}),
        )
        for name, info in definition.params.items()
    }
    if "attributes" in theirs:
        own["labels"] = ParamInfo(dtype=str, default="", desc="labels of documents, a file")
    return {**own, **theirs}


def _registered(definition: Definition) -> BiasMeasure:
    """The measure, made known to ir_measures by a name that is an identifier."""
    parameters = _parameters(definition)
    if definition.name in ("TED", "TExFAIR"):
        parameters["rbdf"] = ParamInfo(
            dtype=bool, default=True, desc="weigh with the share of documents with group words"
        )
    name = definition.name.replace("-", "_")
    kind = type(
        name,
        (BiasMeasure,),
        {
            "__doc__": f"{definition.summary}\n\n{definition.formula}\n\n{definition.citation}",
            "NAME": name,
            "PRETTY_NAME": definition.name,
            "SHORT_DESC": definition.summary,
            "SUPPORTED_PARAMS": parameters,
            "DEFINITION": definition,
        },
    )
    measure: BiasMeasure = kind()
    ir_measures.measures.register(measure)
    return measure


# The others are effectiveness, which ir_measures has, and take files of their own alone.
_MEASURES = {
    measure.NAME: measure
    for measure in (
        _registered(definition)
        for definition in available()
        if "magnitudes" in definition.needs and not definition.name.endswith("-noRBDF")
    )
}
RaB = _MEASURES["RaB"]
ARaB = _MEASURES["ARaB"]
RaB_adjusted = _MEASURES["RaB_adjusted"]
FaiRR = _MEASURES["FaiRR"]
NFaiRR = _MEASURES["NFaiRR"]
AWRF = _MEASURES["AWRF"]
AWRF_TREC = _MEASURES["AWRF_TREC"]
EE_L = _MEASURES["EE_L"]
EE_D = _MEASURES["EE_D"]
EE_R = _MEASURES["EE_R"]
NDKL = _MEASURES["NDKL"]
ExposureRatio = _MEASURES["ExposureRatio"]
TED = _MEASURES["TED"]
TExFAIR = _MEASURES["TExFAIR"]

AnswerBias = ANSWER_MEASURES["AnswerBias"]
AnswerShare = ANSWER_MEASURES["AnswerShare"]
CitedShare = ANSWER_MEASURES["CitedShare"]
CitedChange = ANSWER_MEASURES["CitedChange"]

provider = providers.register(FairpoolProvider())
ir_measures.DefaultPipeline.providers += [provider, providers.register(AnswerProvider())]


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and hasattr(ir_measures, name):
        raise InputAttributeError(
            f"fairpool.ir_measures has no {name}.", remedy=f"Use ir_measures.{name}, which has it."
        )
    raise InputAttributeError(
        f"fairpool.ir_measures has no {name}.", remedy=f"It has {', '.join(map(str, _MEASURES))}."
    )
