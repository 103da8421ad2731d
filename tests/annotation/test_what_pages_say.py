"""What a page says is true, and no other page says otherwise, whatever came before."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.inviting.link import INVITE_LINK, InviteLinkParameters
from annotation.batches.operations.notices import mail_refused_events
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.costs import batch_costs
from annotation.core.site_address import served_file
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.labels.queries.votes_out import votes_out
from annotation.models import (
    AuditEvent,
    Batch,
    CrowdSnapshot,
    Labelling,
    Membership,
    Study,
    StudyReport,
    Task,
    Worker,
)
from annotation.overview.operations.rename import RENAME
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import steps_of
from annotation.reports.pages.forms import ReportForm
from annotation.reports.queries.reports import outdated_reports
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.vocabulary import (
    OWN_CLASSIFIER,
    AuditAction,
    LabelMethod,
    Permit,
    Role,
    TaskKind,
    TaskState,
    what_stays,
)
from metrics.errors import InputError
from metrics.runs.qrels import read_passage_labels
from metrics.votes.conventions import alpha_in_words
from metrics.votes.intervals import Estimate
from pooling.queries import pool_name_is_free
from pooling.removable import Removable
from tests import any_batch
from tests.annotation.test_results_of_batches import answered, step
from tests.any_batch import (
    ANSWERS,
    WORKERS,
    answered_batch,
    asking_batch,
    hand_in,
    store_fields,
)
from tests.judged_pairs import pairs_batch
from tests.performing import create_study, do, invite, remove
from tests.study import a_study, stored_batch, stored_pairs, stored_pool

pytestmark = pytest.mark.django_db


def shown(client: Client, name: str, *numbers: int, status: int = 200) -> str:
    """The words of a page."""
    response = client.get(reverse(name, args=numbers))
    assert response.status_code == status
    return " ".join(BeautifulSoup(response.content, "html.parser").get_text(" ").split())


def complete_batch(kind: str = "one nominal question", *, rejected: int = 0) -> Batch:
    """A published batch whose only HIT has the answers of all its three places."""
    batch = asking_batch(kind)
    hit = batch.hits.get()
    batch.hits.update(max_assignments=len(WORKERS))
    Batch.objects.filter(pk=batch.pk).update(committed=len(WORKERS) * hit.unit_cost)
    for number, (worker, answers) in enumerate(zip(WORKERS, ANSWERS, strict=True)):
        status = "Rejected" if number < rejected else "Approved"
        hand_in(kind, batch, worker, answers, status=status)
    batch.refresh_from_db()
    return batch


def test_votes_of_files_are_not_of_those_that_hits_ask_for() -> None:
    batch = answered_batch("one nominal question")
    pairs_batch(batch.study)
    # Three workers answered four queries, one of them that she cannot tell: 9 places, 36 votes. The
    # pairs have 3 + 3 + 3 + 2 votes, and those on the gold pair.
    assert "11 of 36 votes, 11 imported, 1 cannot tell" in step(batch.study, "labels").sentence


def test_the_result_of_queries_leads_the_study_and_pairs_only_judge() -> None:
    batch = answered(stored_batch(stored_pool(4), "queries"), "nnnm")
    pairs = pairs_batch(batch.study)
    batch_label(batch=pairs, actor="test")
    flow = study_flow(study=batch.study)
    assert [labelled.name for labelled in flow.labelled] == ["queries", "pairs"]
    assert "pairs of pairs" not in " ".join(one.sentence for one in steps_of(flow))


def test_each_question_shows_a_result_before_a_second_batch_of_another() -> None:
    pool = stored_pool(4)
    for name in ("first", "second", "third"):
        answered(stored_batch(pool, name), "nnnm")
    pairs = pairs_batch(pool.belongs.study)
    batch_label(batch=pairs, actor="test")
    names = [batch.name for batch in study_flow(study=pool.belongs.study).labelled]
    assert names[:2] == ["third", "pairs"]


def test_a_report_made_with_judgments_of_pairs_is_done() -> None:
    study = Study.objects.create(name="s")
    pairs = pairs_batch(study)
    batch_label(batch=pairs, actor="test")
    terms = {"batches": [], "judgments": [pairs.pk]}
    StudyReport.objects.create(study=study, parameters=terms, made_at=timezone.now())
    assert step(study, "report").sentence == "Measured on the results of pairs."


def test_a_report_on_the_labels_of_pairs_ticks_no_batch_of_queries() -> None:
    batch = answered(stored_batch(stored_pool(4), "queries"), "nnnm")
    pairs = pairs_batch(batch.study)
    form = ReportForm(batch.study, batch=str(pairs.pk))
    assert (form["batches"].initial, form["judgments"].initial) == ([], [str(pairs.pk)])
    assert ReportForm(batch.study)["batches"].initial == [str(batch.pk)]


def test_a_round_that_is_due_is_the_next_step(admin_client: Client) -> None:
    batch = asking_batch("one nominal question")
    Batch.objects.filter(pk=batch.pk).update(assignments_per_hit=2)
    batch.hits.update(max_assignments=2, target_answers=2, expires_at=None)
    batch.refresh_from_db()
    adaptive_begin(batch=batch, actor="test", terms=AdaptiveParameters(full_share=0))
    hand_in("one nominal question", batch, "A1", "0011")
    hand_in("one nominal question", batch, "A2", "0100")  # three queries of four differ
    page = shown(admin_client, "batch-detail", batch.pk)
    assert "Next: another round" in page
    assert "they do not settle 3 queries" in page
    assert step(batch.study, "labels").sentence.endswith(
        "The next round is to ask about 3 queries."
    )
    Batch.objects.filter(pk=batch.pk).update(state="stopped")
    assert "Next: labels" in shown(admin_client, "batch-detail", batch.pk)


def test_a_rejected_answer_is_requested_again_and_holds_nothing(admin_client: Client) -> None:
    batch = complete_batch(rejected=1)
    progress, price = batch_progress(batch=batch), batch.hits.get().unit_cost
    assert (progress.n_missing, progress.held, progress.unused) == (1, Decimal(0), price)
    assert progress.committed == progress.spent + progress.unused
    page = shown(admin_client, "batch-detail", batch.pk)
    assert "All answers are in" not in page
    assert "Request 1 missing answer" in page
    assert f"Held {progress.held:.2f} USD" in page
    assert f"Not used {price:.2f} USD" in page
    costs = shown(admin_client, "batch-costs", batch.pk)
    assert "Held for answers to come or to be reviewed, bonuses begun among them 0.00 USD" in costs
    assert batch_costs(batch=batch).waiting == 0
    assert step(batch.study, "labels").sentence.endswith("1 answer to request again.")


def test_answers_that_are_all_in_lack_none(admin_client: Client) -> None:
    batch = complete_batch()
    assert batch_progress(batch=batch).n_missing == 0
    assert "All answers are in." in shown(admin_client, "batch-detail", batch.pk)


@pytest.mark.parametrize(
    ("value", "low", "high", "says"),
    [
        (0.439, 0.084, 0.657, "Its whole interval is below 0.667."),
        (0.5, 0.45, 0.6, ""),
        (0.7, 0.5, 0.75, "This is not sure: its interval begins below 0.667, where"),
        (0.6, 0.5, 0.7, "This is not sure: its interval ends between 0.667 and 0.8, where"),
        (0.7, 0.3, 0.9, "beyond chance and ends at least 0.8, from which"),
    ],
)
def test_alpha_is_not_sure_only_where_its_interval_crosses_a_threshold(
    value: float, low: float, high: float, says: str
) -> None:
    alpha = Estimate(value, low, high)
    words = alpha_in_words(alpha)
    assert says in words
    assert ("not sure" in words) == says.startswith(("This", "beyond"))


def test_agreement_of_single_votes_is_one_sentence(admin_client: Client) -> None:
    batch = asking_batch("one nominal question")
    hand_in("one nominal question", batch, "A1", "0000")
    n_to_come = batch_progress(batch=batch).n_to_come
    assert n_to_come
    page = shown(admin_client, "batch-agreement", batch.pk)
    begins = "Each query has one vote; agreement begins with the second"
    assert f"{begins} ({n_to_come} answers are still to come)." in page
    assert "undefined" not in page


def test_votes_to_come_change_no_imported_decision() -> None:
    batch = asking_batch("one nominal question")
    hand_in("one nominal question", batch, "A1", "0000")
    question = batch.scheme.subset_question
    batch_label(batch=batch, actor="test")
    by = Labelling.objects.get(batch=batch)
    assert votes_out(batch=batch, question=question, by=by).n_labels == 4
    by.method = LabelMethod.RELEASED
    assert votes_out(batch=batch, question=question, by=by).n_labels == 0


def test_messages_that_were_not_read_yet_are_not_missing(admin_client: Client) -> None:
    batch = asking_batch("one nominal question")
    Batch.objects.filter(pk=batch.pk).update(endpoint="http://127.0.0.1:1/mturk/")
    page = shown(admin_client, "batch-messages", batch.pk)
    assert "Nobody has written" not in page
    assert "Messages have not been read from the crowd service yet" in page
    CrowdSnapshot.objects.create(batch=batch, at=timezone.now(), channels=[], inquiries=[])
    assert "Nobody has written" in shown(admin_client, "batch-messages", batch.pk)


def test_mails_lead_to_where_the_site_listens(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.EMAIL_HOST = tmp_path, "127.0.0.1"
    settings.SITE_ADDRESS = "http://127.0.0.1:8000"
    batch = stored_batch(stored_pool(2))
    owner = a_user("ada", email="ada@example.org")
    set_permits(user=owner, permits=Permit.values, actor="test")
    Membership.objects.create(study=batch.study, user=owner, role=Role.OWNER)
    served_file().write_text("http://127.0.0.1:8123\n")
    mail_refused_events(batches=[batch], n=1, is_mended=False)
    [sent] = mail.outbox
    assert "http://127.0.0.1:8123/" in sent.body
    assert ":8000" not in sent.body


def test_a_cancelled_report_keeps_nothing_and_no_tile_leads_to_it(admin_client: Client) -> None:
    study = answered(stored_batch(stored_pool(4), "queries"), "nnnm").study
    made = StudyReport.objects.create(
        study=study, name="made", parameters=_TERMS, made_at=timezone.now()
    )
    cancelled = StudyReport.objects.create(study=study, name="cancelled", parameters=_TERMS)
    Task.objects.create(
        kind=TaskKind.REPORT,
        study=study,
        state=TaskState.CANCELLED,
        arguments={"report": cancelled.pk},
        error=f"Cancelled; {what_stays(TaskKind.REPORT)}.",
        finished_at=timezone.now(),
    )
    page = BeautifulSoup(
        admin_client.get(reverse("study-detail", args=[study.pk])).content, "html.parser"
    )
    [tile] = page.select(".glance")
    addresses = [str(link["href"]) for link in tile.select("a[href]")]
    assert reverse("study-report", args=[study.pk, made.pk]) in addresses
    assert reverse("study-report", args=[study.pk, cancelled.pk]) not in addresses
    assert what_stays(TaskKind.REPORT) == "nothing of it is kept"
    assert what_stays(TaskKind.PUBLISH) == "what is done stays"


_TERMS = {
    "batches": [],
    "runs": ["a"],
    "magnitudes": ["tf"],
    "cutoffs": [5],
    "scored": "m",
    "baseline": "",
}


TWO = """
name: two
title: Two questions
questions:
- name: buys
  text: Does somebody want to buy something?
  kind: single
  options: [{code: no, label: No}, {code: yes, label: Yes}]
- name: asks
  text: Does somebody ask something?
  kind: single
  options: [{code: no, label: No}, {code: yes, label: Yes}]
subset: {words: queries of buyers, question: buys, any_of: [yes]}
"""


def test_ties_of_several_questions_are_counted_for_each_and_in_all(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(any_batch.SCHEMES, "two", TWO)
    batch = asking_batch("two")
    batch.hits.update(max_assignments=2, target_answers=2)
    for worker, buys in (("A1", ["no"] * 4), ("A2", ["yes", "yes", "yes", "no"])):
        asks = ["no", (worker == "A1" and "no") or "yes", "yes", "yes"]
        store_fields(
            batch,
            worker,
            [
                (f"q-{place}-{name}", answers[place])
                for name, answers in (("buys", buys), ("asks", asks))
                for place in range(4)
            ],
        )
    batch_label(batch=batch, question="buys", actor="test")
    waiting = "3 of “Does somebody want to buy something?”, 1 of “Does somebody ask something?”"
    assert f"(4 waiting: {waiting})" in shown(admin_client, "batch-adjudication", batch.pk)
    assert f"what the votes left open: {waiting}." in shown(admin_client, "batch-labels", batch.pk)
    assert (
        "3 of 4 queries have no majority in the question “Does somebody want to buy something?”."
        in shown(admin_client, "batch-detail", batch.pk)
    )
    assert step(batch.study, "labels").sentence.endswith(
        "3 ties in “Does somebody want to buy something?” to adjudicate."
    )


def test_an_invitation_says_who_asks() -> None:
    batch = stored_batch(stored_pool(2))
    says = f"The people of the study {batch.study.name}"
    assert INVITE_LINK.members(batch, InviteLinkParameters())["AskedBy"] == says
    assert INVITE_LINK.members(batch, InviteLinkParameters(asked_by="Ada"))["AskedBy"] == "Ada"


def test_an_archived_batch_has_no_next_step(admin_client: Client) -> None:
    batch = complete_batch()
    assert "Next: labels" in shown(admin_client, "batch-detail", batch.pk)
    Batch.objects.filter(pk=batch.pk).update(archived_at=timezone.now())
    page = shown(admin_client, "batch-detail", batch.pk)
    assert "Next:" not in page
    assert "Unarchive it to use it again." in page
    Batch.objects.filter(pk=batch.pk).update(archived_at=None)
    Study.objects.filter(pk=batch.study_id).update(archived_at=timezone.now())
    assert "Next:" not in shown(admin_client, "batch-detail", batch.pk)
    page = shown(admin_client, "study-detail", batch.study_id)
    assert "Next:" not in page
    assert "this study is left out of lists" in page


def test_a_removed_batch_says_so_to_members_and_to_nobody_else(
    admin_client: Client, client: Client
) -> None:
    batch = stored_batch(stored_pool(2))
    remove(batch.study, "batch", batch)
    page = shown(admin_client, "batch-detail", batch.pk, status=404)
    assert f"{batch.name} was removed" in page
    assert f"Archived and removed of {batch.study.name}" in page
    client.force_login(a_user("eve"))
    assert "was removed" not in shown(client, "batch-detail", batch.pk, status=404)


def test_whatever_was_removed_says_so_and_where_it_comes_back(admin_client: Client) -> None:
    pool = stored_pool(2)
    study = pool.belongs.study
    batch = stored_batch(pool, "b")
    kept = Batch.objects.create(name="kept", environment="local", study=study)
    report = StudyReport.objects.create(
        study=study, name="figures", parameters=_TERMS, made_at=timezone.now()
    )
    pages: dict[Removable, tuple[str, tuple[int, ...]]] = {
        report: ("study-report", (study.pk, report.pk)),
        batch: ("batch-detail", (batch.pk,)),
        pool: ("pool-detail", (pool.pk,)),
        study: ("study-detail", (study.pk,)),
    }
    for row, (page, numbers) in pages.items():
        remove(study, row.noun, row)
        words = shown(admin_client, page, *numbers, status=404)
        assert f"{row.called} was removed" in words, row
        assert "Until " in words
        where = "Archived and removed studies" if row == study else "Archived and removed of"
        assert where in words
    words = shown(admin_client, "batch-detail", kept.pk, status=404)
    assert "kept was removed" in words  # with its study
    assert "Archived and removed studies" in words


MONEY = """
name: money
title: Money
questions:
- name: topic
  text: What is it about?
  kind: single
  options: [{code: money work, label: Money work}, {code: other, label: Other}]
subset: {words: queries of work, question: topic, any_of: [money work]}
"""


def test_labels_of_models_may_have_blanks(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(any_batch.SCHEMES, "money", MONEY)
    study = asking_batch("money").study
    file = SimpleUploadedFile("gpt.csv", b"qid,label\nq0,money work\nq1,Money work\nq2,other\n")
    sent = {"file": file, "question": "topic"}
    address = reverse("study-model-import", args=[study.pk])
    page = admin_client.post(address, sent, follow=True).content.decode()
    assert "is not a category" not in page
    rater = study.model_raters.get()
    labels = list(rater.labels.order_by("qid").values_list("category", flat=True))
    assert labels == ["money work", "money work", "other"]
    words = shown(admin_client, "study-model", study.pk, rater.pk)
    assert "What is it about? Money work, Other" in words


def test_pages_show_labels_in_place_of_names_of_programs(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(any_batch.SCHEMES, "two", TWO.replace("asks", "which_asks_something"))
    batch = asking_batch("two")
    batch.hits.update(max_assignments=2, target_answers=2)
    names = ("buys", "which_asks_something")
    for worker in ("A1", "A2"):
        answers = [(f"q-{place}-{name}", "no") for name in names for place in range(4)]
        store_fields(batch, worker, answers)
    batch_label(batch=batch, question=names[1], actor="test")
    query_adjudicate(
        batch=batch, qid="q0", question=names[1], category="yes", reason="So.", by="ann"
    )
    event(AuditAction.TOPPED_UP, batch=batch, added=1, reopened=0, further_hits=0)
    event(AuditAction.INVITATION_MADE, batch=batch, channel="3PGABC", places=20, days=14)
    event(AuditAction.VOTES_DISCARDED, batch=batch, reason="So.")
    number = Worker.objects.get(worker_id="A1").pk
    log = shown(admin_client, "batch-log", batch.pk)
    assert "answers requested 1 HITs offered again 0" in log
    # PostgreSQL keeps the members of a detail in an order of its own.
    assert "question Does somebody ask something?" in log
    assert "answer Yes" in log
    assert "method Majority of the votes" in log
    study_log = shown(admin_client, "study-log", batch.study_id)
    pages = [
        *(log, study_log, shown(admin_client, "batch-detail", batch.pk)),
        shown(admin_client, "batch-worker", batch.pk, number),
        shown(admin_client, "batch-query", batch.pk, batch.queries.earliest("pk").pk),
    ]
    assert "Does somebody ask something?" in pages[3]
    for page in pages:
        for name in (names[1], "reopened", "further_hits", "3PGABC", "labels_changed"):
            assert name not in page


def test_the_fields_of_a_scheme_are_called_in_words_of_a_person(admin_client: Client) -> None:
    page = shown(admin_client, "batch-scheme", stored_batch(stored_pool(2)).pk)
    assert "What they are called in reports" in page
    assert "Leave out those with one of these answers" in page
    assert "The mean over" not in page
    assert "But not with" not in page


def test_one_act_has_one_name() -> None:
    links = re.compile(r"""<a\b[^>]*href="{% url 'batch-invite' [^>]*>(.*?)</a>""", re.DOTALL)
    names = set[str]()
    for path in Path("templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        names |= {name.strip() for name in links.findall(text)}
        for other in ("Bring in annotators", "Other ways to invite", "Recruit annotators"):
            assert other not in text, path
    assert names == {"Invite annotators", "Back to the invitations"}
    assert INVITE_LINK.title == INVITE_LINK.button == INVITE_LINK.heading == "Make a link"


def test_a_file_of_pairs_is_announced_with_its_columns(admin_client: Client) -> None:
    pairs = pairs_batch(a_study("s"))
    batch_label(batch=pairs, actor="test")
    page = shown(admin_client, "batch-labels", pairs.pk)
    assert "CSV: qid,docno,query,label" in page
    assert "CSV: qid,query,label" not in page


def test_genders_of_passages_are_exported_as_labelrab_reads_them(
    admin_client: Client, tmp_path: Path
) -> None:
    pairs = pairs_batch(a_study("s"), "passage_gender", ("fff", "mmm", "nnn", "bbb", "", "nnn"))
    batch_label(batch=pairs, actor="test")
    page = shown(admin_client, "batch-labels", pairs.pk)
    assert "Qrels of TREC: adjudicated" in page
    assert "Qrels of TREC: median" not in page  # genders have no order
    question = pairs.scheme.subset.question
    response = admin_client.get(
        reverse("batch-export", args=[pairs.pk]),
        {"question": question, "layout": "qrels-adjudicated", "category": "all"},
    )
    file = tmp_path / "genders.qrels"
    file.write_bytes(b"".join(response.streaming_content))  # type: ignore[attr-defined]
    assert file.read_text().splitlines()[3] == "8 0 D1 both"
    assert read_passage_labels(file) == {"7": {"D1": -1, "D2": 1, "D3": 0}, "8": {"D1": 0}}


def a_user(name: str, **values: str) -> User:
    return User.objects.create_user(name, values.pop("email", ""), **values)


@pytest.fixture
def judged() -> tuple[StudyReport, Batch]:
    """A report on a study's queries with judgments of pairs, and of a model beside them."""
    study = answered(stored_batch(stored_pool(4), "queries"), "nnnm").study
    pairs = pairs_batch(study)
    batch_label(batch=pairs, actor="test")
    report = StudyReport.objects.create(
        study=study,
        parameters={**_TERMS, "judgments": [pairs.pk], "judged_by": "adjudicated"},
        inputs={"judges": ["judge"]},
        made_at=timezone.now(),
    )
    assert outdated_reports([report]) == set()
    return report, pairs


def event(action: AuditAction, *, batch: Batch | None = None, **detail: Any) -> None:
    study = None if batch else Study.objects.get()
    AuditEvent.objects.create(action=action, batch=batch, study=study, actor="test", detail=detail)


def test_a_report_is_stale_once_a_judgment_changes(judged: tuple[StudyReport, Batch]) -> None:
    report, pairs = judged
    event(AuditAction.LABELS_DECIDED, batch=pairs, changed=0)
    event(AuditAction.ANSWERS_COLLECTED, batch=pairs, votes=3)  # the labels stand
    assert outdated_reports([report]) == set()
    query_adjudicate(
        batch=pairs, qid=pairs.queries.get(position=0).qid, category="1", reason="So.", by="ann"
    )
    assert outdated_reports([report]) == {report.pk}


def test_a_report_is_stale_once_votes_change_that_it_decides_by(
    judged: tuple[StudyReport, Batch],
) -> None:
    report, pairs = judged
    report.parameters["judged_by"] = "median"
    event(AuditAction.VOTES_DISCARDED, batch=pairs)
    assert outdated_reports([report]) == {report.pk}


def test_a_report_is_stale_once_labels_are_imported_or_its_model_answers(
    judged: tuple[StudyReport, Batch],
) -> None:
    report, pairs = judged
    event(AuditAction.MODEL_LABELS_IMPORTED, labels={"another": 3})
    assert outdated_reports([report]) == set()
    event(AuditAction.MODEL_LABELS_IMPORTED, labels={"judge": 3})
    assert outdated_reports([report]) == {report.pk}
    report.made_at = timezone.now()
    event(AuditAction.LABELS_IMPORTED, batch=pairs)
    assert outdated_reports([report]) == {report.pk}


def test_a_report_is_stale_once_the_classifier_is_trained_anew(
    judged: tuple[StudyReport, Batch],
) -> None:
    report, pairs = judged
    study = report.study
    # Version 1.0 did not write the name of the model.
    for detail in ({"labels": 20}, {"labels": 20, "model": OWN_CLASSIFIER}):
        report.inputs, report.made_at = {"judges": ["judge"]}, timezone.now()
        AuditEvent.objects.create(
            action=AuditAction.CLASSIFIER_TRAINED, study=study, batch=pairs, detail=detail
        )
        assert outdated_reports([report]) == set()
        report.inputs = {"judges": [OWN_CLASSIFIER]}
        assert outdated_reports([report]) == {report.pk}


def test_names_that_differ_by_case_alone_are_refused() -> None:
    pool = stored_pool(2)
    batch = stored_batch(pool, "First")
    with pytest.raises(InputError, match="exists"):
        stored_batch(pool, "first")
    with pytest.raises(InputError, match="exists"):
        create_study(batch.study.name.upper())
    other = stored_batch(pool, "other")
    with pytest.raises(InputError, match="exists"):
        do(RENAME, batch.study, what="batch", number=other.pk, new_name="FIRST")
    do(RENAME, batch.study, what="batch", number=batch.pk, new_name="first")  # its own


def test_names_of_a_studys_own_things_differ_by_more_than_case_too(tmp_path: Path) -> None:
    pool = stored_pool(2, name="pool")
    study = pool.belongs.study
    for name in ("a", "b"):
        file = tmp_path / f"{name}.run"
        file.write_text("1 Q0 d1 1 1.0 x\n")
        with file.open("rb") as stream:
            add_study_file(study=study, kind="run", stream=stream, filename=file.name, actor="test")
    first = study.files.earliest("pk")
    with file.open("rb") as stream, pytest.raises(InputError, match="of this name already"):
        add_study_file(study=study, kind="run", stream=stream, filename="c", name="B", actor="test")
    with pytest.raises(InputError, match="exists"):
        do(RENAME, study, what="file", number=first.pk, new_name="B")
    StudyReport.objects.create(study=study, name="figures", parameters=_TERMS)
    report = StudyReport.objects.create(study=study, name="more", parameters=_TERMS)
    with pytest.raises(InputError, match="exists"):
        do(RENAME, study, what="report", number=report.pk, new_name="Figures")
    assert not pool_name_is_free("POOL")
    create_study("other")
    with pytest.raises(InputError, match="exists"):
        do(CHANGE_STUDY, study, name="OTHER")
    do(CHANGE_STUDY, study, name=study.name.upper())  # its own


def test_accounts_differ_by_more_than_case(client: Client) -> None:
    study = a_study("s")
    a_user("ada")
    typed = {"username": "ADA", "password1": "a long one, with words"}
    typed |= {"password2": typed["password1"]}
    response = client.post(reverse("invite", args=[invite(study)]), typed)
    assert "already exists" in response.content.decode()
    assert not User.objects.filter(username="ADA").exists()


def test_a_new_batch_says_in_which_study_it_will_be(admin_client: Client) -> None:
    pool = stored_pool(4)
    terms = {"name": "b", "pool": pool.name, "reward": "0.25", "assignments_per_hit": "3"}
    terms |= {
        "queries_per_hit": "4",
        "lifetime_seconds": "7",
        "duration_seconds": "30",
        "seed": "0",
    }
    response = admin_client.post(reverse("batch-new-cost"), terms)
    page = " ".join(BeautifulSoup(response.content, "html.parser").get_text(" ").split())
    assert f"Study {pool.belongs.study.name} Queries 4" in page


@pytest.mark.parametrize("environment", ["sandbox", "local"])
def test_the_price_says_while_terms_are_chosen_what_amazon_would_refuse(
    admin_client: Client, settings: Settings, environment: str
) -> None:
    settings.MTURK_ENVIRONMENT = environment
    pool = stored_pairs(50)
    pool.queries.update(passage=60 * "A passage of this length. ")
    terms = {"pool": pool.name, "scheme": "relevance", "reward": "0.25", "queries_per_hit": "50"}
    terms |= {"assignments_per_hit": "3", "lifetime_seconds": "7", "duration_seconds": "30"}
    response = admin_client.post(reverse("batch-new-cost"), terms | {"seed": "0"})
    page = " ".join(BeautifulSoup(response.content, "html.parser").get_text(" ").split())
    limit = "Full cost not known yet: HIT 1 cannot be published: its page has "
    assert (limit in page) == (environment == "sandbox")
    assert ("at most 65,535 are allowed" in page) == (environment == "sandbox")
    assert ("Hourly pay" in page) == (environment == "local")
