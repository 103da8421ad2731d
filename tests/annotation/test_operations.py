"""Every operation by page, API and command: what is refused, and what money takes."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework import serializers
from rest_framework.test import APIClient

from annotation.accounts.operations.email_address import SET_EMAIL
from annotation.accounts.operations.enter_crowd import ENTER_CROWD
from annotation.accounts.operations.invites import INVITE_MEMBER, REVOKE_INVITATION
from annotation.accounts.operations.members import ADD_MEMBER, CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.accounts.operations.permits import SET_PERMITS, set_permits
from annotation.accounts.operations.second_factor import (
    RENEW_RECOVERY_CODES,
    RESET_SECOND_FACTOR,
    TURN_OFF_SECOND_FACTOR,
    TURN_ON_SECOND_FACTOR,
)
from annotation.accounts.operations.security_keys import ADD_SECURITY_KEY, REMOVE_SECURITY_KEY
from annotation.accounts.operations.tokens import CREATE_TOKEN, REVOKE_TOKEN
from annotation.api.operation_views import body_of
from annotation.batches.operations.adaptive_policy import BEGIN_ADAPTIVE
from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.budget import BUDGET
from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.disposing import DISPOSE
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.plan_round import PLAN_ROUND
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.decide_bonuses import DECIDE_BONUSES
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.import_responses import IMPORT_RESPONSES
from annotation.batches.operations.prolific.moving import PAUSE_STUDY, RESUME_STUDY, STOP_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.reject_submission import (
    REJECT_SUBMISSION,
    REQUEST_RETURN,
)
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.prolific.upload_tasks import UPLOAD_TASKS
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.read_again import READ_AGAIN
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.reject_answer import REJECT_ANSWER, RESTORE_ANSWER
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.batches.pages.operations import PAGES
from annotation.core.commands import words_of_command
from annotation.core.consent import ConsentError
from annotation.core.forms import form_of
from annotation.core.operations import Actor, AnyOperation, NotPermittedError
from annotation.core.options import ParametersCommand
from annotation.core.parameters import ParametersError, fields_of, read_parameters
from annotation.core.perform import estimate, perform, perform_here, perform_job
from annotation.jobs.execution import run_job
from annotation.jobs.registry import OPERATIONS
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.operations.bring_votes import BRING_VOTES
from annotation.labels.operations.classifier import TRAIN_CLASSIFIER
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.model_labels import IMPORT_MODEL_LABELS, REMOVE_MODEL_LABELS
from annotation.labels.operations.qrels_import import IMPORT_QRELS
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.management.nouns import command_of
from annotation.models import (
    AdaptivePolicy,
    Assignment,
    AuditEvent,
    Batch,
    Bonus,
    Membership,
    Study,
    Task,
    Vote,
)
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE, UNDO_REMOVAL
from annotation.overview.operations.rename import RENAME
from annotation.overview.operations.retention import APPLY_RETENTION
from annotation.overview.operations.sample import PREPARE_SAMPLE
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.reports.operations.make_release import MAKE_RELEASE
from annotation.reports.operations.make_report import MAKE_REPORT
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import SCORE
from annotation.studies.operations.studies import CHANGE_STUDY
from annotation.vocabulary import BatchState, Environment, HITState, Permit, Role
from annotation.workers.operations.approvals import IMPORT_APPROVALS
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE, READMIT, SEND_EXCLUSIONS
from tests.study import stored_study

pytestmark = pytest.mark.django_db

_BONUS = {"amount": "0.50", "reason": "Thanks."}
#: What spends money, with parameters that do.
SPENDING: dict[AnyOperation, dict[str, Any]] = {
    PUBLISH: {},
    COLLECT: {"approve": "on"},
    APPROVE: {},
    BONUS: _BONUS,
    TOP_UP: {"assignments": "5"},
    ADAPTIVE_ROUND: {},
    APPROVE_ANSWER: {},
    RESTORE_ANSWER: {"reason": "Sorry."},
    ANSWER_BONUS: _BONUS,
}
#: With a study on Prolific's double: `tests/annotation/publishing/prolific/test_recruiting.py`.
SPENDING_ON_PROLIFIC = {PUBLISH_STUDY, ADD_PLACES, PAY_BONUSES}
DECISIONS = {DISCARD_VOTES, RESTORE_VOTES, EXCLUDE, READMIT}
FREE = {
    CONNECT_PROLIFIC,
    CHOOSE_CROWD,
    UPLOAD_TASKS,
    IMPORT_RESPONSES,
    DRAFT_STUDY,
    PAUSE_STUDY,
    RESUME_STUDY,
    STOP_STUDY,
    READ_STUDY,
    APPROVE_SUBMISSIONS,
    REJECT_SUBMISSION,
    REQUEST_RETURN,
    SET_UP_BONUSES,
    DECIDE_BONUSES,
    IMPORT_BUNDLE,
    CREATE_STUDY,
    CHANGE_STUDY,
    DISPOSE,
    IMPORT_APPROVALS,
    PREPARE_SAMPLE,
    ADD_FILE,
    POINT_TO_FILE,
    RANK,
    SCORE,
    SEND_EXCLUSIONS,
    BUILD_POOL,
    POOL_PAIRS,
    DRAW_SAMPLE,
    CREATE_BATCH,
    CHANGE_SCHEME,
    BUDGET,
    EXTEND,
    STOP,
    LABEL,
    IMPORT_LABELS,
    IMPORT_VOTES,
    ADD_VOTES,
    BRING_VOTES,
    IMPORT_MODEL_LABELS,
    IMPORT_QRELS,
    REMOVE_MODEL_LABELS,
    ASK_MODEL,
    TRAIN_CLASSIFIER,
    IMPORT_BUNDLE,
    ADJUDICATE,
    WITHDRAW_DECISION,
    MAKE_BUNDLE,
    MAKE_RELEASE,
    CREATE_REPORT,
    MAKE_REPORT,
    REJECT_ANSWER,
    ENTER_CROWD,
    ADD_MEMBER,
    CHANGE_ROLE,
    REMOVE_MEMBER,
    INVITE_MEMBER,
    REVOKE_INVITATION,
    SET_PERMITS,
    APPLY_RETENTION,
    BEGIN_ADAPTIVE,
    PLAN_ROUND,
    CREATE_OWNER_LINK,
    CREATE_TOKEN,
    REVOKE_TOKEN,
    SET_EMAIL,
    TURN_ON_SECOND_FACTOR,
    RENEW_RECOVERY_CODES,
    TURN_OFF_SECOND_FACTOR,
    ADD_SECURITY_KEY,
    REMOVE_SECURITY_KEY,
    RESET_SECOND_FACTOR,
    ERASE_PERSON,
    RENAME,
    ARCHIVE,
    UNARCHIVE,
    REMOVE,
    UNDO_REMOVAL,
    DUPLICATE_STUDY,
    *INVITATIONS.values(),
    REVOKE_CHANNEL,
    ANSWER_INQUIRY,
    REFRESH,
    READ_AGAIN,
} | DECISIONS
_BEFORE: dict[Any, str] = {Assignment: "assignments/{answer}/"}
#: By the place after the address of the batch (of the study, of all) in the API: what says where it
#: stands, and what shares an address with what reads.
CALLS: dict[str, AnyOperation] = {
    **{f"{_BEFORE.get(one.subject, '')}{one.path}/": one for one in OPERATIONS if one.path},
    "/api/v1/batches/": CREATE_BATCH,
    "/api/v1/studies/": CREATE_STUDY,
    "invites/": INVITE_MEMBER,
    "adjudication/decisions/": ADJUDICATE,
    "adjudication/withdraw/": WITHDRAW_DECISION,
    "workers/{worker}/discard-votes/": DISCARD_VOTES,
    "workers/{worker}/restore-votes/": RESTORE_VOTES,
    "workers/{worker}/exclude/": EXCLUDE,
    "workers/{worker}/readmit/": READMIT,
    "reports/": CREATE_REPORT,
    "files/pointed/": POINT_TO_FILE,
    "messages/answer/": ANSWER_INQUIRY,
}
BUTTONS: dict[str, AnyOperation] = {
    "batch-publish": PUBLISH,
    "batch-collect": COLLECT,
    "batch-scheme-save": CHANGE_SCHEME,
    "worker-approvals": IMPORT_APPROVALS,
    "batch-stop": STOP,
    **{f"batch-invite-{kind}": one for kind, one in INVITATIONS.items()},
    "batch-channel-revoke": REVOKE_CHANNEL,
    "batch-prolific-connect": CONNECT_PROLIFIC,
    "batch-prolific-pause": PAUSE_STUDY,
    "batch-prolific-resume": RESUME_STUDY,
    "batch-prolific-stop": STOP_STUDY,
    "batch-prolific-read": READ_STUDY,
    "batch-prolific-tasks": UPLOAD_TASKS,
    "batch-prolific-responses": IMPORT_RESPONSES,
    "batch-crowd": CHOOSE_CROWD,
    "batch-message-answer": ANSWER_INQUIRY,
    "batch-refresh": REFRESH,
    "labels-decide": LABEL,
    "query-adjudicate": ADJUDICATE,
    "adjudication-withdraw": WITHDRAW_DECISION,
    "bundle-make": MAKE_BUNDLE,
    "release-make": MAKE_RELEASE,
    "answer-approve": APPROVE_ANSWER,
    "answer-reject": REJECT_ANSWER,
    "answer-restore": RESTORE_ANSWER,
    "answer-bonus": ANSWER_BONUS,
    "worker-discard-votes": DISCARD_VOTES,
    "worker-restore-votes": RESTORE_VOTES,
    "worker-exclude": EXCLUDE,
    "worker-readmit": READMIT,
    "batch-store": CREATE_BATCH,
    "member-role": CHANGE_ROLE,
    "member-remove": REMOVE_MEMBER,
    "invite-create": INVITE_MEMBER,
    "invite-revoke": REVOKE_INVITATION,
    "study-report-new": CREATE_REPORT,
    "study-files": ADD_FILE,
    "study-file-point": POINT_TO_FILE,
    "study-rank": RANK,
    "study-score": SCORE,
    "study-pool": BUILD_POOL,
    "study-pool-pairs": POOL_PAIRS,
    "study-draw-sample": DRAW_SAMPLE,
    "study-rename": RENAME,
    "study-archive": ARCHIVE,
    "study-unarchive": UNARCHIVE,
    "study-remove": REMOVE,
    "study-undo-removal": UNDO_REMOVAL,
    "study-duplicate": DUPLICATE_STUDY,
    "labels-qrels-import": IMPORT_QRELS,
    "study-model-import": IMPORT_MODEL_LABELS,
    "study-model-remove": REMOVE_MODEL_LABELS,
}
OWNER = Actor("test")


@pytest.fixture
def batch(settings: Settings) -> Batch:
    """A batch of real money: published but for one HIT, answered, nothing reviewed."""
    settings.OPEN = False
    batch = stored_study(4)
    for hit in batch.hits.all()[1:]:
        hit.state, hit.hit_id = HITState.PUBLISHED, f"H{hit.index}"
        hit.save()
    Batch.objects.update(state=BatchState.PUBLISHED, environment=Environment.PRODUCTION)
    assert batch.study is not None
    user = User.objects.create_user("owner")
    Membership.objects.create(study=batch.study, user=user, role=Role.OWNER)
    set_permits(user=user, permits=Permit.values, actor="test")
    batch.refresh_from_db()
    return batch


def subject_for(operation: AnyOperation, batch: Batch) -> Any:
    """What the operation is done to, as it must be to cost something."""
    answer = Assignment.objects.filter(hit__batch=batch).order_by("pk")[0]
    if operation is ADAPTIVE_ROUND:
        AdaptivePolicy.objects.create(batch=batch, question="gender", full_share=1.0, most_votes=5)
        Vote.objects.filter(worker__worker_id="A2").delete()
    if operation is RESTORE_ANSWER:
        answer.state = "Rejected"
        answer.save()
    subjects: dict[Any, Any] = {Assignment: answer, Study: batch.study, Batch: batch}
    return subjects.get(operation.subject)


def client_of(name: str = "owner") -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def api_of(name: str = "owner") -> APIClient:
    _, token = AuthToken.objects.create(User.objects.get(username=name))
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")


def call_of(operation: AnyOperation, batch: Batch) -> str:
    (path,) = [path for path, one in CALLS.items() if one is operation]
    answer = Assignment.objects.filter(hit__batch=batch).order_by("pk")[0]
    if path.startswith("/"):
        return path
    if operation.subject is Study:
        return f"/api/v1/studies/{batch.study_id}/{path}"
    return f"/api/v1/batches/{batch.pk}/{path.format(answer=answer.pk, worker=answer.worker_id)}"


def pages_of(operation: AnyOperation, batch: Batch) -> Iterator[str]:
    """Every address of the site that does the operation."""
    answer = Assignment.objects.filter(hit__batch=batch).order_by("pk")[0].pk
    for act, one in PAGES.items():
        if one is operation:
            yield reverse("batch-act", args=[batch.pk, act])
    for name, one in BUTTONS.items():
        if one is operation:
            numbers: dict[Any, list[Any]] = {
                Assignment: [batch.pk, answer],
                Study: [batch.study_id],
            }
            is_new = name == "batch-store"
            yield reverse(name, args=[] if is_new else numbers.get(one.subject, [batch.pk]))


def typed(operation: AnyOperation, subject: Any) -> list[str]:
    """The arguments of a command that name its subject."""
    if isinstance(subject, Assignment):
        return [subject.hit.batch.name, subject.assignment_id]
    if operation is CREATE_OWNER_LINK:
        return []
    return [subject.name] if operation.subject else ["new"]


@pytest.fixture(autouse=True)
def _kept_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of its own process closes its connections; here they are the test's."""
    monkeypatch.setattr(connections, "close_all", lambda: None)


def run_command(operation: AnyOperation, *arguments: str) -> None:
    noun, verb = words_of_command(operation)
    _command(operation).run_from_argv([f"manage.py {noun}", verb, *arguments])


def _command(operation: AnyOperation) -> Any:
    """The command of the operation; None where it has none."""
    words = words_of_command(operation)
    return command_of(*words) if words else None


def test_every_operation_says_whether_it_spends() -> None:
    assert set(SPENDING) | SPENDING_ON_PROLIFIC | FREE == set(OPERATIONS)
    assert {one for one in OPERATIONS if one.spends} == set(SPENDING) | SPENDING_ON_PROLIFIC


@pytest.mark.parametrize("operation", SPENDING, ids=lambda one: one.name)
def test_real_money_is_spent_by_nobody_who_has_not_agreed_to_the_exact_amount(
    operation: AnyOperation, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject, sent = subject_for(operation, batch), SPENDING[operation]
    cost = estimate(operation, subject, sent, OWNER).cost
    assert cost > 0
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    body = {**sent, "approve": True} if operation is COLLECT else sent
    for wrong in (None, cost + Decimal("0.01"), Decimal(0), Decimal("sNaN")):
        agreed = {} if wrong is None else {"agreed": str(wrong), "cost": str(wrong)}
        for how in (perform, perform_here):
            with pytest.raises(ConsentError):
                how(operation, subject, sent, OWNER, wrong)
        for page in pages_of(operation, batch):
            client_of().post(page, {**sent, **agreed, "read": "on"})
        said = {} if wrong is None else {"agreed": str(wrong)}
        status = api_of().post(call_of(operation, batch), {**body, **said}).status_code
        assert status in {400, 422}
        options = [] if wrong is None else ["--agreed", str(wrong)]
        terms = [f"--{key}={value}" for key, value in sent.items() if value != "on"]
        terms += ["--approve"] if operation is COLLECT else []
        with pytest.raises(SystemExit):
            run_command(operation, *typed(operation, subject), *terms, *options)
    assert not Task.objects.exists()
    assert not Bonus.objects.exists()
    assert not AuditEvent.objects.filter(action__endswith="requested").exists()


@pytest.mark.parametrize("operation", SPENDING, ids=lambda one: one.name)
def test_what_was_agreed_to_is_kept_with_the_job(operation: AnyOperation, batch: Batch) -> None:
    subject, sent = subject_for(operation, batch), SPENDING[operation]
    planned = estimate(operation, subject, sent, OWNER)
    body = {**sent, "approve": True} if operation is COLLECT else sent
    answer = api_of().post(call_of(operation, batch), {**body, "agreed": str(planned.cost)})
    assert answer.status_code == 202, answer.content
    task = Task.objects.get()
    assert task.consent["total"] == str(planned.cost)
    assert [one["subjects"] for one in task.consent["charges"]] == [
        list(one.subjects) for one in planned.charges
    ]
    assert task.requested_by is not None
    asked = AuditEvent.objects.get(action=f"{operation.name} requested")
    assert asked.detail["cost"] == str(planned.cost)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_unknown_names_are_refused_with_the_nearest_one_that_is_known(
    operation: AnyOperation, batch: Batch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ParametersError) as refused:
        read_parameters(operation.parameters, {"dryrun": True})
    assert "dryrun" in refused.value.errors
    if operation in CALLS.values():
        reply = api_of().post(call_of(operation, batch), {"dryrun": True})
        assert reply.status_code == 400
        (error,) = [one for one in reply.json()["errors"] if one["pointer"] == "#/dryrun"]
        assert "'dry_run'" in error["detail"]
    for page in pages_of(operation, batch):
        client_of().post(page, {**SPENDING.get(operation, {}), "dryrun": "on", "read": "on"})
    if isinstance(_command(operation), ParametersCommand):
        with pytest.raises(SystemExit) as ended:
            run_command(operation, *typed(operation, subject_for(operation, batch)), "--dryrun")
        assert ended.value.code == 2
        assert "--dryrun is not known" in capsys.readouterr().err
    assert not Task.objects.exists()


def outside(field: Any) -> Iterator[Any]:
    """Values just beyond what a field takes."""
    if getattr(field, "min_value", None) is not None:
        yield field.min_value - (1 if isinstance(field, serializers.IntegerField) else CENT)
    if getattr(field, "max_value", None) is not None:
        yield field.max_value + 1
    if isinstance(field, serializers.ChoiceField):
        yield "no such choice"
    elif getattr(field, "max_length", None):
        yield "x" * (field.max_length + 1)


CENT = Decimal("0.01")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_ranges_are_the_same_at_every_interface(operation: AnyOperation) -> None:
    for name, field in fields_of(operation.parameters).items():
        for value in outside(field):
            with pytest.raises(ParametersError) as refused:
                read_parameters(operation.parameters, {name: value})
            assert name in refused.value.errors
            body = body_of(operation)(data={name: value})
            assert not body.is_valid()
            assert name in body.errors
            if name in form_of(operation).base_fields:
                assert name in form_of(operation)({name: value}).errors


def test_a_value_out_of_range_is_a_usage_error_that_names_the_option(
    batch: Batch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_command(TOP_UP, batch.name, "--assignments", "0")
    assert ended.value.code == 2
    assert "--assignments" in capsys.readouterr().err


def queued_approval(batch: Batch) -> Task:
    user = User.objects.get(username="owner")
    cost = estimate(APPROVE, batch, {}, OWNER).cost
    perform(APPROVE, batch, {}, Actor("owner (API)", user), cost)
    task = Task.objects.get()
    task.attempts = 1
    return task


def test_a_job_pays_nothing_where_what_was_agreed_to_has_changed(batch: Batch) -> None:
    task = queued_approval(batch)
    Assignment.objects.filter(pk=Assignment.objects.order_by("pk")[0].pk).update(state="Rejected")
    with pytest.raises(ConsentError):
        perform_job(APPROVE, task, lambda _units: None)
    assert not Assignment.objects.filter(state="Approved").exists()


def test_a_job_is_not_done_for_whoever_lost_the_permission_or_the_account(batch: Batch) -> None:
    task = queued_approval(batch)
    Membership.objects.update(role=Role.VIEWER)
    with pytest.raises(NotPermittedError):
        perform_job(APPROVE, task, lambda _units: None)
    User.objects.filter(username="owner").delete()
    with pytest.raises(NotPermittedError):
        perform_job(APPROVE, Task.objects.get(), lambda _units: None)
    ended = run_job()
    assert ended is not None
    assert ended.state == "failed"
    assert AuditEvent.objects.filter(action="approve failed").exists()


def test_a_job_of_an_earlier_version_spends_no_real_money_without_consent(batch: Batch) -> None:
    task = Task.objects.create(kind="approve", batch=batch, actor="before")
    with pytest.raises(ConsentError):
        perform_job(APPROVE, task, lambda _units: None)


def test_a_cost_beyond_the_budget_is_refused_before_it_is_queued(batch: Batch) -> None:
    Batch.objects.update(budget=Decimal("0.50"), committed=Decimal("0.40"))
    cost = estimate(BONUS, batch, _BONUS, OWNER).cost
    reply = api_of().post(call_of(BONUS, batch), {**_BONUS, "agreed": str(cost)})
    assert reply.status_code == 422
    assert not Task.objects.exists()
