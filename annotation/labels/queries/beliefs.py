"""Models' beliefs about the queries of a study."""

from collections.abc import Collection, Mapping, Sequence

from annotation.models import ModelLabel, ModelRater
from annotation.schemes import JOINED
from metrics.statistics.model_beliefs import (
    Beliefs,
    LabellingModel,
    ModelAnswer,
    mean_beliefs,
)


def beliefs_of(
    raters: Sequence[ModelRater],
    category: str,
    qids: Collection[str],
    texts: Mapping[str, str] | None = None,
) -> Beliefs:
    """Beliefs of `raters` together that `qids` are of `category`, an option or several, joined."""
    models = [labelling_model(rater) for rater in raters]
    return mean_beliefs(models, category.split(JOINED), qids, texts)


def labelling_model(rater: ModelRater) -> LabellingModel:
    """The rater with its answers."""
    answers = ModelLabel.objects.filter(rater=rater).order_by("qid")
    rows = answers.values_list("qid", "category", "belief").iterator()
    return LabellingModel(
        name=rater.name,
        category=rater.category,
        prompt=rater.prompt,
        answers=tuple(ModelAnswer(*row) for row in rows),
        n_options=len(rater.options),
    )
