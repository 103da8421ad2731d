"""Learn from the labels at hand what the other queries are: no language model, no download."""

from collections.abc import Mapping

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run, checkpoint
from annotation.core.parameters import NoParameters
from annotation.labels.operations.imports import CHUNK
from annotation.labels.queries.raters import people_labels, pool_behind
from annotation.models import AuditEvent, Batch, ModelLabel, ModelRater
from annotation.vocabulary import AuditAction, Category, RaterOrigin, TaskKind
from metrics.errors import InputError
from metrics.statistics.beliefs import cross_fitted_beliefs, text_features
from metrics.version import VERSION

#: What the rater is called; each category has one of its own.
NAME = "Own classifier"
#: Labels that are learned from, at least, and those of a category and of the others among them.
FEWEST_LABELS, _FEWEST_OF_EITHER = 50, 5


class TrainClassifier(Operation[Batch, NoParameters]):
    """Learn the categories of the pool's queries from those that people have labelled.

    The beliefs are stored as those of a model, and replace what was learned before. No belief about
    a labelled query knows that label: five classifiers each learn without a fifth of the labels.
    """

    name = "train classifier"
    path = "train-classifier"
    page = "train-classifier"
    title = "Train a classifier"
    button = "Train it"
    queued = "The classifier is being trained; its beliefs appear under Models of the study."
    subject = Batch
    parameters = NoParameters
    job = TaskKind.CLASSIFY

    def estimate(self, subject: Batch, parameters: NoParameters) -> Estimate:
        texts, labels = _material(subject)
        few = (
            f"{len(labels):,} of its queries have a label; it takes {FEWEST_LABELS} to learn from."
        )
        return Estimate(
            n_queries=len(texts),
            facts=(("Queries", f"{len(texts):,}"), ("Labels to learn from", f"{len(labels):,}")),
            nothing=few if len(labels) < FEWEST_LABELS else "",
        )

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        texts, labels = _material(subject)
        if len(labels) < FEWEST_LABELS:
            raise InputError(
                f"{len(labels):,} labels are too few to learn from.",
                remedy=f"It takes {FEWEST_LABELS}: collect more, and decide the labels.",
            )
        beliefs = _beliefs(texts, labels)
        with transaction.atomic():
            _store(subject, list(texts), beliefs, len(labels), run.actor.name)
            checkpoint(run.advance)
        values = {"queries": len(texts), "labels": len(labels), "categories": list(beliefs)}
        named = ", ".join(Category(code).label.lower() for code in beliefs)
        return Result(
            values, f"Learned from {len(labels):,} labels: {named}, of {len(texts):,} queries."
        )


TRAIN_CLASSIFIER = TrainClassifier()


def _material(batch: Batch) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of the queries of the pool, and what people say of some of them, by id."""
    pool = pool_behind(batch=batch)
    queries = pool.queries.order_by("qid") if pool else batch.queries.filter(gold="")
    texts = dict(queries.values_list("qid", "text"))
    labels = people_labels(study=batch.study)
    return texts, {qid: labels[qid] for qid in texts if qid in labels}


def _beliefs(texts: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
    """By category, the belief about each query; none where too few labels say so, or otherwise."""
    features = text_features(list(texts.values()))
    rows = [row for row, qid in enumerate(texts) if qid in labels]
    found = {}
    for category in Category.values:
        outcomes = [labels[qid] == category for qid in texts if qid in labels]
        if _FEWEST_OF_EITHER <= sum(outcomes) <= len(outcomes) - _FEWEST_OF_EITHER:
            found[category] = cross_fitted_beliefs(features, rows, outcomes)
    if not found:
        raise InputError(
            "nearly all labels are of one category.",
            remedy=f"It takes {_FEWEST_OF_EITHER} labels of a category, and as many of others.",
        )
    return found


def _store(
    batch: Batch,
    qids: list[str],
    beliefs: Mapping[str, NDArray[np.float64]],
    n_labels: int,
    actor: str,
) -> None:
    study = batch.study
    study.model_raters.filter(name=NAME, origin=RaterOrigin.CLASSIFIER).delete()
    for category, of_queries in beliefs.items():
        rater = ModelRater.objects.create(
            study=study,
            name=NAME,
            origin=RaterOrigin.CLASSIFIER,
            category=category,
            parameters={"batch": batch.name, "labels": n_labels, "folds": 5, "seed": 0},
            program_version=VERSION,
            actor=actor,
        )
        ModelLabel.objects.bulk_create(
            (
                ModelLabel(rater=rater, qid=qid, belief=float(belief))
                for qid, belief in zip(qids, of_queries, strict=True)
            ),
            batch_size=CHUNK,
        )
    AuditEvent.objects.create(
        study=study,
        batch=batch,
        actor=actor,
        action=AuditAction.CLASSIFIER_TRAINED,
        detail={"labels": n_labels, "queries": len(qids), "categories": list(beliefs)},
    )
