"""Store the models of a bundle, with their labels."""

from annotation.labels.operations.imports import CHUNK
from annotation.labels.queries.raters import prompt_digest
from annotation.models import ModelLabel, ModelRater, Study
from annotation.reports.bundle.study import ModelBundle
from annotation.reports.queries.model_bundles import MODEL_TERMS
from metrics.errors import InputError
from metrics.io.unseen import check_visible


def store_model(read: ModelBundle, *, study: Study, actor: str) -> ModelRater:
    """Store a rater of the study with its labels. Its cost is in no bundle."""
    terms = {name: read.terms[name] for name in MODEL_TERMS}
    terms["parameters"] = dict(terms["parameters"])
    name = check_visible(read.name, "a model")
    rater = ModelRater(study=study, name=name, actor=actor, **terms)
    rater.prompt_sha256 = prompt_digest(rater.prompt)
    rater.clean_fields(exclude={"parameters"})  # may be empty
    _check_options(read, rater)
    rater.save()
    ModelLabel.objects.bulk_create(
        (
            ModelLabel(rater=rater, qid=row.qid, category=row.category or None, belief=row.belief)
            for row in read.labels
        ),
        batch_size=CHUNK,
    )
    return rater


def _check_options(read: ModelBundle, rater: ModelRater) -> None:
    """Refuse a model that could not choose, and a label that is none of its options."""
    options = rater.options if isinstance(rater.options, list) else []
    codes = {"", *map(str, options)}
    labels = {rater.category, *(row.category for row in read.labels)}
    if not len(codes - {""}) > 1 or not labels <= codes:
        raise InputError(
            f"the model {read.name!r} has a label that is none of its options, or no two options."
        )
