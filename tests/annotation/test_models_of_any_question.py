"""Labels of models, drawn samples and corrected figures of whatever nominal question."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.batches.operations.comprehension import ensure_comprehension_test
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.queries.schemes import page_texts
from annotation.core.parameters import ParametersError, TermError
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.corrected_table import figure_rows, figures_text
from annotation.labels.queries.stand_in import StandInParameters, stand_in_tests
from annotation.models import Batch, DrawnSample, Label, Labelling, ModelRater, Study
from annotation.reports.bundle.verify import verify_bundle
from annotation.reports.operations.imported_models import store_model
from annotation.reports.queries.model_bundles import model_bundles
from annotation.task_page import render
from annotation.vocabulary import BatchState, LabelMethod
from metrics.errors import InputError
from metrics.runs.queries import Queries
from metrics.votes.deciding import MAJORITY
from tests.annotation.test_import_bundle import import_bundle
from tests.annotation.test_samples import draw
from tests.any_batch import SCHEMES, SHOPS
from tests.any_batch import kind as kind  # noqa: PLC0414 - a fixture
from tests.bundles import changed, contents
from tests.commands import run, run_json
from tests.performing import do
from tests.schemed import SCHEME
from tests.study import stored_pool

pytestmark = pytest.mark.django_db
N_QUERIES, N_DRAWN = 60, 30
#: Of each kind of batch the question of its subset, an option in the subset, and one that is not.
ASKED = {
    "categories": ("gender", "n", "f"),
    "one nominal question": ("buys", "yes", "no"),
    "three questions": ("named", "no", "yes"),
}


def truth(number: int) -> bool:
    """Whether people put a query into the subset: mostly from the middle on."""
    return number % 10 < number / 6


def said(number: int) -> bool:
    """What the model says, which errs on every seventh."""
    return truth(number) != (number % 7 == 0)


def asking(study: Study, scheme: str, name: str, pool: int) -> Batch:
    do(CREATE_BATCH, study, name=name, pool=pool, scheme=scheme)
    return Batch.objects.get(name=name)


def model_file(kind: str, folder: Path) -> Path:
    _, inside, outside = ASKED[kind]
    path = folder / "gpt.csv"
    lines = [f"q{one},{inside if said(one) else outside}" for one in range(N_QUERIES)]
    path.write_text("\n".join(["qid,label", *lines]))
    return path


def decided(kind: str, folder: Path, study: Study | None = None) -> Batch:
    """A batch of a sample of a pool that a model has labelled, with its labels of people."""
    pool = (study.pools.earliest("pk") if study else stored_pool(N_QUERIES).belongs).pool
    question, inside, outside = ASKED[kind]
    asking(pool.belongs.study, SCHEMES[kind], f"draft of {question}", pool.pk)
    path = model_file(kind, folder)
    do(IMPORT_MODEL_LABELS, pool.belongs.study, file=path, question=question)
    sample = draw(pool, size=N_DRAWN, seed=2, question=question, design="stratified")
    batch = asking(pool.belongs.study, SCHEMES[kind], f"asks {question}", sample.pool_id)
    Labelling.objects.create(batch=batch, question=question, method=MAJORITY)
    for query in batch.queries.all():
        value = inside if truth(int(query.qid[1:])) else outside
        Label.objects.create(query=query, question=question, method=MAJORITY, value=value)
    return batch


def figures(batch: Batch, **terms: Any) -> list[dict[str, Any]]:
    found = corrected_figures(batch=batch, parameters=FigureParameters(**terms))
    assert not found.why_not
    return figure_rows(found)


def of_subset(rows: list[dict[str, Any]], category: str) -> list[dict[str, Any]]:
    return [{**row, "category": ""} for row in rows if row["category"] == category]


def test_the_figures_do_not_depend_on_what_the_options_are_called(
    kind: str, tmp_path: Path
) -> None:
    rows = figures(decided(kind, tmp_path))
    found = of_subset(rows, ASKED[kind][1])
    assert [row["figure"] for row in found] == ["share", "mean", "mean", "difference"]
    other = "one nominal question" if kind == "categories" else "categories"
    study = Study.objects.get()
    expected = of_subset(figures(decided(other, tmp_path, study)), ASKED[other][1])
    assert found == expected
    # What a model said of another question is not part of them.
    assert of_subset(figures(Batch.objects.get(name=f"asks {ASKED[kind][0]}")), ASKED[kind][1]) == (
        found
    )


def test_every_interface_has_the_figures(kind: str, tmp_path: Path, admin_client: Client) -> None:
    batch = decided(kind, tmp_path)
    rows = figures(batch)
    page = admin_client.get(reverse("batch-figures", args=[batch.pk]))
    assert figure_rows(page.context["found"]) == rows
    question = batch.scheme.question(ASKED[kind][0])
    assert f"Share {question.words([ASKED[kind][1]]).lower()}" in page.content.decode()
    assert 'aria-current="page">Corrected figures' in page.content.decode()
    sent: Any = admin_client.get(reverse("batch-figures-file", args=[batch.pk]))
    found = page.context["found"]
    assert b"".join(sent.streaming_content).decode() == figures_text(found, "csv")
    client = APIClient()
    client.force_authenticate(User.objects.get())
    told = client.get(f"/api/v1/batches/{batch.pk}/figures/").json()
    assert (told["rows"], told["models"]) == (rows, ["gpt"])
    assert run_json("batch", "figures", batch.name)["rows"] == rows
    [rater] = client.get(f"/api/v1/studies/{batch.study_id}/models/").json()["results"]
    assert (rater["question"], rater["options"]) == (question.name, list(question.codes))
    inside = sum(map(said, range(N_QUERIES)))
    assert rater["counts"][ASKED[kind][1]] == inside
    models = admin_client.get(reverse("study-models", args=[batch.study_id])).content.decode()
    assert f'<td class="number">{inside}</td>' in models
    shown = reverse("study-model", args=[batch.study_id, rater["number"]])
    assert admin_client.get(shown).context["n_both"] == N_DRAWN


def test_a_sample_says_what_it_was_drawn_by_and_goes_on(kind: str, tmp_path: Path) -> None:
    decided(kind, tmp_path)
    question, inside, _ = ASKED[kind]
    sample = DrawnSample.objects.get()
    assert (sample.question, sample.category, sample.raters) == (question, inside, ["gpt"])
    more = draw(sample.pool, size=10)
    assert (more.question, more.category) == (question, inside)


def test_a_model_stands_in_for_people_who_answer_the_same_question(
    kind: str, tmp_path: Path
) -> None:
    batch = decided(kind, tmp_path)
    [found] = stand_in_tests(batch=batch, parameters=StandInParameters())
    assert (found.model, found.test) == ("gpt", None)
    assert "30 items that the model and somebody else labelled" in found.why_not


def test_a_bundle_has_the_question_of_a_model_and_of_a_sample(kind: str, tmp_path: Path) -> None:
    batch = decided(kind, tmp_path)
    path = tmp_path / "bundle.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    study = import_bundle(path, name="elsewhere").made
    question, inside, _ = ASKED[kind]
    rater, sample = study.model_raters.get(), DrawnSample.objects.latest("pk")
    assert (rater.question, rater.options) == (
        question,
        list(batch.scheme.question(question).codes),
    )
    assert (sample.question, sample.category) == (question, inside)


def test_a_bundle_has_the_figures_and_they_follow_from_its_tables(
    kind: str, tmp_path: Path
) -> None:
    batch = decided(kind, tmp_path)
    path = tmp_path / "bundle.zip"
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    for labels in (Label, Labelling):
        labels.objects.update(method=LabelMethod.RELEASED)
    run("study", "bundle", batch.study.name, "--output", path)
    files, place = contents(path), "batches/1/figures/corrected.json"
    told = json.loads(files[place])
    rows = [row for row in told["rows"] if row["target"] == "pool"]
    assert [row | {"target": ""} for row in rows] == [
        row | {"target": ""} for row in figures(batch)
    ]
    share = batch.scheme.question(ASKED[kind][0]).words([ASKED[kind][1]]).lower()
    assert f"- share {share}: corrected" in files["README.md"].decode()
    verified = verify_bundle(path)
    assert (verified.checked["corrected figures"], verified.differences) == (len(told["rows"]), [])
    assert verify_bundle(changed(path, place, '"n_labelled": 30', '"n_labelled": 31')).differences
    again = import_bundle(path, name="elsewhere").made
    assert figures(again.batches.latest("pk")) == figures(batch)


def test_of_several_options_the_figures_are_those_of_all_of_them(tmp_path: Path) -> None:
    batch = decided("one nominal question", tmp_path)
    rows = {(row["figure"], row["category"]): row for row in figures(batch, category="no;may")}
    both, no = rows["share", "no;may"], rows["share", "no"]
    assert (both["people"], both["models"]) == (no["people"], no["models"])
    found = corrected_figures(batch=batch, parameters=FigureParameters(category="may;no"))
    assert found.name_of(found.figures[-1]) == "Mean bias of LSA minus BM25, no or maybe"


def test_who_asks_several_questions_is_asked_which(tmp_path: Path) -> None:
    study = stored_pool(4).belongs.study
    pool = study.pools.get().pool.pk
    asking(study, "gender", "first", pool)
    asking(study, SHOPS, "second", pool)
    path = tmp_path / "gpt.csv"
    path.write_text("qid,label\nq0,Maybe\n")
    with pytest.raises(TermError, match="more than one question") as told:
        do(IMPORT_MODEL_LABELS, study, file=path)
    assert told.value.remedy == "Say which question: buys, gender."
    with pytest.raises(TermError, match="of the study asks a question with one answer"):
        do(IMPORT_MODEL_LABELS, study, file=path, question="colour")
    do(IMPORT_MODEL_LABELS, study, file=path, question="buys")
    assert ModelRater.objects.get().labels.get().category == "may"


def test_a_subset_of_a_scale_has_no_corrected_figures(admin_client: Client) -> None:
    study = stored_pool(4).belongs.study
    batch = asking(study, "severity", "asked", study.pools.get().pool.pk)
    found = corrected_figures(batch=batch, parameters=FigureParameters())
    assert "not a question with one answer and options in no order" in found.why_not
    page = admin_client.get(reverse("batch-figures", args=[batch.pk])).content.decode()
    assert "No corrected figures." in page
    assert ">Corrected figures</a>" not in page


def test_a_model_s_label_is_shown_in_the_words_of_the_first_question(tmp_path: Path) -> None:
    batch = decided("one nominal question", tmp_path)
    terms = {"pool": batch.pool_id, "scheme": SHOPS, "suggested_by": "gpt"}
    do(CREATE_BATCH, batch.study, name="seen", **terms)
    seen = Batch.objects.get(name="seen")
    query = seen.queries.earliest("pk")
    assert query.suggestion == ("yes" if said(int(query.qid[1:])) else "no")
    page = render([(query.qid, query.text)], page_texts(seen))
    assert f"<bdi>{query.suggestion.capitalize()}</bdi></span>" in page
    with pytest.raises(TermError, match="answers 'gender'"):
        do(CREATE_BATCH, batch.study, name="other", **{**terms, "scheme": "gender"})
    with pytest.raises(ParametersError, match="'severity' is not a question"):
        do(CREATE_BATCH, batch.study, name="other", **{**terms, "scheme": "severity"})


def test_the_test_before_the_first_hit_asks_the_question_of_the_subset(kind: str) -> None:
    study = stored_pool(4).belongs.study
    question, inside, outside = ASKED[kind]
    known = f"named={inside} | harm=1" if kind == "three questions" else inside
    test = Queries("", "labels", {"a": "one", "b": "two"}, {"a": known, "b": outside})
    terms = {"pool": study.pools.get().pool.pk, "scheme": SCHEMES[kind]}
    do(CREATE_BATCH, study, name="tested", comprehension=test, **terms)
    batch = Batch.objects.get()
    assert batch.comprehension == [["one", inside], ["two", outside]]
    gateway = Mock(ensure_qualification=Mock(return_value="T"))
    ensure_comprehension_test(batch=batch, gateway=gateway)
    form = gateway.ensure_qualification.call_args.kwargs["test"]
    labels = batch.scheme.question(question).labels
    assert all(f"<Text>{label}</Text>" in form for label in labels.values())


def test_a_test_of_another_question_is_refused() -> None:
    study = stored_pool(4).belongs.study
    terms = {"name": "x", "pool": study.pools.get().pool.pk}
    test = Queries("", "labels", {"a": "one"}, {"a": "harm=1"})
    with pytest.raises(TermError, match="no known answer to 'named'"):
        do(CREATE_BATCH, study, comprehension=test, scheme=SCHEME, **terms)
    with pytest.raises(ParametersError, match="'severity' is not a question"):
        do(CREATE_BATCH, study, comprehension=test, scheme="severity", **terms)


@pytest.mark.parametrize("terms", [{"options": ["n"]}, {"options": ["n", "f"]}, {"category": "x"}])
def test_a_model_of_a_bundle_has_said_only_what_it_could(terms: dict[str, Any]) -> None:
    study = stored_pool(4).belongs.study
    rater = ModelRater.objects.create(study=study, name="gpt", origin="imported")
    rater.labels.create(qid="q0", category="m")
    [read] = model_bundles(study=study)
    rater.delete()
    assert store_model(read, study=study, actor="test").labels.get().category == "m"
    study.model_raters.all().delete()
    with pytest.raises(InputError, match="none of its options, or no two options"):
        store_model(replace(read, terms={**read.terms, **terms}), study=study, actor="test")


TWO = """
name: two
title: Two questions
questions:
- name: buys
  text: Does the searcher want to buy?
  kind: single
  options: [{code: yes, label: Buys}, {code: no, label: Looks}]
- name: tone
  text: What tone has the query?
  kind: single
  options: [{code: kind, label: Kind}, {code: rude, label: Rude}]
- name: why
  text: Why?
  kind: text
  required: false
subset: {words: queries of buyers, question: buys, any_of: [yes]}
"""


def test_of_two_nominal_questions_every_form_offers_each(
    admin_client: Client, tmp_path: Path
) -> None:
    study = stored_pool(N_QUERIES).belongs.study
    pool = study.pools.get().pool
    asking(study, TWO, "draft", pool.pk)
    both = [("buys", "Does the searcher want to buy?"), ("tone", "What tone has the query?")]
    models = admin_client.get(reverse("study-models", args=[study.pk]))
    assert models.context["form"].fields["question"].choices == both
    drawing = admin_client.get(reverse("pool-detail", args=[pool.pk])).context["draw_form"]
    assert drawing.fields["question"].choices == both
    assert ("What tone has the query?", [("kind", "Kind"), ("rude", "Rude")]) in (
        drawing.fields["category"].choices
    )
    for question, code in (("buys", "no"), ("tone", "rude")):
        path = tmp_path / f"by {question}.csv"
        path.write_text("\n".join(["qid,label", *(f"q{n},{code}" for n in range(N_QUERIES))]))
        do(IMPORT_MODEL_LABELS, study, file=path, question=question)
    sample = draw(pool, size=10, question="tone", category="rude")
    batch = asking(study, TWO, "asks", sample.pool_id)
    Labelling.objects.create(batch=batch, question="tone", method=MAJORITY)
    for query in batch.queries.all():
        Label.objects.create(query=query, question="tone", method=MAJORITY, value="kind")
    page = admin_client.get(reverse("batch-figures", args=[batch.pk]), {"question": "tone"})
    shown = page.context["form"].fields["category"].choices
    assert shown == [("kind;rude", "Any of these"), ("kind", "Kind"), ("rude", "Rude")]
    assert [row.model for row in page.context["stand_in"]] == ["by tone"]
