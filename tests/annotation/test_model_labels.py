"""Labels of models: brought from files, kept apart from votes, and what they say together."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.core.operations import Actor
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS, REMOVE_MODEL_LABELS
from annotation.labels.operations.votes_import import import_votes
from annotation.labels.queries.agreement import batch_agreement
from annotation.labels.queries.beliefs import beliefs_of
from annotation.models import AuditEvent, Batch, ModelLabel, ModelRater, Study, Vote
from annotation.vocabulary import LONGEST_ID
from metrics.errors import InputError
from tests.performing import do
from tests.study import stored_pool, stored_study

pytestmark = pytest.mark.django_db
LONG = "task,worker,label\nq0,gpt,n\nq1,gpt,f\nq0,phi,m\nq1,phi,\n"


@pytest.fixture
def study() -> Study:
    """A study whose pool has the queries q0 to q3."""
    return stored_pool(4).belongs.study


@pytest.fixture
def bring(study: Study, tmp_path: Path) -> Callable[..., Any]:
    def imported(text: str, name: str = "gpt.csv", **terms: str) -> Any:
        path = tmp_path / name
        path.write_text(text)
        return do(IMPORT_MODEL_LABELS, study, file=path, **terms)

    return imported


def test_several_models_of_a_long_file_with_missing_answers(bring: Any, study: Study) -> None:
    done = bring(LONG, prompt="Which gender does the query name?")
    assert done.values == {"labels": {"gpt": 2, "phi": 2}, "missing": 1}
    raters = {one.name: one for one in study.model_raters.all()}
    labels = dict(raters["phi"].labels.values_list("qid", "category"))
    assert labels == {"q0": "m", "q1": None}
    assert raters["gpt"].prompt_sha256.startswith("30e1e277")  # sha256sum of the prompt
    assert AuditEvent.objects.filter(study=study, action="model labels imported").count() == 1


def test_beliefs_are_the_mean_over_the_models_with_an_answer(bring: Any, study: Study) -> None:
    bring("qid,label,score,model\nq0,n,.9,a\nq1,f,.4,a\nq2,,,a\nq0,m,.7,b\n")
    found = beliefs_of(list(study.model_raters.all()), "n", ["q0", "q1", "q2", "q3"])
    # a says n with .9, b says m with .7 and leaves .1 to n; of f's .4, a third of the rest is n's.
    assert found.by_query == pytest.approx({"q0": 0.5, "q1": 0.2, "q2": 0.5, "q3": 0.5})
    assert (found.n_unknown, found.models) == (2, ("a", "b"))


def test_predictions_of_label_studio(bring: Any, study: Study) -> None:
    def task(qid: str, choice: str, score: float) -> dict[str, Any]:
        result = [{"type": "choices", "value": {"choices": [choice]}}]
        prediction = {"model_version": "llama", "score": score, "result": result}
        return {"id": 7, "data": {"qid": qid, "text": "?"}, "predictions": [prediction]}

    bring(json.dumps([task("q0", "Non-gendered", 0.8), task("q1", "f", 0.6)]), "studio.json")
    rows = ModelLabel.objects.filter(rater__name="llama").values_list("qid", "category", "belief")
    assert set(rows) == {("q0", "n", 0.8), ("q1", "f", 0.6)}


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("qid,label\nq0,n\nelsewhere,f\n", 3, "elsewhere"),
        ("qid,label\nq0,n\nq0,f\n", 3, "q0"),
        ("qid,label,score\nq0,n,1.5\n", 2, "1.5"),
        ("qid,label,score\nq0,n,nan\n", 2, "nan"),
        ("qid,label\nq0,female?\n", 2, "female?"),
        ("qid,text\nq0,x\n", 1, "label"),
        ("qid,label\n,n\n", 2, "''"),
        ('[{"data": {"qid": "q0"}}]', None, "no label"),
        ('[{"data": {"qid": "q9"}, "predictions": [{"model_version": 7, "result": []}]}]', 1, "q9"),
        ('[{"data": {"qid": "q0"}, "predictions": [{"result": []}, {"result": []}]}]', 1, "second"),
        ("[{]", 1, "JSON"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line_and_stores_nothing(
    bring: Any, text: str, line: int | None, named: str
) -> None:
    with pytest.raises(InputError) as told:
        bring(text)
    assert told.value.line == line
    assert named in told.value.message
    assert not ModelRater.objects.exists()


def test_scores_that_are_all_the_same_are_left_out_and_said(bring: Any, study: Study) -> None:
    done = bring("qid,label,score\nq0,n,.5\nq1,f,.5\n")
    assert "Scores left out" in done.note
    assert set(ModelLabel.objects.values_list("qid", "category", "belief")) == {
        ("q0", "n", None),
        ("q1", "f", None),
    }


def test_ids_of_a_data_frame_are_those_of_the_study_where_only_so_they_meet(tmp_path: Path) -> None:
    labels = tmp_path / "people.csv"
    labels.write_text("261,who left,n\n262,who came,n\n")
    study = Study.objects.create(name="numbers")
    do(IMPORT_LABELS, study, file=labels, name="people")
    path = tmp_path / "gpt.csv"
    path.write_text("qid,label\n261.0,f\n262.0,n\n")
    done = do(IMPORT_MODEL_LABELS, study, file=path)
    assert "261.0 for 261" in done.note
    assert set(ModelLabel.objects.values_list("qid", flat=True)) == {"261", "262"}


def test_a_later_file_adds_queries_of_a_model_and_never_a_second_label(
    bring: Any, study: Study
) -> None:
    bring(LONG)
    bring("qid,label,model\nq2,n,gpt\n")
    with pytest.raises(InputError, match="gpt for the query q2"):
        bring("qid,label,model\nq3,n,gpt\nq2,f,gpt\n")
    assert ModelLabel.objects.filter(rater__name="gpt").count() == 3


def test_votes_agreement_and_majorities_do_not_know_them(tmp_path: Path) -> None:
    batch: Batch = stored_study(4)
    before = Vote.objects.count(), batch_agreement(batch=batch)
    path = tmp_path / "gpt.csv"
    path.write_text(LONG)
    do(IMPORT_MODEL_LABELS, batch.study, file=path)
    assert (Vote.objects.count(), batch_agreement(batch=batch)) == before


def test_the_database_refuses_what_is_no_label(bring: Any, study: Study) -> None:
    bring(LONG)
    rater = study.model_raters.get(name="gpt")
    for wrong in ({"qid": "q0"}, {"qid": "q9", "belief": 1.1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ModelLabel.objects.create(rater=rater, **wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        ModelRater.objects.create(study=study, name="gpt", origin="imported", actor="test")


def test_a_person_brings_a_file_on_the_page_and_takes_a_model_out(
    client: Client, settings: Any, study: Study
) -> None:
    settings.OPEN = True
    address = reverse("study-model-import", args=[study.pk])
    file = SimpleUploadedFile("phi.csv", b"qid,label\nq0,n\n")
    page = client.post(address, {"file": file, "prompt": "Which?"}, follow=True)
    assert page.status_code == 200
    rater = study.model_raters.get()
    assert (rater.name, rater.prompt, rater.labels.count()) == ("phi", "Which?", 1)
    wrong = SimpleUploadedFile("wrong.csv", b"qid,label\nq0,x\n")
    page = client.post(address, {"file": wrong}, follow=True)
    assert "wrong.csv:2" in page.content.decode()
    do(REMOVE_MODEL_LABELS, study, rater=rater.pk)
    assert not ModelLabel.objects.exists()


def test_the_command_imports_and_counts(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    arguments = ("import-model-labels", study.name, str(path), "--json")
    call_command("label", *arguments)
    assert json.loads(capsys.readouterr().out)["labels"] == {"gpt": 2, "phi": 2}


@pytest.mark.shared_data
@pytest.mark.long
def test_five_models_of_the_released_queries(shared_data: Path) -> None:
    folder = shared_data / "gender_queries"
    study = Study.objects.create(name="released")
    do(IMPORT_LABELS, study, file=folder / "queries_gender_annotated.csv", name="people")
    done = do(IMPORT_MODEL_LABELS, study, file=folder / "llm_votes_long.csv")
    assert (len(done.values["labels"]), sum(done.values["labels"].values())) == (5, 18_586)
    qids = study.batches.get().queries.values_list("qid", flat=True)
    found = beliefs_of(list(study.model_raters.all()), "n", list(qids))
    assert len(found.by_query) == 3_750
    # Counted in the file: each model lacks some queries, none of them is lacked by all.
    assert found.n_unknown == 0


@pytest.mark.parametrize("kind", ["auto", "model labels"])
def test_a_file_of_model_labels_among_the_files_of_a_study_is_imported(
    client: Client, study: Study, settings: Any, kind: str
) -> None:
    settings.OPEN = True
    upload = SimpleUploadedFile("gpt.csv", b"qid,label,score\nq0,n,.9\nq1,f,.4\n")
    looked = client.post(reverse("study-files-look", args=[study.pk]), {"file": upload})
    assert '<option value="model labels" selected>' in looked.content.decode()
    upload.seek(0)
    sent = {"kind": kind, "name": "", "file": upload}
    told = client.post(reverse("study-files", args=[study.pk]), sent, follow=True)
    assert "2 labels of 1 model are imported: gpt." in told.content.decode()
    assert ModelLabel.objects.count() == 2
    assert not study.files.exists()


def test_the_command_that_adds_files_imports_model_labels(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "studio.json"
    result = [{"type": "choices", "value": {"choices": ["f"]}}]
    prediction = {"model_version": "llama", "score": 0.8, "result": result}
    path.write_text(json.dumps([{"data": {"qid": "q0"}, "predictions": [prediction]}]))
    call_command("study", "add-files", study.name, str(path), "--quiet")
    assert ModelLabel.objects.get().rater.name == "llama"


@pytest.mark.parametrize(("n_characters", "fits"), [(LONGEST_ID, True), (LONGEST_ID + 1, False)])
def test_a_model_of_a_file_of_votes_with_a_name_too_long_is_refused_with_a_sentence(
    n_characters: int, fits: bool, study: Study, tmp_path: Path
) -> None:
    """SQLite took any length; PostgreSQL answered with an error of its own."""
    answer = [{"type": "choices", "from_name": "g", "to_name": "q", "value": {"choices": ["n"]}}]
    guess = {"model_version": "m" * n_characters, "result": answer}
    human = {"completed_by": 1, "result": answer}
    task = {"id": 1, "data": {"text": "rain"}, "annotations": [human], "predictions": [guess]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]))
    if fits:
        import_votes(paths=[path], name="votes", actor=Actor("test"), study=study)
        assert [one.name for one in study.model_raters.all()] == ["m" * n_characters]
    else:
        with pytest.raises(InputError, match=f"m'... has over {LONGEST_ID} characters"):
            import_votes(paths=[path], name="votes", actor=Actor("test"), study=study)
        assert not Batch.objects.exists()
