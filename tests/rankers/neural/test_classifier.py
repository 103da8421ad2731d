"""The site's own classifier on sentence embeddings, by an encoder among the models of the site."""

from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from annotation.core.parameters import TermError
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.queries.beliefs import beliefs_of
from annotation.models import Study
from metrics.statistics.beliefs import cross_fitted_beliefs, text_features
from rankers.neural.dense_index import text_vectors
from rankers.neural.pretrained import model_hash
from tests.performing import do

pytestmark = pytest.mark.django_db
#: Each word is in one query: only their meaning is alike.
WORDS = {
    "f": """queen woman girl mother sister aunt daughter wife grandmother lady actress niece
    princess bride heroine goddess waitress nun duchess housewife widow mistress stepmother
    empress ballerina countess hostess schoolgirl maid stewardess""",
    "n": """bread oven tide stone river carpet engine bridge cloud ladder mountain paper
    window forest copper island harbour pencil planet garlic tunnel winter battery compass
    valley glacier hammer lantern orchard saddle""",
}


def taught_study(folder: Path) -> Study:
    """A study with 60 labelled queries, half of them female."""
    words = [(word, label) for label, some in WORDS.items() for word in some.split()]
    lines = [f"q{number},about the {word},{label}" for number, (word, label) in enumerate(words)]
    path = folder / "labels.csv"
    path.write_text("\n".join(lines))
    study = Study.objects.create(name="taught")
    do(IMPORT_LABELS, study, file=path, name="people")
    return study


def test_beliefs_of_sentence_embeddings_are_cross_fitted(
    encoder_folder: Path, settings: Settings, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "minilm").symlink_to(encoder_folder)
    settings.MODELS_DIR = str(models)
    study = taught_study(tmp_path)
    batch = study.batches.get()
    with pytest.raises(TermError, match=r"no model 'other'.*minilm"):
        do(TRAIN_CLASSIFIER, batch, encoder="other")
    do(TRAIN_CLASSIFIER, batch, encoder="minilm")
    rater = study.model_raters.get(category="f")
    assert rater.parameters["encoder_sha256"] == model_hash(str(encoder_folder))
    texts = dict(batch.queries.values_list("qid", "text"))
    labels = dict(batch.queries.values_list("qid", "labels__value"))
    is_female = np.array([labels[qid] == "f" for qid in texts])
    found = beliefs_of([rater], "f", list(texts)).by_query
    vectors = text_vectors(str(encoder_folder), list(texts.values())).astype(np.float64)
    by_hand = cross_fitted_beliefs(vectors, np.arange(len(texts)), is_female)
    np.testing.assert_allclose([found[qid] for qid in texts], by_hand, atol=1e-5)
    # No belief knows its label: with one turned round, that query's own belief stays.
    turned = is_female.copy()
    turned[0] = not turned[0]
    assert cross_fitted_beliefs(vectors, np.arange(len(texts)), turned)[0] == by_hand[0]
    by_ngrams = cross_fitted_beliefs(
        text_features(list(texts.values())), np.arange(len(texts)), is_female
    )
    right, without = (np.mean((one > 0.5) == is_female) for one in (by_hand, by_ngrams))
    assert right > 0.9 > without
