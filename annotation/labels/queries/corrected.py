"""Corrected figures: of the whole pool that a sample was drawn from, by people and by models."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from annotation.core.counting import about_items, plural
from annotation.core.parameters import TermError, parameter
from annotation.labels.queries.beliefs import labelling_model
from annotation.labels.queries.corrected_notes import notes_of
from annotation.labels.queries.questions import (
    category_chosen,
    modelled_question,
    modelled_question_parameter,
)
from annotation.labels.queries.raters import raters_for
from annotation.labels.queries.samples import biases_of, drawn_ids
from annotation.models import Batch, DrawnSample, Label, ModelRater, Vote
from annotation.models.labels import LONGEST_VALUE
from annotation.schemes import JOINED, Question
from annotation.vocabulary import LONGEST_ID, LONGEST_OWN_NAME, SampleDesign, WorkerKind
from metrics.errors import InputError
from metrics.statistics.pool_figures import LabelledPool, PoolFigure

TARGETS = [("pool", "This pool"), ("population", "Queries like these")]


@dataclass(frozen=True, kw_only=True)
class FigureParameters:
    """Parameters of figures: the figures, their target population, and the models."""

    question: str = modelled_question_parameter("Whose answers")
    category: str = parameter(
        "",
        max_length=LONGEST_VALUE,
        allow_blank=True,
        label="Mean bias over",
        help_text="The queries that people gave this option: a code, or several with ; between "
        "them. Left out, the subset.",
    )
    baseline: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Baseline",
        help_text="The run that the others are compared with; left out, the first by name.",
    )
    target: Literal["pool", "population"] = parameter(
        "pool",
        choices=TARGETS,
        label="Intervals for",
        help_text="This pool as it is, or all queries of which it is a sample.",
    )
    model: str = parameter(
        "",
        max_length=LONGEST_ID,
        allow_blank=True,
        label="Model",
        help_text="Whose labels are used; left out, the mean of all models of the study.",
    )
    half_width: float = parameter(
        0.02,
        min_value=0.0001,
        max_value=1,
        label="Wanted: plus or minus",
        help_text="The half width of the intervals that the labels should give.",
    )


@dataclass(frozen=True)
class CorrectedFigures:
    """The figures, and what they rest on; `why_not` says why there are none and what to do.

    They are of `question`, and the category of `parameters` is the one that was found for it.
    `n_drawn` queries of `n_pool` were drawn, and `n_labelled` of them have a label of people.
    `models` are those whose beliefs were used; about `n_unknown` queries they say nothing. Their
    prompts show `n_shown` queries, about which their labels were left out. `is_simulated` where
    some of the labels come from votes of simulated workers.
    """

    parameters: FigureParameters
    question: Question | None = None
    why_not: str = ""
    sample: DrawnSample | None = None
    n_pool: int = 0
    n_drawn: int = 0
    n_labelled: int = 0
    models: tuple[str, ...] = ()
    n_unknown: int = 0
    n_shown: int = 0
    is_simulated: bool = False
    runs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[PoolFigure, ...] = field(default=())

    @property
    def every_look(self) -> bool:
        """True if the intervals hold at every look: where their width ends the drawing."""
        return self.sample is not None and self.sample.half_width is not None

    def name_of(self, figure: PoolFigure) -> str:
        """Name of a figure, in words."""
        words = self.question.labels if self.question else {}
        category = " or ".join(words.get(code) or code for code in figure.category.split(JOINED))
        if figure.kind == "share":
            return f"Share {category.lower()}"
        difference = f" minus {figure.other}" if figure.other else ""
        return f"Mean bias of {figure.run}{difference}, {category.lower()}"


_WHOLE_QUERIES = (
    "Whole queries were drawn, and the pairs of a query are not draws of their own. A report with "
    "judgments of this batch has its figures: nDCG, and the bias by labels of passages."
)


def corrected_figures(*, batch: Batch, parameters: FigureParameters) -> CorrectedFigures:
    """The figures of the pool that the batch's queries were drawn from.

    Labels of all batches count that ask for queries of the same sample, the latest one first.
    Raises `TermError` for a question, a model or a baseline that is not there.
    """
    try:
        question = modelled_question(batch=batch, name=parameters.question)
    except InputError as error:
        if parameters.question:
            raise TermError.of("question", error) from None
        return CorrectedFigures(parameters, why_not=str(error))
    category = category_chosen(batch.scheme, question, parameters.category)
    parameters = replace(parameters, question=question.name, category=category)
    sample = DrawnSample.objects.filter(pool=batch.pool_id).select_related("parent").first()
    if sample is None:
        return CorrectedFigures(parameters, question, why_not=_not_drawn(batch))
    if sample.design == SampleDesign.QUERIES:
        return CorrectedFigures(parameters, question, why_not=_WHOLE_QUERIES)
    raters = _raters(batch, question, parameters.model)
    queries = list(sample.parent.queries.order_by("qid"))
    drawn, outcomes = drawn_ids(sample), _outcomes(sample, question)
    labelled = {qid: label for qid, label in outcomes.items() if qid in drawn}
    biases = biases_of(queries)
    if parameters.baseline and parameters.baseline not in biases:
        raise TermError(
            "baseline",
            f"the pool has no bias of a run {parameters.baseline!r}.",
            remedy=f"Runs are {', '.join(biases) or 'none; pool the queries again'}.",
        )
    pool = LabelledPool.of(
        {query.qid: query.text for query in queries},
        labelled,
        map(labelling_model, raters),
        {code: code.split(JOINED) for code in (*question.codes, parameters.category)},
        parameters.category,
        strata=sample.strata,
        chances=sample.chances if sample.design == SampleDesign.UNEQUAL else {},
    )
    known = pool.beliefs[parameters.category]
    corrected = CorrectedFigures(
        parameters=parameters,
        question=question,
        sample=sample,
        n_pool=len(queries),
        n_drawn=len(drawn),
        n_labelled=len(labelled),
        models=pool.models,
        n_unknown=known.n_unknown if known.models else 0,
        n_shown=known.n_shown,
        is_simulated=_is_simulated(sample),
        runs=tuple(biases),
    )
    if len(labelled) < len(drawn):
        missing, nouns = len(drawn) - len(labelled), plural(sample.parent.item_noun)
        why = (
            f"{missing:,} of the {len(drawn):,} drawn {nouns} have no label yet, and those that "
            "have one are not a random sample. Collect their answers and decide the labels."
        )
        if batch.suggested_by:
            why = (
                f"Annotators saw what the model {batch.suggested_by!r} says, so their labels "
                "cannot correct it. Make a batch from the same sample that shows no model's "
                "labels."
            )
        return _with(corrected, why_not=why)
    figures = pool.figures(
        biases,
        baseline=parameters.baseline or min(biases, default=""),
        target=parameters.target,
        every_look=corrected.every_look,
    )
    notes = [
        about_items(note, sample.parent.item_noun) for note in notes_of(corrected, pool, biases)
    ]
    return _with(corrected, figures=tuple(figures), notes=tuple(notes))


def _with(corrected: CorrectedFigures, **changes: Any) -> CorrectedFigures:
    return replace(corrected, **changes)


def _not_drawn(batch: Batch) -> str:
    """Say why the existing labels say nothing about the queries without one."""
    nouns = plural(batch.scheme.item_noun)
    if batch.pool is None:
        how = f"The {nouns} of this batch were not drawn at random by this site"
    else:
        how = f"This batch asks about the {nouns} of a whole pool, not of a sample"
    return (
        f"{how}, so nothing is known about the other {nouns}: labels that were imported, decided "
        f"first or about the most biased {nouns} are not a random sample, and no formula "
        "corrects that. Draw a sample on the page of a pool, and make a batch from it."
    )


def _raters(batch: Batch, question: Question, model: str) -> list[ModelRater]:
    raters = list(raters_for(study=batch.study, question=question))
    chosen = [rater for rater in raters if not model or rater.name == model]
    if model and not chosen:
        known = ", ".join(sorted({rater.name for rater in raters})) or "none"
        raise TermError(
            "model",
            f"the study has no model {model!r} that answers {question.name!r}.",
            remedy=f"Models are {known}.",
        )
    return chosen


def _outcomes(sample: DrawnSample, question: Question) -> dict[str, str]:
    """Return people's label of each query, a later batch's before an earlier one's.

    Labels of people who saw a model's suggestions are left out.
    """
    pools = [part.pool_id for part in sample.parts]
    labels = Label.objects.standing().filter(
        question=question.name,
        query__batch__pool__in=pools,
        query__batch__removed_at=None,
        query__batch__suggested_by="",
    )
    return dict(labels.order_by("query__batch_id").values_list("query__qid", "value"))


def _is_simulated(sample: DrawnSample) -> bool:
    pools = [part.pool_id for part in sample.parts]
    votes = Vote.objects.filter(query__batch__pool__in=pools, query__batch__removed_at=None)
    return votes.filter(worker__kind=WorkerKind.SIMULATED).exists()
