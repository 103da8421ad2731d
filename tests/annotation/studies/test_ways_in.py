"""Ways to begin: the sample as a study of one's own, and labels or votes that one has already."""

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.core.operations import Actor
from annotation.core.perform import perform
from annotation.jobs.execution import run_job
from annotation.models import AuditEvent, Batch, Label, Membership, Study, Vote, Worker
from annotation.overview.operations.sample import PREPARE_SAMPLE
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import steps_of
from annotation.studies import file_checks
from annotation.vocabulary import (
    TIE,
    BatchState,
    Category,
    FileKind,
    Permit,
    Role,
    TaskKind,
    TaskState,
)
from tests.annotation.studies.material import add, below

pytestmark = pytest.mark.django_db(transaction=True)

LABELS = b"q1,nurses, midwives and aides,n\nq2,king of spain,m\nq3,what is rain,n\n"
VOTES = (
    b"query_id,worker,label,query\nq1,A1,n,rain\nq1,A2,n,rain\nq2,A1,f,a queen\nq2,A2,,a queen\n"
)


def send(client: Client, address: str, content: bytes, filename: str, **fields: str) -> Any:
    """Look at the file, and import it if the preview offers that."""
    terms = {"holds": "labels", "voters": "human", **fields}
    shown = look(client, address, (filename, content), **terms)
    return shown if shown.context["preview"] is None else press(client, address, shown, **terms)


def look(client: Client, address: str, *files: tuple[str, bytes], **fields: str) -> Any:
    sent = [SimpleUploadedFile(name, content) for name, content in files]
    return client.post(address, {**fields, "file": sent})


def press(client: Client, address: str, shown: Any, **fields: str) -> Any:
    """The button below the preview, with what is matched there."""
    staged = shown.context["preview"].staged.token
    return client.post(
        address, {**fields, "staged": staged, "import": fields["holds"]}, follow=True
    )


def text(response: Any) -> str:
    assert response.status_code in {200, 400}  # 400: a form that was refused
    return str(response.content.decode())


def states(study: Study) -> dict[str, str]:
    return {step.key: str(step.state) for step in steps_of(study_flow(study=study))}


@pytest.fixture
def owner(client: Client, settings: Settings) -> User:
    settings.OPEN = False
    user = User.objects.create_user("researcher")
    set_permits(user=user, permits=[Permit.CREATE_STUDIES], actor="test")
    client.force_login(user)
    return user


@pytest.mark.long
def test_the_sample_is_a_finished_study_with_its_report(
    client: Client, owner: User, folders: Path
) -> None:
    page = text(client.post(reverse("sample-new"), follow=True))
    assert "Prepare the sample: waiting" in page
    study = Study.objects.get()
    assert Membership.objects.get(study=study).user == owner
    task = run_job()
    assert task is not None
    assert (task.kind, task.state, task.error) == (TaskKind.SAMPLE, TaskState.DONE, "")
    assert task.done == task.total == 9
    held = Counter(study.files.values_list("kind", flat=True))
    once = FileKind.COLLECTION, FileKind.QUERIES, FileKind.QRELS, FileKind.MAGNITUDES
    assert held == {**dict.fromkeys(once, 1), FileKind.RUN: 7}
    pool = study.pools.get().pool
    assert Vote.objects.count() == 5 * pool.queries.count()
    assert set(Worker.objects.values_list("kind", flat=True)) == {"simulated"}
    assert Label.objects.filter(value=Category.NON_GENDERED).count() > 40
    assert not Label.objects.filter(value=TIE).exists()
    assert study.batches.get().pool == pool
    report = run_job()
    assert report is not None
    assert (report.kind, report.state, report.error) == (TaskKind.REPORT, TaskState.DONE, "")
    assert set(states(study).values()) == {"done"}
    assert below(folders / "uploads") == []
    client.post(reverse("sample-new"))
    assert sorted(Study.objects.values_list("name", flat=True)) == [study.name, f"{study.name} 2"]


@pytest.mark.long
def test_what_an_interrupted_job_has_prepared_is_not_prepared_twice(
    client: Client, owner: User, folders: Path
) -> None:
    client.post(reverse("sample-new"))
    study = Study.objects.get()
    while run_job() is not None:  # the sample's, then its report's
        pass
    runs = set(study.files.filter(kind=FileKind.RUN).values_list("name", "digest"))
    study.files.get(name="BM25").delete()
    kept = set(study.files.values_list("pk", flat=True))
    perform(PREPARE_SAMPLE, study, {}, Actor("test"))
    assert run_job() is not None
    assert set(study.files.filter(kind=FileKind.RUN).values_list("name", "digest")) == runs
    assert kept < set(study.files.values_list("pk", flat=True))
    assert [study.batches.count(), study.pools.count(), study.reports.count()] == [1, 1, 1]


def test_released_labels_become_a_batch_of_a_new_study(client: Client, owner: User) -> None:
    page = text(send(client, reverse("import"), LABELS, "released.2021.csv", study="mine"))
    batch = Batch.objects.get()
    assert (batch.name, batch.state) == ("released", BatchState.IMPORTED)
    assert batch.study is not None
    assert Membership.objects.get(study=batch.study, role=Role.OWNER).user == owner
    assert "3 labelled queries are imported: 2 non-gendered" in page
    assert dict(Label.objects.values_list("query__text", "value")) == {
        "nurses, midwives and aides": "n",
        "king of spain": "m",
        "what is rain": "n",
    }
    assert states(batch.study)["labels"] == "done"


def test_votes_become_a_batch_whose_labels_can_be_decided(client: Client, owner: User) -> None:
    send(client, reverse("import"), LABELS, "l.csv", study="mine")
    study = Study.objects.get()
    address = reverse("study-import", args=[study.pk])
    fields = {"holds": "votes", "voters": "model", "name": "by a model"}
    page = text(send(client, address, VOTES, "v.csv", **fields))
    assert "3 votes of 2 workers on 2 queries are imported" in page
    assert "v.csv:5" in page
    assert study.batches.count() == 2
    assert Vote.objects.filter(worker__kind="model", query__batch__name="by a model").count() == 3


@pytest.mark.parametrize(
    ("content", "holds", "where"),
    [
        (b"q1,rain,n\nq2,king,z\n", "labels", "l.csv:2:"),
        (b"q1\train\n", "labels", "l.csv:"),
        (b"query_id,worker,label\nq1,A1\n", "votes", "l.csv:2:"),
        (b"query_id,worker,label\n", "votes", "l.csv:"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_leaves_nothing(
    client: Client, owner: User, folders: Path, *, content: bytes, holds: str, where: str
) -> None:
    page = text(send(client, reverse("import"), content, "l.csv", holds=holds, study="mine"))
    assert where in page
    assert "--" not in page.partition('role="alert"')[2].partition("</div>")[0]
    assert str(folders) not in page
    assert not Study.objects.exists()
    assert not AuditEvent.objects.exists()
    assert below(folders) == []


def test_voters_who_were_imported_as_others_are_said_in_the_words_of_the_page(
    client: Client, owner: User
) -> None:
    for number, voters in enumerate(("human", "model")):
        fields = {"holds": "votes", "voters": voters, "study": f"s{number}", "name": f"b{number}"}
        page = text(send(client, reverse("import"), VOTES, "v.csv", **fields))
    assert "Who voted" in page.partition('role="alert"')[2].partition("</div>")[0]
    assert "--voters" not in page
    assert Study.objects.count() == 1


def test_a_name_that_is_taken_or_a_missing_file_stores_nothing(client: Client, owner: User) -> None:
    send(client, reverse("import"), LABELS, "l.csv", study="mine")
    for fields in ({"study": "mine", "name": "x"}, {"study": "y", "name": "l"}):
        send(client, reverse("import"), LABELS, "l.csv", **fields)
    client.post(reverse("import"), {"study": "z", "holds": "labels", "voters": "human"})
    assert (Study.objects.count(), Batch.objects.count()) == (1, 1)


def test_a_file_beyond_the_limit_is_refused(
    client: Client, owner: User, folders: Path, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_MB = 1
    page = text(send(client, reverse("import"), b"q1,rain,n\n" * 200_000, "l.csv", study="mine"))
    assert "l.csv: has more than 1 MB." in page
    assert below(folders) == []


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("holds", ["labels", "votes"])
def test_an_archive_is_refused_by_what_it_grows_to(
    client: Client, folders: Path, monkeypatch: pytest.MonkeyPatch, holds: str
) -> None:
    monkeypatch.setattr(file_checks, "LARGEST_TABLE", 1_000_000)
    packed = gzip.compress(b"query_id,worker,label\n" + b"q1,A1,n\n" * 200_000)
    assert len(packed) < 100_000
    page = text(look(client, reverse("import"), ("l.csv", packed), holds=holds, study="mine"))
    assert "l.csv: holds more than 1 MB." in page
    assert below(folders) == []


#: Two downloads of one batch: the second has its answers in other columns, and A1's again.
OLD_RESULTS = (
    b'"HITId","AssignmentId","WorkerId","Input.q","Answer.q","Answer.check1"\n'
    b'"H1","S1","A1","rain","Yes","No"\n"H1","S2","A2","rain","No","No"\n'
)
NEW_RESULTS = (
    b'"HITId","AssignmentId","WorkerId","Input.q1","Input.q2","Answer.q1","Answer.q2"\n'
    b'"H1","S1","A1","rain","","No",""\n"H2","S3","A1","a queen","a king","Yes","Naa"\n'
)


def test_results_whose_layouts_differ_are_matched_before_anything_is_stored(
    client: Client, owner: User, folders: Path
) -> None:
    files = (("old.csv", OLD_RESULTS), ("new.csv", NEW_RESULTS))
    terms = {"holds": "votes", "voters": "human", "study": "mine", "name": "adjectives"}
    address = reverse("import")
    shown = look(client, address, *files, **terms)
    preview = shown.context["preview"]
    patterns = {group.pattern: group for group in preview.matching.groups}
    assert patterns["Answer.q*"].names == ("Answer.q", "Answer.q1", "Answer.q2")
    assert patterns["Answer.q*"].n_files == 2
    assert {answer for answer, _, _ in preview.matching.answer_rows} == {"Yes", "No", "Naa"}
    assert not preview.is_complete
    # A button that the page does not offer yet stores nothing either.
    press(client, address, shown, **terms)
    assert not Study.objects.exists()
    gold = {group.pattern: field.name for group, field in preview.matching.gold_rows}
    expected = gold["Answer.check*"]
    codes = {"Yes": "f", "No": "n", "Naa": "o"}
    matched = {
        **terms, "column-label": "Answer.q*", "column-query": "Input.q*", expected: "No",
        **{field.name: codes[answer] for answer, _, field in preview.matching.answer_rows},
    }  # fmt: skip
    shown = look_again(client, address, shown, **matched)
    counts = dict(shown.context["preview"].counts)
    page = text(press(client, address, shown, **matched))
    stored = set(Vote.objects.filter(counts=True).values_list("query__text", "choices__option"))
    assert stored >= {("rain", "n"), ("a queen", "f"), ("a king", "o")}
    assert counts["Workers"] == 2
    on_gold = Vote.objects.exclude(query__gold="").count()
    assert counts["Votes"] == Vote.objects.filter(query__gold="").count()
    assert counts["Votes on gold questions"] == on_gold
    assert "old.csv" in page
    assert below(folders) == []


def look_again(client: Client, address: str, shown: Any, **fields: str) -> Any:
    return client.post(address, {**fields, "staged": shown.context["preview"].staged.token})


def test_columns_and_answers_of_other_programs_are_guessed_or_asked_for(
    client: Client, owner: User
) -> None:
    content = b"task,annotator,answer\nq1,A1,Female\nq1,A2,woman\n"
    terms = {"holds": "votes", "voters": "human", "study": "mine"}
    shown = look(client, reverse("import"), ("v.csv", content), **terms)
    matching = shown.context["preview"].matching
    assert matching.columns == {"query_id": "task", "worker": "annotator", "label": "answer"}
    assert matching.labels == {"Female": "f"}
    field = next(field.name for answer, _, field in matching.answer_rows if answer == "woman")
    press(client, reverse("import"), shown, **terms, **{field: "f"})
    assert Vote.objects.filter(choices__option="f").count() == 2


def test_nobody_imports_what_somebody_else_looks_at(client: Client, owner: User) -> None:
    terms = {"holds": "labels", "voters": "human", "study": "mine"}
    shown = look(client, reverse("import"), ("l.csv", LABELS), **terms)
    other = User.objects.create_user("other")
    set_permits(user=other, permits=[Permit.CREATE_STUDIES], actor="test")
    client.force_login(other)
    press(client, reverse("import"), shown, **terms)
    assert not Study.objects.exists()


def test_labels_in_a_file_of_queries_are_offered_until_they_are_imported(
    client: Client, owner: User, study: Study
) -> None:
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    file = add(study, FileKind.QUERIES, LABELS, "queries.csv")
    address = reverse("study-detail", args=[study.pk])
    assert client.get(address).context["labelled"] == [file]
    fields = {"file": file.pk, "name": "with labels"}
    client.post(reverse("study-file-labels", args=[study.pk]), fields)
    assert study.batches.get().name == "with labels"
    assert Label.objects.count() == 3
    assert client.get(address).context["labelled"] == []
