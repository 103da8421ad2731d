"""A classifier of the site's own: beliefs that know no label of their own query."""

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.operations import Actor
from annotation.core.parameters import TermError
from annotation.core.perform import perform
from annotation.jobs.execution import run_job
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.queries.beliefs import beliefs_of
from annotation.models import ModelLabel, ModelRater, Study
from metrics.errors import InputError
from metrics.extras import has
from tests.performing import do

pytestmark = pytest.mark.django_db
WORDS = {"n": "bread oven tide stone", "f": "queen woman her sister", "m": "king man his brother"}


def labelled_study(folder: Path, n: int) -> Study:
    """A study with `n` labelled queries whose words tell the category."""
    chance = np.random.default_rng(0)
    lines = []
    for number in range(n):
        label = "nfm"[number % 3]
        words = " ".join(chance.choice(WORDS[label].split(), 3))
        lines.append(f"q{number},about {words} {number},{label}")
    path = folder / "labels.csv"
    path.write_text("\n".join(lines))
    study = Study.objects.create(name="taught")
    do(IMPORT_LABELS, study, file=path, name="people")
    return study


@pytest.mark.long
def test_beliefs_of_each_category_are_stored_as_those_of_raters(tmp_path: Path) -> None:
    study = labelled_study(tmp_path, 90)
    batch = study.batches.get()
    perform(TRAIN_CLASSIFIER, batch, {}, Actor("test"))
    task = run_job()
    assert task is not None
    assert (task.state, task.result["categories"]) == ("done", ["n", "f", "m"])
    qids = [f"q{number}" for number in range(90)]
    beliefs = beliefs_of(list(study.model_raters.all()), "f", qids)
    assert (beliefs.n_unknown, beliefs.models) == (0, ("Own classifier",))
    said = np.array([beliefs.by_query[qid] for qid in qids])
    is_female = np.arange(90) % 3 == 1
    assert said[is_female].min() > said[~is_female].max()
    do(TRAIN_CLASSIFIER, batch)  # replaces what was learned before
    assert (ModelRater.objects.count(), ModelLabel.objects.count()) == (3, 270)


def test_few_labels_teach_nothing(tmp_path: Path) -> None:
    study = labelled_study(tmp_path, 49)
    with pytest.raises(InputError, match="49 labels"):
        do(TRAIN_CLASSIFIER, study.batches.get())
    assert not ModelRater.objects.exists()


@pytest.mark.skipif(has("sentence_transformers"), reason="the neural part is installed")
def test_without_the_neural_part_sentence_embeddings_are_refused(tmp_path: Path) -> None:
    batch = labelled_study(tmp_path, 60).batches.get()
    with pytest.raises(TermError, match=r"not installed here.*Leave it empty") as refused:
        perform(TRAIN_CLASSIFIER, batch, {"encoder": "minilm"}, Actor("test"))
    assert refused.value.name == "encoder"
    assert not ModelRater.objects.exists()


def test_page_of_a_model_shows_its_labels_beside_those_of_people(
    tmp_path: Path, client: Client, settings: Any
) -> None:
    settings.OPEN = True
    study = labelled_study(tmp_path, 3)
    rater = ModelRater.objects.create(study=study, name="gpt", origin="imported", actor="test")
    for qid, category in (("q0", "n"), ("q1", "m"), ("q2", None)):
        ModelLabel.objects.create(rater=rater, qid=qid, category=category)
    page = client.get(reverse("study-model", args=[study.pk, rater.pk]))
    assert (page.context["n_same"], page.context["n_both"]) == (1, 3)
    assert "33%</strong> <span>of 3 queries" in page.content.decode()
    shown = [(qid, *labels) for qid, _text, *labels in page.context["differing"]]
    assert shown == [("q1", "f", "m"), ("q2", "m", "")]
    assert client.get(reverse("study-model", args=[study.pk, rater.pk + 1])).status_code == 404


def test_the_pages_of_a_model_lead_to_each_other(
    tmp_path: Path, client: Client, settings: Any
) -> None:
    settings.OPEN = True
    study = labelled_study(tmp_path, 30)
    rater = ModelRater.objects.create(study=study, name="gpt", origin="imported", actor="test")
    labels = (ModelLabel(rater=rater, qid=f"q{number}", category="o") for number in range(30))
    ModelLabel.objects.bulk_create(labels)
    page = reverse("study-model", args=[study.pk, rater.pk])
    link = re.search(r'rel="next" href="([^"]*)"', client.get(page).content.decode())
    assert link
    following = client.get(page + html.unescape(link[1]))
    assert len(following.context["differing"]) == 5


@pytest.mark.shared_data
@pytest.mark.long
def test_classifier_of_the_released_labels_beats_the_most_frequent_category(
    shared_data: Path,
) -> None:
    study = Study.objects.create(name="released")
    path = shared_data / "gender_queries" / "queries_gender_annotated.csv"
    do(IMPORT_LABELS, study, file=path, name="people")
    do(TRAIN_CLASSIFIER, study.batches.get())
    labels = dict(study.batches.get().queries.values_list("qid", "labels__value"))
    beliefs = beliefs_of(list(study.model_raters.all()), "n", list(labels)).by_query
    right = np.mean([(beliefs[qid] > 0.5) == (labels[qid] == "n") for qid in labels])
    assert right > 0.7  # 1 - 1,765 / 3,750 = .53
