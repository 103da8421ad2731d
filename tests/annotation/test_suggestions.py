"""Annotators who see what a model says: the page, and what their votes do not count for."""

import csv
import io

import pytest

from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.queries.schemes import page_texts
from annotation.labels.queries.agreement import batch_agreement
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.stand_in import StandInParameters, stand_in_tests
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from annotation.models import Batch, BatchQuery, ModelLabel, ModelRater
from annotation.reports.bundle.verify import verify_bundle
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.reports.operations.make_bundle import make_bundle
from annotation.reports.queries.bundles import bundle_folder
from annotation.task_page import render
from annotation.vocabulary import BatchState, RaterOrigin
from metrics.errors import InputError
from pooling.models import Pool
from tests.annotation.test_samples import draw
from tests.performing import do
from tests.study import stored_pool, with_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> Pool:
    """Sixty queries; a model says non-gendered of the even ones, and nothing of the others."""
    made = stored_pool(60)
    rater = ModelRater.objects.create(
        study=made.belongs.study, name="m <1>", origin=RaterOrigin.IMPORTED
    )
    ModelLabel.objects.bulk_create(
        ModelLabel(rater=rater, qid=f"q{number}", category=None if number % 2 else "n")
        for number in range(60)
    )
    return made


def suggested(pool: Pool, **terms: object) -> Batch:
    do(CREATE_BATCH, pool.belongs.study, name="seen", pool=pool.pk, suggested_by="m <1>", **terms)
    return Batch.objects.get(name="seen")


def test_nobody_sees_a_model_s_label_unless_it_is_asked_for(pool: Pool) -> None:
    do(CREATE_BATCH, pool.belongs.study, name="plain", pool=pool.pk)
    batch = Batch.objects.get(name="plain")
    assert not BatchQuery.objects.exclude(suggestion="").exists()
    assert "suggest" not in render([("q0", "a")], page_texts(batch))


@pytest.mark.long
def test_the_page_shows_it_with_the_query_and_in_the_scheme_s_words(pool: Pool) -> None:
    batch = suggested(pool)
    page = render([("q0", "a"), ("q1", "b")], page_texts(batch))
    first, second = page.split("data-qid=")[1:3]
    name = batch.scheme.questions[0].labels["n"]
    assert f"A computer suggests, and may be wrong: <bdi>{name}</bdi></span></h2>" in first
    assert "suggest" not in second
    assert "m &lt;1&gt;" not in page, "which model it is could sway, too"


def test_what_was_shown_stays_when_the_model_says_something_else_later(pool: Pool) -> None:
    batch = suggested(pool)
    ModelLabel.objects.update(category="f")
    assert set(page_texts(batch).suggestions.values()) == {"n"}


@pytest.mark.parametrize(
    ("model", "said"), [("another", "Models are m <1>"), ("silent", "has labelled none")]
)
def test_a_model_without_labels_is_refused(pool: Pool, model: str, said: str) -> None:
    if model == "silent":
        study = pool.belongs.study
        ModelRater.objects.create(study=study, name=model, origin=RaterOrigin.IMPORTED)
    with pytest.raises(InputError, match=said):
        do(CREATE_BATCH, pool.belongs.study, name="x", pool=pool.pk, suggested_by=model)
    assert not Batch.objects.exists()


def test_such_votes_say_nothing_of_agreement_and_correct_no_model(pool: Pool) -> None:
    sample = draw(pool, size=30)
    batch = with_votes(suggested(sample.pool))
    [found] = batch_agreement(batch=batch).questions
    assert (found.n_votes, found.krippendorff_alpha.value) == (0, None)
    assert "'m <1>'" in found.warnings[0]
    figures = corrected_figures(batch=batch, parameters=FigureParameters())
    assert "cannot correct it" in figures.why_not
    assert not figures.figures
    (stand_in,) = stand_in_tests(batch=batch, parameters=StandInParameters())
    assert stand_in.test is None


def test_they_are_marked_where_votes_are_exported(pool: Pool) -> None:
    batch = with_votes(suggested(pool))
    lines = vote_lines(batch=batch, parameters=VotesParameters())
    rows = list(csv.DictReader(io.StringIO("".join(lines))))
    assert {row["suggestion"] for row in rows if int(row["query_id"][1:]) % 2 == 0} == {"n"}
    assert {row["suggestion"] for row in rows if int(row["query_id"][1:]) % 2} == {""}


def test_a_bundle_says_so_and_is_verified_and_imported_with_it(pool: Pool) -> None:
    batch = with_votes(suggested(pool))
    Batch.objects.update(state=BatchState.PUBLISHED)
    path = bundle_folder(study_id=batch.study_id) / make_bundle(study=batch.study).name
    assert verify_bundle(path).ok
    with path.open("rb") as stream:
        made = do(IMPORT_BUNDLE, None, filename="b.zip", name="again", stream=stream).made
    again = made.batches.get()
    assert again.suggested_by == "m <1>"
    assert batch_agreement(batch=again).questions[0].n_votes == 0
