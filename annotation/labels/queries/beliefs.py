"""Models' beliefs about the queries of a study."""

from collections.abc import Collection, Iterable, Mapping

from annotation.models import ModelLabel, ModelRater
from metrics.statistics.model_beliefs import (
    Beliefs,
    LabellingModel,
    ModelAnswer,
    mean_beliefs,
)


def beliefs_of(
    raters: Iterable[ModelRater],
    category: str,
    qids: Collection[str],
    texts: Mapping[str, str] | None = None,
) -> Beliefs:
    """Beliefs of `raters` together about `qids`; see `mean_beliefs`."""
    return mean_beliefs(map(labelling_model, raters), category, qids, texts)


def labelling_model(rater: ModelRater) -> LabellingModel:
    """The rater with its answers, which are read as they are needed."""
    answers = ModelLabel.objects.filter(rater=rater).order_by("qid")
    rows = answers.values_list("qid", "category", "belief").iterator()
    return LabellingModel(
        name=rater.name,
        category=rater.category,
        prompt=rater.prompt,
        answers=(ModelAnswer(*row) for row in rows),
    )
