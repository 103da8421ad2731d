"""The models of a study, as a bundle has them."""

from annotation.models import ModelRater, Study
from annotation.reports.bundle.study import ModelBundle
from annotation.reports.bundle.tables import ModelLabelRow

#: Fields of a model in a bundle; cost, and who asked it, are left out.
MODEL_TERMS = (
    "origin", "question", "options", "category", "prompt", "parameters", "prompt_tokens",
    "completion_tokens", "program_version",
)  # fmt: skip
#: May name a machine of the operator.
_ADDRESS = "address"


def model_bundles(*, study: Study) -> list[ModelBundle]:
    """The models by name, with their labels by query."""
    raters = ModelRater.objects.filter(study=study).order_by("name", "pk")
    return [_model_bundle(rater) for rater in raters]


def _model_bundle(rater: ModelRater) -> ModelBundle:
    terms = {name: getattr(rater, name) for name in MODEL_TERMS}
    terms["parameters"] = {
        name: value for name, value in rater.parameters.items() if name != _ADDRESS
    }
    rows = rater.labels.values_list("qid", "category", "belief")
    return ModelBundle(
        name=rater.name,
        terms={**terms, "prompt_sha256": rater.prompt_sha256},
        labels=sorted(
            (ModelLabelRow(qid, category or "", belief) for qid, category, belief in rows),
            key=lambda row: row.qid,
        ),
    )
