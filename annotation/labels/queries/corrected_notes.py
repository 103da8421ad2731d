"""Notes on corrected figures."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import Count

from annotation.core.counting import counted
from annotation.models import Choice, DrawnSample, Vote
from annotation.schemes import Question
from metrics.statistics.few_labels import Sample
from metrics.statistics.pool_figures import Array, LabelledPool

if TYPE_CHECKING:
    from annotation.labels.queries.corrected import CorrectedFigures

#: Belief of a model without scores in its label, and belief about queries without its label.
_CERTAIN = (0, 0.5, 1)


def notes_of(
    figures: "CorrectedFigures", pool: LabelledPool, biases: Mapping[str, Array]
) -> Iterable[str]:
    """Yield what makes the figures doubtful, or other than a reader would guess."""
    yield from _notes(figures, pool.samples)
    yield from pool.doubts(biases.values())
    if figures.sample is not None and figures.question is not None:
        yield from _by_one_person(figures.sample, figures.question)
        yield from _undecided(figures.question, pool.labels)


def _by_one_person(sample: DrawnSample, question: Question) -> Iterable[str]:
    """Say how many labels rest on the answer of one person."""
    pools = [part.pool_id for part in sample.parts]
    votes = Vote.objects.filter(query__batch__pool__in=pools, query__batch__removed_at=None)
    answers = Choice.objects.filter(vote__in=votes.counted(), question=question.name)
    by_query = answers.order_by().values("vote__query__qid")
    counts = list(by_query.annotate(n=Count("vote__worker", distinct=True)).values_list("n"))
    if n_single := sum(n == 1 for (n,) in counts):
        yield (
            f"{n_single:,} of {len(counts):,} drawn queries were labelled by one person. That "
            "answer counts as the truth: no interval here includes how people differ."
        )


def _undecided(question: Question, labelled: Mapping[str, str]) -> Iterable[str]:
    """Say by how much the shares of the categories fall short of 1."""
    n = sum(label not in question.codes for label in labelled.values())
    if n:
        yield (
            f"{n:,} of {len(labelled):,} drawn queries have no category, as people were tied or "
            "could not tell: they count in no share, so the shares of people add up to less "
            "than 1."
        )


def _notes(figures: "CorrectedFigures", samples: Mapping[str, Sample]) -> Iterable[str]:
    if figures.is_simulated:
        yield "Labels of people are simulated here: these are not figures to publish."
    is_complete = figures.n_labelled == figures.n_pool > 0
    if is_complete and figures.parameters.target == "pool":
        yield (
            f"People labelled all {figures.n_pool:,}: nothing is estimated, so the intervals "
            "have no width."
        )
    elif not figures.models:
        yield (
            "No model labelled these queries: the figures are those of people alone. Import a "
            "model's labels of the whole pool for narrower intervals."
        )
    elif any(not np.isin(sample.belief, _CERTAIN).all() for sample in samples.values()):
        yield (
            "The figures of models alone are means of their beliefs: of several models, or of the "
            "scores that one gave. They differ from counts of their labels, as elsewhere."
        )
    if figures.every_look:
        yield (
            "The intervals hold at every look, because drawing ends by their width: they are more "
            "than half as wide again as intervals for one look."
        )
    if figures.n_unknown:
        queries = counted(figures.n_unknown, "query")
        yield f"The models say nothing of {queries}: a belief of .5 stands in."
    if figures.n_shown:
        yield (
            f"Prompts of the models show queries of the pool as examples: {figures.n_shown:,}. "
            "What a model says about a query in its own prompt is left out."
        )
    is_of_pairs = figures.sample is not None and figures.sample.parent.of_pairs
    if not figures.runs and not is_of_pairs:
        yield "The pool has no bias of its queries. Pool the runs again for means of bias."
