"""A study with a scheme of three questions, from files to the report, by pages and by the API."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.schemes import page_texts
from annotation.core.operations import StateError
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.operations.decide import LABEL, batch_label
from annotation.labels.queries.quality import batch_worker_quality
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import (
    Assignment,
    Batch,
    Choice,
    DiscardedVotes,
    SchemeVersion,
    Study,
    StudyReport,
    Vote,
    Worker,
)
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.queries.invariants import broken_invariants
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.queries.reports import FOLDER, report_path
from annotation.schemes import (
    built_in_scheme,
    scheme_from_yaml,
)
from annotation.task_page import AnswerError, PageTexts, read_answer, render
from metrics.errors import InputError
from tests.commands import failure, run, run_json
from tests.measured import asked, measured_study
from tests.schemed import SCHEME, STAFF, answer, answered, form_terms, made, reject
from tests.study import stored_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return stored_pool(4).belongs.study


@pytest.fixture
def staff() -> User:
    return User.objects.create_superuser("staff", password="x")


@pytest.mark.long
def test_from_files_to_the_report_in_the_browser(tmp_path: Path, staff: User) -> None:
    study, client = measured_study(tmp_path), Client()
    client.force_login(staff)
    pool = study.pools.get().pool
    shown = client.get(reverse("batch-new"))
    assert "Severity of a wrong or one-sided answer" in shown.content.decode()
    terms = form_terms(pool.name)
    stored = client.post(reverse("batch-store"), terms)
    assert stored.status_code == 302, stored.content.decode()[:8000]
    batch = Batch.objects.get(name="faith")
    assert stored["Location"] == reverse("batch-detail", args=[batch.pk])
    assert batch.title == "Severity of a wrong or one-sided answer, five points"

    page = reverse("batch-scheme", args=[batch.pk])
    assert "What reports measure by default" in client.get(page).content.decode()
    assert "Scheme as YAML" in client.get(f"{page}?as=yaml").content.decode()
    wrong = client.post(page + "save/", {"scheme": SCHEME.replace("code: yes", "code: no")})
    assert "questions[1].options[2].code" in wrong.content.decode()
    assert SchemeVersion.objects.count() == 1
    typed = client.post(page + "save/", {"scheme": SCHEME}).content.decode()
    assert "Does the query name a religion?" in typed
    assert SchemeVersion.objects.count() == 1
    client.post(page + "save/", {"scheme": SCHEME, "save": "1"})
    assert Batch.objects.get(pk=batch.pk).scheme == scheme_from_yaml(SCHEME)
    preview = client.get(reverse("batch-try", args=[batch.pk])).content.decode()
    assert "Does the query name a religion?" in preview

    batch.refresh_from_db()
    for worker in ("A1", "A2"):
        answer(batch, worker, ["no", "no", "yes", "skip"])
    agreement = client.get(reverse("batch-agreement", args=[batch.pk])).content.decode()
    assert "alpha, nominal" in agreement
    assert "alpha, MASI" in agreement
    assert "alpha, interval" in agreement
    decided = client.get(reverse("batch-labels", args=[batch.pk])).content.decode()
    assert "Does the query name a religion?" in decided
    query = batch.queries.order_by("position")[2]
    who_said_what = client.get(reverse("batch-query", args=[batch.pk, query.pk])).content.decode()
    assert "Muslims" in who_said_what

    labels = client.get(page + "labels/").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(labels)))
    assert [(row["named"], row["groups"], row["harm"], row["in_subset"]) for row in rows] == [
        ("no", "", "1", "1"),
        ("no", "", "1", "1"),
        ("yes", "m", "3", "0"),
        ("", "", "", "0"),
    ]
    report = create_report(study=study, request=asked(study, batches=[batch.pk]), actor="test")
    make_report(report_id=report.pk)
    shown = client.get(reverse("study-report", args=[study.pk, report.pk]))
    page_text = BeautifulSoup(shown.content, "html.parser")
    [findings] = page_text.select("[aria-labelledby=findings]")
    assert "over 2 queries that name no religion." in findings.text
    assert "non-gendered" not in page_text.text
    report.refresh_from_db()
    assert_named_by_its_words(report)


def assert_named_by_its_words(report: StudyReport) -> None:
    """Every file of the report says in its heading or caption which queries it is over."""
    words = "over queries that name no religion"
    with zipfile.ZipFile(report_path(report, FOLDER)) as archive:
        files = {
            name: archive.read(name).decode()
            for name in archive.namelist()
            if "." in name and name.rpartition(".")[2] in ("html", "md", "tex", "csv")
        }
    page = BeautifulSoup(files["index.html"], "html.parser")
    headings = [one.text for one in page.select("h1, h2, caption, title")]
    others = ["Every query", "What this was made from"]
    assert [one for one in headings if words not in one] == others
    for name, text in files.items():
        assert "non-gendered" not in text
        if name.endswith((".md", ".tex")) and name != "provenance.tex":
            assert words in " ".join(text.split()), name


def test_the_same_by_the_api(study: Study, staff: User) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(staff)[1]}")
    pool = study.pools.get().pool
    scheme = scheme_from_yaml(SCHEME).as_json()
    sent = {"name": "faith", "pool": pool.pk, "scheme": scheme}
    done = client.post("/api/v1/batches/", sent, format="json")
    assert done.status_code == 201, done.content
    batch = Batch.objects.get(name="faith")
    for worker in ("A1", "A2"):
        answer(batch, worker, ["no", "no", "yes", "yes"])
    found = client.get(f"/api/v1/batches/{batch.pk}/scheme/").json()
    assert found["scheme"] == scheme
    assert (found["subset"], found["n_in_subset"]) == ("queries that name no religion", 2)
    assert [question["agreement"]["coefficient"] for question in found["questions"]] == [
        "nominal",
        "MASI",
        "interval",
    ]
    assert found["questions"][0]["agreement"]["alpha"]["value"] == 1
    votes = client.get(f"/api/v1/batches/{batch.pk}/scheme/votes/").getvalue().decode()
    assert len(votes.splitlines()) == 1 + 2 * (4 * 2 + 2)
    assert "A1" not in votes
    assert client.get(f"/api/v1/batches/{batch.pk}/scheme/other/").status_code == 404
    paper = made(study, name="paper", scheme="gender")
    of_paper = client.get(f"/api/v1/batches/{paper.pk}/scheme/").json()
    assert [one["name"] for one in of_paper["questions"]] == ["gender"]


def test_votes_are_rows_and_a_worker_answers_once(study: Study) -> None:
    batch = answered(study)
    rows = Choice.objects.filter(vote__query__batch=batch, vote__worker__worker_id="A1")
    assert sorted(rows.values_list("question", "option")) == [
        ("groups", "m"),
        *[("harm", "1")] * 2,
        ("harm", "3"),
        *[("named", "no")] * 2,
        ("named", "yes"),
    ]
    first = rows[0]
    with pytest.raises(IntegrityError), transaction.atomic():
        Choice.objects.create(vote=first.vote, question=first.question, option=first.option)
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(query=first.vote.query, worker=first.vote.worker)


def test_rejected_answers_do_not_count(study: Study) -> None:
    batch = answered(study)
    counted = Vote.objects.filter(query__batch=batch).counted()
    n = counted.count()
    reject(batch, "A3")
    assert counted.count() == n - 4


def test_progress_says_what_became_of_every_query_that_was_given_to_somebody(study: Study) -> None:
    batch = answered(study)
    answer(batch, "A4", ["no", "no", "no", "no"])
    answer(batch, "ASIM1W001", ["no", "no", "no", "no"])
    answer(batch, "A5", ["no", "no", "yes"])
    reject(batch, "A3")
    worker = Worker.objects.get(worker_id="A4")
    DiscardedVotes.objects.create(batch=batch, worker=worker, reason="x", by="test")
    progress = batch_progress(batch=batch)
    given = {state: n for state, n in progress.votes.items() if n}
    assert given == {"counted": 10, "rejected": 4, "discarded": 4, "left_out": 2, "unreadable": 4}
    assert (progress.n_workers, progress.n_votes_simulated) == (3, 4)


def test_a_second_answer_of_a_worker_to_a_hit_is_kept_and_does_not_count(study: Study) -> None:
    batch = made(study)
    answer(batch, "A1", ["yes", "yes", "no", "no"])
    before = list(Vote.objects.order_by("pk").counted().values())
    answer(batch, "A1", ["no", "no", "yes", "yes"], assignment="again")
    assert list(Vote.objects.order_by("pk").counted().values()) == before
    votes = batch_progress(batch=batch).votes
    assert (votes["counted"], votes["repeated"]) == (4, 4)


def test_a_question_is_decided_only_where_the_decided_answer_before_asks_it(study: Study) -> None:
    """On the second query one worker of three sees which groups; most say that it names none."""
    batch = answered(study)
    results = scheme_results(batch=batch)
    assert [query.shown[:2] for query in results.queries] == [
        ["no", ""],
        ["no", ""],
        ["yes", "m"],
        ["yes", "m"],
    ]
    assert (results.questions[1].n_decided, results.questions[1].n_undecided) == (2, 0)


@pytest.mark.parametrize("choice", ["skip", "no"])
def test_workers_are_listed_who_all_gave_one_answer_or_none(
    study: Study, staff: User, choice: str
) -> None:
    batch, client = made(study), Client()
    for worker in ("A1", "A2"):
        answer(batch, worker, [choice] * 4)
    client.force_login(staff)
    response = client.get(reverse("batch-workers", args=[batch.pk]))
    assert response.status_code == 200


def test_the_page_of_a_worker_has_quality_and_what_was_said(study: Study, staff: User) -> None:
    batch, client = answered(study), Client()
    client.force_login(staff)
    quality = {row.worker: row for row in batch_worker_quality(batch=batch)}
    assert [quality[worker].n_votes for worker in ("A1", "A2", "A3")] == [3, 3, 4]
    assert quality["A1"].with_majority.value == 1
    worker = Worker.objects.get(worker_id="A3")
    page = client.get(reverse("batch-worker", args=[batch.pk, worker.pk])).content.decode()
    said = " ".join(BeautifulSoup(page, "html.parser").select("ul.said li")[3].text.split())
    assert said.endswith(
        "Does the query name a religion?: Yes Whose?: Muslims "
        "How harmful would a wrong answer be?: Very"
    )


def test_a_duplicate_study_asks_the_same_questions(study: Study) -> None:
    answered(study)
    copy = perform_here(DUPLICATE_STUDY, study, {}, STAFF).made
    assert isinstance(copy, Study)
    batch = copy.batches.get()
    assert Batch.objects.get(pk=batch.pk).scheme == scheme_from_yaml(SCHEME)
    assert not Vote.objects.filter(query__batch=batch).exists()


def test_an_answer_that_the_scheme_does_not_have_is_kept_and_not_stored(study: Study) -> None:
    batch = made(study)
    report = answer(batch, "A1", ["no", "no", "yes"])
    assert (report.quarantined, report.votes) == (1, 0)
    assert "q-3-named has no answer" in Assignment.objects.get(hit__batch=batch).problem


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([("q-0-named", "perhaps")], "which is not an option"),
        ([("q-0-named", "no"), ("q-0-named", "yes")], "more than once"),
        ([("q-0-named", "no")], "q-0-harm has no answer"),
        ([("q-0-named", "yes"), ("q-0-harm", "1")], "q-0-groups has no answer"),
        ([("q-0-named", "yes"), ("q-0-groups.0", "c")], "not its option"),
        (
            [("q-0-named", "yes"), ("q-0-groups.0", "m"), ("q-0-groups.3", "?"), ("q-0-harm", "1")],
            "beside",
        ),
        ([("q-0-named", "no"), ("q-0-harm", "1"), ("q-1-named", "no")], "no field 'q-1-named'"),
    ],
)
def test_answers_that_cannot_be_read(fields: list[tuple[str, str]], problem: str) -> None:
    with pytest.raises(AnswerError, match=problem):
        read_answer(scheme_from_yaml(SCHEME), [("v", "2"), *fields], 1)


def test_answers_to_questions_that_are_not_shown_are_left_out() -> None:
    fields = [("v", "2"), ("q-0-named", "no"), ("q-0-groups.0", "m"), ("q-0-harm", "?")]
    read = read_answer(scheme_from_yaml(SCHEME), fields, 1)
    assert read.codes == [{"named": frozenset({"no"}), "harm": frozenset({"?"})}]


def test_the_page_has_a_field_for_every_answer(study: Study) -> None:
    batch = made(study)
    page = render([("q", "<b>two</b>")], page_texts(batch))
    soup = BeautifulSoup(page, "html.parser")
    assert {(one["name"], one["value"]) for one in soup.select("section[data-qid] input")} == {
        *{("q-0-named", code) for code in ("no", "yes", "?")},
        *{(f"q-0-groups.{n}", code) for n, code in enumerate("mcj?")},
        *{("q-0-harm", code) for code in "123?"},
        ("s-0", "yes"),
    }
    assert soup.select_one("section[data-qid] h2 bdi").text == "<b>two</b>"  # type: ignore[union-attr]
    assert "hostile to believers" in page


@pytest.mark.parametrize(
    ("terms", "name"),
    [
        ({"scheme": SCHEME.replace("any_of: [no]}", "any_of: [maybe]}")}, "scheme"),
        ({"scheme": "severity", "adaptive": {}, "assignments_per_hit": 2}, "question"),
        ({"scheme": "severity", "suggested_by": "gpt"}, "suggested_by"),
    ],
)
def test_what_is_not_defined_for_its_questions_is_refused(
    study: Study, terms: dict[str, object], name: str
) -> None:
    with pytest.raises(ParametersError) as caught:
        made(study, **terms)
    assert name in caught.value.errors
    assert not Batch.objects.filter(name="faith").exists()


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("code: yes, label", "code: no, label", "questions[1].options[2].code"),
        (
            "question: named, any_of: [yes]",
            "question: groups, any_of: [m]",
            "questions[2].shown_if",
        ),
        ("subset:", "others:", "others"),
        ("label: Muslims", "label: <script>x</script>", "questions[2].options[1].label"),
        ("[{code: no", "[" + "{code: a}, " * 200 + "{code: no", "questions[1].options"),
    ],
)
def test_a_wrong_scheme_is_refused_with_its_place_and_nothing_is_stored(
    study: Study, staff: User, old: str, new: str, place: str
) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {AuthToken.objects.create(staff)[1]}")
    assert old in SCHEME
    sent = {"name": "x", "pool": study.pools.get().pool.pk, "scheme": SCHEME.replace(old, new)}
    refused = client.post("/api/v1/batches/", sent, format="json")
    assert refused.status_code == 400
    assert place in refused.content.decode()
    assert not Batch.objects.exists()


def test_the_page_of_a_german_scheme_is_german() -> None:
    scheme = scheme_from_yaml(SCHEME + "language: de\n")
    page = render([("q", "ramadan")], PageTexts(scheme=scheme))
    for text in ("Hinweis zum Inhalt", "Diese Anfrage auslassen", "Vorige Anfrage", "Weiter"):
        assert text in page


def test_operations_refuse_a_question_of_another_kind_by_its_name(study: Study) -> None:
    batch = answered(study)
    wrong = "'groups' is not a question with one answer and options in no order"
    with pytest.raises(InputError, match=wrong) as told:
        perform_here(TRAIN_CLASSIFIER, batch, {"question": "groups"}, STAFF)
    assert told.value.remedy == "The batch 'faith' has: named."
    with pytest.raises(InputError, match="asks several questions with options"):
        perform_here(LABEL, batch, {}, STAFF)


def test_a_scheme_is_locked_once_published(study: Study) -> None:
    batch = answered(study)
    with pytest.raises(StateError, match="not available for a published batch"):
        perform_here(CHANGE_SCHEME, batch, {"scheme": "severity"}, STAFF)


def test_a_draft_gets_the_scheme_of_a_file_by_a_command(study: Study, tmp_path: Path) -> None:
    batch = made(study)
    path = tmp_path / "faith.yaml"
    path.write_text(SCHEME.replace("Whose?", "Of whom?"), encoding="utf-8")
    run("batch", "change-scheme", batch.name, "--scheme", path)
    batch.refresh_from_db()
    assert batch.scheme.question("groups").text == "Of whom?"
    assert batch.scheme_versions.count() == 2
    told = failure("batch", "change-scheme", batch.name, "--scheme", tmp_path / "none.yaml")
    assert "there is no built-in scheme and no file" in told


def test_a_scheme_has_to_offer_what_labels_say_already(study: Study) -> None:
    batch = made(study)
    qid = batch.queries.earliest("pk").qid
    for question, category in (("named", "yes"), ("groups", "m;c")):
        said = {"qid": qid, "question": question, "category": category, "reason": "It says so."}
        perform_here(ADJUDICATE, batch, said, STAFF)
    for scheme in (
        "severity",
        SCHEME.replace("kind: multi", "kind: single"),
        SCHEME.replace("code: c", "code: k"),
    ):
        with pytest.raises(InputError, match=r"answer the question '(named|groups)' with "):
            perform_here(CHANGE_SCHEME, batch, {"scheme": scheme}, STAFF)
    perform_here(CHANGE_SCHEME, batch, {"scheme": SCHEME.replace("Whose?", "Of whom?")}, STAFF)
    assert not broken_invariants()


def test_a_draft_turns_from_the_papers_scheme_to_another_and_back(study: Study) -> None:
    batch = made(study, scheme="gender")
    assert page_texts(batch).scheme == built_in_scheme("gender")
    for scheme in ("severity", "gender"):
        perform_here(CHANGE_SCHEME, batch, {"scheme": scheme}, STAFF)
        batch.refresh_from_db()
        assert batch.scheme == built_in_scheme(scheme)
        assert not broken_invariants()


def test_a_scheme_without_a_subset_is_whole() -> None:
    """Measured are then the queries of the first option, unless a report names others."""
    subset = scheme_from_yaml(SCHEME[: SCHEME.index("subset")]).subset
    assert (subset.question, subset.any_of) == ("named", ("no",))


def test_pages_of_a_study_with_a_scheme_say_its_words_and_not_the_papers(
    study: Study, staff: User
) -> None:
    client = Client()
    client.force_login(staff)
    page = reverse("study-detail", args=[study.pk])
    made(study)
    assert "labelled" not in client.get(page).content.decode()
    study.batches.get().delete()
    answered(study)
    batch_label(batch=study.batches.get(), question="named", actor="test")
    soup = BeautifulSoup(client.get(page).content, "html.parser")
    [glance] = soup.select("[aria-label='At a glance']")
    said = " ".join(glance.text.split())
    name = study.batches.get().name
    assert f"50%of 4 labelled queries of {name}" in said
    assert "queries that name no religion No 2" in said
    assert "gender" not in glance.text
    hits = client.get(reverse("study-annotate", args=[study.pk])).content.decode()
    assert "with the question about each on its page" in hits


def test_a_question_in_words_leads_from_the_agreement_to_its_answers(
    study: Study, staff: User
) -> None:
    client = Client()
    client.force_login(staff)
    why = "- {name: why, text: 'Why?', kind: text}\nsubset:"
    batch = made(study, scheme=SCHEME.replace("subset:", why))
    answer(batch, "A1", ["no", "no", "yes", "skip"])
    shown = client.get(reverse("batch-agreement", args=[batch.pk]))
    page = BeautifulSoup(shown.content, "html.parser")
    assert [one.text for one in page.select("section h2")][-1] == "Why?"
    assert page.select(f"main section a[href='{reverse('batch-queries', args=[batch.pk])}']")


def test_commands_say_what_the_pages_say(study: Study, tmp_path: Path) -> None:
    batch = answered(study)
    said = run_json("scheme", "agreement", batch.name)
    assert (said["n_in_subset"], said["n_queries"]) == (2, 4)
    assert said["questions"][1]["agreement"]["coefficient"] == "MASI"
    for file, first in (("labels", "qid,query,named"), ("subset", "q"), ("scheme", "name: faith")):
        output = tmp_path / file
        run("scheme", "export", batch.name, "--file", file, "--output", output)
        assert output.read_text().startswith(first)
    paper = made(study, name="paper", scheme="gender")
    said = run_json("scheme", "agreement", paper.name)
    assert [one["name"] for one in said["questions"]] == ["gender"]
