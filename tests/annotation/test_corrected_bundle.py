"""Bundles with models' labels and corrected figures: verified from their tables, and imported."""

from pathlib import Path

import pytest

from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.corrected_table import figure_rows
from annotation.labels.queries.raters import prompt_digest
from annotation.models import Batch, BatchQuery, ModelRater, Study
from annotation.reports.bundle.verify import verify_bundle
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.reports.operations.make_bundle import make_bundle
from annotation.reports.queries.bundles import bundle_folder
from annotation.vocabulary import BatchState
from metrics.errors import InputError
from pooling.models import Pool
from tests.annotation.test_corrected_figures import labelled
from tests.annotation.test_samples import draw, rated
from tests.bundles import changed, contents
from tests.performing import do
from tests.study import ONE_BY_ONE, stored_pool

pytestmark = pytest.mark.django_db
FIGURES = "batches/2/figures/corrected.json"


@pytest.fixture
def pool() -> Pool:
    made = stored_pool(60)
    rater = rated(made.belongs.study)
    rater.prompt, rater.parameters = "Say n or f.", {"address": "http://inner:1", "seed": 0}
    rater.prompt_sha256 = prompt_digest(rater.prompt)
    rater.save()
    return made


def bundle(pool: Pool, design: str = "simple") -> Path:
    """Of a study whose sample is continued once; the second batch has the figures of both."""
    first = draw(pool, size=20, design=design)
    labelled(first.pool, "first")
    labelled(draw(first.pool, size=10, seed=4).pool, "second")
    Batch.objects.update(state=BatchState.PUBLISHED)
    study = pool.belongs.study
    return bundle_folder(study_id=study.pk) / make_bundle(study=study).name


def imported(path: Path) -> Study:
    with path.open("rb") as stream:
        made: Study = do(IMPORT_BUNDLE, None, filename="b.zip", name="again", stream=stream).made
    return made


@pytest.mark.long
@pytest.mark.parametrize("design", ONE_BY_ONE)
def test_figures_are_verified_and_an_imported_study_has_the_same(pool: Pool, design: str) -> None:
    path = bundle(pool, design)
    verification = verify_bundle(path)
    assert not verification.differences
    assert verification.checked["corrected figures"] > 0
    before, after = (
        figure_rows(corrected_figures(batch=batch, parameters=FigureParameters()))
        for batch in (Batch.objects.get(name="second"), imported(path).batches.latest("pk"))
    )
    assert before == after
    n_labelled = BatchQuery.objects.filter(batch__study=pool.belongs.study).count()
    assert {row["n"] for row in before} == {n_labelled}


@pytest.mark.long
def test_models_come_with_their_prompts_and_without_their_addresses(pool: Pool) -> None:
    path = bundle(pool)
    files = contents(path)
    assert b"//inner" not in b"".join(files.values())
    sheet = files["README.md"].decode()
    assert "`a model` (imported), 60 answers, 0 of them missing, prompt with SHA-256" in sheet
    assert "corrected" in sheet.split("Corrected figures (batch 2)")[1]
    again = imported(path).model_raters.get()
    original = ModelRater.objects.exclude(pk=again.pk).get()
    assert (again.name, again.prompt, again.parameters) == ("a model", "Say n or f.", {"seed": 0})
    assert again.prompt_sha256 == prompt_digest(again.prompt)
    answers = ("qid", "category", "belief")
    assert sorted(again.labels.values_list(*answers)) == sorted(
        original.labels.values_list(*answers)
    )


@pytest.mark.long
def test_a_changed_figure_label_or_sample_is_noticed(pool: Pool) -> None:
    path = bundle(pool)
    for name, old, new in (
        (FIGURES, '"effective_n": ', '"effective_n": 1'),
        (FIGURES, '"n_labelled": 30', '"n_labelled": 31'),
        ("models/1/model_labels.csv", "q1,n,0.0", "q1,n,0.9"),
        ("batches/1/labels.csv", ",n,released", ",f,released"),
    ):
        assert verify_bundle(changed(path, name, old, new)).differences
    forged = changed(path, "pools/1/pool.json", '"name": "top"', '"name": "other"')
    with pytest.raises(InputError, match="sample cannot be read"):
        imported(forged)
