"""Training a classifier on the labels at hand, without a language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from annotation.core.consent import Estimate
from annotation.core.counting import counted, plural
from annotation.core.operations import Operation, Result, Run, checkpoint
from annotation.core.parameters import TermError, about, parameter
from annotation.labels.operations.imports import CHUNK
from annotation.labels.queries.questions import modelled_question, modelled_question_parameter
from annotation.labels.queries.raters import people_labels, pool_behind, raters_for
from annotation.language_models.prompt import item_text
from annotation.models import AuditEvent, Batch, ModelLabel, ModelRater
from annotation.schemes import Question
from annotation.studies.queries.rankers import model_folder, model_names
from annotation.vocabulary import OWN_CLASSIFIER, AuditAction, RaterOrigin, TaskKind
from metrics.errors import InputError
from metrics.extras import has
from metrics.statistics.beliefs import cross_fitted_beliefs, text_features
from metrics.version import VERSION

#: Least number of labels to learn from, and of a category and of the others among them.
FEWEST_LABELS, _FEWEST_OF_EITHER = 50, 5


@dataclass(frozen=True, kw_only=True)
class ClassifierParameters:
    question: str = modelled_question_parameter(
        "A question with one answer and options in no order"
    )
    encoder: str = parameter(
        "",
        max_length=100,
        allow_blank=True,
        label="Sentence embeddings of",
        help_text="A sentence encoder among the models of this site. Empty: n-grams of words and "
        "characters.",
    )


class TrainClassifier(Operation[Batch, ClassifierParameters]):
    """Learn the answers about the pool's queries from those that people have labelled.

    The beliefs are stored as those of a model, and replace what was learned before. The belief
    about a labelled query never uses its label: five classifiers each learn without a fifth of the
    labels.
    """

    name = "train classifier"
    path = "train-classifier"
    page = "train-classifier"
    title = "Train a classifier"
    button = "Train it"
    queued = "The classifier is being trained; its beliefs appear under Models of the study."
    subject = Batch
    parameters = ClassifierParameters
    job = TaskKind.CLASSIFY

    def clean(self, subject: Batch, parameters: ClassifierParameters) -> ClassifierParameters:
        if parameters.encoder and not has("sentence_transformers"):
            raise TermError(
                "encoder",
                "sentence embeddings need the neural part, which is not installed here.",
                remedy="Leave it empty for n-grams, or install requirements-neural.txt.",
            )
        if parameters.encoder and parameters.encoder not in model_names():
            raise TermError(
                "encoder",
                f"this site has no model {parameters.encoder!r}.",
                remedy=f"It has {', '.join(model_names()) or 'none'}; whoever runs it puts models "
                "into FAIRPOOL_MODELS_DIR.",
            )
        return parameters

    def estimate(self, subject: Batch, parameters: ClassifierParameters) -> Estimate:
        texts, labels = _material(subject, _question(subject, parameters))
        nouns = plural(subject.scheme.item_noun)
        few = f"{len(labels):,} of its {nouns} have a label; learning needs {FEWEST_LABELS}."
        return Estimate(
            n_queries=len(texts),
            facts=(
                (nouns.capitalize(), f"{len(texts):,}"),
                ("Labels to learn from", f"{len(labels):,}"),
            ),
            nothing=few if len(labels) < FEWEST_LABELS else "",
        )

    def run(self, subject: Batch, parameters: ClassifierParameters, run: Run) -> Result:
        question = _question(subject, parameters)
        texts, labels = _material(subject, question)
        if len(labels) < FEWEST_LABELS:
            raise InputError(
                f"{len(labels):,} labels are too few to learn from.",
                remedy=f"Learning needs {FEWEST_LABELS}: collect more votes and decide the labels.",
            )
        features, encoder = _features(list(texts.values()), parameters.encoder)
        beliefs = _beliefs(question, texts, labels, features)
        made_from = {"batch": subject.name, "labels": len(labels), "folds": 5, "seed": 0, **encoder}
        with transaction.atomic():
            _store(
                subject,
                question,
                beliefs,
                qids=list(texts),
                made_from=made_from,
                actor=run.actor.name,
            )
            checkpoint(run.advance)
        values = {"queries": len(texts), "labels": len(labels), "categories": list(beliefs)}
        named = ", ".join(question.words([code]).lower() for code in beliefs)
        return Result(
            values,
            f"Learned from {len(labels):,} labels: {named}, of "
            f"{counted(len(texts), subject.scheme.item_noun)}.",
        )


TRAIN_CLASSIFIER = TrainClassifier()


def _question(batch: Batch, parameters: ClassifierParameters) -> Question:
    with about("question"):
        return modelled_question(batch=batch, name=parameters.question)


def _material(batch: Batch, question: Question) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of the pool's queries, and people's labels of some of them, by id."""
    pool = pool_behind(batch=batch)
    queries = pool.queries.order_by("qid") if pool else batch.queries.filter(gold="")
    rows = queries.values_list("qid", "text", "passage")
    texts = {qid: item_text(query, passage) for qid, query, passage in rows}
    labels = people_labels(study=batch.study, question=question.name)
    return texts, {qid: labels[qid] for qid in texts if qid in labels}


def _features(texts: list[str], encoder: str) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return the features of each text, and the stored facts about the encoder, if there is one."""
    if not encoder:
        return text_features(texts), {}
    # Imported here, as it takes seconds that no page should wait for.
    from rankers.neural.dense_index import text_vectors  # noqa: PLC0415
    from rankers.neural.pretrained import model_hash  # noqa: PLC0415

    folder = str(model_folder(encoder))
    made_by = {"encoder": encoder, "encoder_sha256": model_hash(folder)}
    return text_vectors(folder, texts).astype(np.float64), made_by


def _beliefs(
    question: Question,
    texts: Mapping[str, str],
    labels: Mapping[str, str],
    features: NDArray[np.float64],
) -> dict[str, NDArray[np.float64]]:
    """Return the belief about each query by category, without categories with too few labels."""
    rows = [row for row, qid in enumerate(texts) if qid in labels]
    beliefs = {}
    for category in question.codes:
        outcomes = [labels[qid] == category for qid in texts if qid in labels]
        if _FEWEST_OF_EITHER <= sum(outcomes) <= len(outcomes) - _FEWEST_OF_EITHER:
            beliefs[category] = cross_fitted_beliefs(features, rows, outcomes)
    if not beliefs:
        raise InputError(
            "nearly all labels are of one category.",
            remedy=f"Learning needs {_FEWEST_OF_EITHER} labels of a category, and as many of "
            "others.",
        )
    return beliefs


def _store(
    batch: Batch,
    question: Question,
    beliefs: Mapping[str, NDArray[np.float64]],
    *,
    qids: list[str],
    made_from: Mapping[str, Any],
    actor: str,
) -> None:
    study = batch.study
    learned = raters_for(study=study, question=question)
    learned.filter(name=OWN_CLASSIFIER, origin=RaterOrigin.CLASSIFIER).delete()
    for category, of_queries in beliefs.items():
        rater = ModelRater.objects.create(
            study=study,
            name=OWN_CLASSIFIER,
            origin=RaterOrigin.CLASSIFIER,
            question=question.name,
            options=list(question.codes),
            category=category,
            parameters=made_from,
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
        detail={
            "model": OWN_CLASSIFIER,
            "labels": made_from["labels"],
            "queries": len(qids),
            "categories": list(beliefs),
        },
    )
