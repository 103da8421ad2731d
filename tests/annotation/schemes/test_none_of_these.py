"""None of several options: an answer of its own, which excludes the others."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from pytest_django import Settings

from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch
from annotation.overview.operations.simulation import crowd_of, given_answers
from annotation.reports.bundle.verify import verify_bundle
from annotation.schemes import SchemeError, scheme_from_yaml, scheme_to_yaml
from annotation.task_page import AnswerError, PageTexts, read_answer, render
from annotation.vocabulary import BatchState
from metrics.errors import InputError
from tests.annotation.schemes.test_scheme_editor import Editor
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run
from tests.performing import do
from tests.schemed import SCHEME, made, submit
from tests.study import stored_pool

WITH_NONE = SCHEME.replace(
    "{code: j, label: Jews}",
    "{code: j, label: Jews}, {code: none, label: None of them, alone: yes}",
)
YES = [("q-0-named", "yes"), ("q-0-harm", "1")]


def test_it_is_an_answer_and_stands_alone() -> None:
    scheme = scheme_from_yaml(WITH_NONE)
    assert scheme_from_yaml(scheme_to_yaml(scheme)) == scheme
    none = ("q-0-groups.3", "none")
    [codes] = read_answer(scheme, [("v", "2"), *YES, none], 1).codes
    assert codes["groups"] == {"none"}
    with pytest.raises(AnswerError):
        read_answer(scheme, [("v", "2"), *YES, none, ("q-0-groups.0", "m")], 1)
    page = BeautifulSoup(render([("q", "a query")], PageTexts(scheme)), "html.parser")
    [alone] = page.select("input[data-alone]")
    assert alone["value"] == "none"


def test_only_one_of_several_options_can_exclude_others() -> None:
    with pytest.raises(SchemeError) as error:
        scheme_from_yaml(SCHEME.replace("label: Yes}", "label: Yes, alone: yes}"))
    assert error.value.place == "questions[1].options[2].alone"


def test_a_scheme_without_it_has_the_digest_that_it_had() -> None:
    # Of 1.0.0, which knew no option that excludes others.
    assert scheme_from_yaml(SCHEME).digest == "5de343e602dfa791"
    assert scheme_from_yaml(WITH_NONE).digest != scheme_from_yaml(SCHEME).digest


def test_no_simulated_worker_chooses_it_with_others() -> None:
    scheme = scheme_from_yaml(WITH_NONE)
    crowd = crowd_of(seed=7, n_workers=3, accuracy=0.5)
    for worker in crowd.error_rates:
        for number in range(100):
            answers = given_answers(crowd, worker, f"q{number}", scheme)
            groups = answers.get("groups", frozenset())
            assert "none" not in groups or len(groups) == 1


@pytest.mark.django_db
def test_it_is_decided_adjudicated_and_bundled(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "var"
    batch = made(stored_pool(1).belongs.study, scheme=WITH_NONE)
    for worker in ("A1", "A2"):
        submit(batch, worker, [*YES, ("q-0-groups.3", "none")])
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    [query] = scheme_results(batch=batch).queries
    assert query.decisions["groups"].codes == frozenset({"none"})
    with pytest.raises(InputError):
        do(ADJUDICATE, batch, qid=query.qid, question="groups", category="none;m", reason="Both.")
    do(ADJUDICATE, batch, qid=query.qid, question="groups", category="none", reason="None.")
    run("study", "bundle", batch.study.name, "--output", tmp_path / "b.zip")
    assert verify_bundle(tmp_path / "b.zip").differences == []
    imported = import_bundle(tmp_path / "b.zip", name="elsewhere").made.batches.get()
    assert imported.scheme == batch.scheme


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("en", "None of these"), ("de", "Nichts davon")])
def test_the_editor_offers_it_for_several_options_alone(
    language: str, words: str, admin_client: Client
) -> None:
    editor = Editor(admin_client, made(stored_pool(1).belongs.study))
    offers = [str(button["value"]) for button in editor.page.select("button[value$=':none']")]
    assert offers == ["q1:none"]
    editor.send({"language": language}, act="q1:none")
    assert editor.labels("q1")[-1] == words
    assert not editor.page.select("button[value$=':none']")
    assert editor.send({"language": language}, save="1").status_code == 302
    option = editor.stored.question("groups").options[-1]
    assert (option.label, option.alone) == (words, True)
