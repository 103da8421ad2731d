"""The requester's pages. Batches, queries and pools are numbers here: a name may hold anything."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from annotation.accounts.operations.invites import REVOKE_INVITATION
from annotation.accounts.operations.members import CHANGE_ROLE, REMOVE_MEMBER
from annotation.accounts.pages import (
    account,
    forgotten,
    invites,
    members,
    owner_link,
    people,
    second_factor,
    security_keys,
    tokens,
)
from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.moving import PAUSE_STUDY, RESUME_STUDY, STOP_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.upload_tasks import UPLOAD_TASKS
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.reject_answer import REJECT_ANSWER, RESTORE_ANSWER
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.operations.stop import STOP
from annotation.batches.pages import (
    batches,
    creating,
    events,
    inquiries,
    inviting,
    inviting_many,
    operations,
    prolific,
    schemes,
    trying,
)
from annotation.batches.pages import queries as query_views
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.next_action import next_action
from annotation.batches.queries.pay import hourly_pay
from annotation.labels.operations.adjudicate import WITHDRAW_DECISION
from annotation.labels.operations.decide import LABEL
from annotation.labels.operations.model_labels import REMOVE_MODEL_LABELS
from annotation.labels.pages import (
    adjudicating,
    corrected,
    importing,
    labels,
    models,
    qrels,
    samples,
)
from annotation.overview.pages import design, holdings, studies, study_files, study_log
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.reports.pages import comparing, downloads, releases, reports
from annotation.reports.pages.importing import bundle_import
from annotation.studies.operations.add_file import POINT_TO_FILE
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import SCORE
from annotation.studies.pages import pools
from annotation.studies.pages.pool_pairs import pool_pairs
from annotation.web.access import SignIn
from annotation.web.buttons import batch_button, study_button
from annotation.web.pages import show_with_batches
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from annotation.workers.operations.exclude import EXCLUDE, READMIT
from annotation.workers.pages import workers

# `batch_page` in `annotation/web/pages.py` calls these for `templates/web/batch_page.html`.
show_with_batches("progress", lambda batch, _beside: batch_progress(batch=batch))
show_with_batches("hourly", lambda batch, _beside: hourly_pay(batch=batch))
show_with_batches(
    "operations",
    lambda batch, beside: operations.operations_listed(
        batch, n_unreadable=beside["progress"].n_quarantined
    ),
)
show_with_batches(
    "next",
    lambda batch, context: next_action(
        batch=batch, progress=context["progress"], may=context["may"]
    ),
)

answer_patterns: list[URLPattern | URLResolver] = [
    path("raw/", workers.answer_raw, name="answer-raw"),
    path("approve/", workers.answer_button(APPROVE_ANSWER), name="answer-approve"),
    path("reject/", workers.answer_button(REJECT_ANSWER), name="answer-reject"),
    path("restore/", workers.answer_button(RESTORE_ANSWER), name="answer-restore"),
    path("bonus/", workers.answer_button(ANSWER_BONUS), name="answer-bonus"),
]

batch_patterns: list[URLPattern | URLResolver] = [
    path("", batches.batch_detail, name="batch-detail"),
    path("progress/", batches.batch_progress_part, name="batch-progress"),
    path("tasks/", batches.batch_tasks_part, name="batch-tasks"),
    path("publish/", batch_button(PUBLISH), name="batch-publish"),
    path("collect/", batch_button(COLLECT), name="batch-collect"),
    path("stop/", batch_button(STOP), name="batch-stop"),
    path("try/", trying.batch_try, name="batch-try"),
    path("invite/", inviting.invite_page, name="batch-invite"),
    path("invite/poster/", inviting.invite_poster, name="batch-poster"),
    *(
        path(f"invite/{kind}/", batch_button(invitation), name=f"batch-invite-{kind}")
        for kind, invitation in INVITATIONS.items()
    ),
    path("invite/accounts/", inviting_many.invite_accounts, name="batch-invite-accounts"),
    path("invite/revoke/", batch_button(REVOKE_CHANNEL), name="batch-channel-revoke"),
    path("crowd/", batch_button(CHOOSE_CROWD), name="batch-crowd"),
    path("prolific/", prolific.prolific_page, name="batch-prolific"),
    path("prolific/export/<str:name>", prolific.tasks_file, name="batch-prolific-export"),
    path("prolific/responses/", prolific.import_responses, name="batch-prolific-responses"),
    *(
        path(f"{operation.path}/", batch_button(operation), name=f"batch-prolific-{name}")
        for name, operation in (
            ("connect", CONNECT_PROLIFIC),
            ("pause", PAUSE_STUDY),
            ("resume", RESUME_STUDY),
            ("stop", STOP_STUDY),
            ("read", READ_STUDY),
            ("tasks", UPLOAD_TASKS),
        )
    ),
    path("messages/", inquiries.inquiry_page, name="batch-messages"),
    path("messages/waiting/", inquiries.waiting_part, name="batch-messages-waiting"),
    path("refresh/", batch_button(REFRESH), name="batch-refresh"),
    path("messages/answer/", batch_button(ANSWER_INQUIRY), name="batch-message-answer"),
    path("scheme/", schemes.scheme_page, name="batch-scheme"),
    path("scheme/save/", schemes.scheme_save, name="batch-scheme-save"),
    path("scheme/<slug:file>/", schemes.scheme_download, name="batch-scheme-file"),
    path("agreement/", labels.agreement_review, name="batch-agreement"),
    path("acts/<slug:act>/", operations.operation_page, name="batch-act"),
    path("workers/", workers.worker_list, name="batch-workers"),
    path("workers/<int:worker>/", workers.worker_page, name="batch-worker"),
    path("workers/discard-votes/", batch_button(DISCARD_VOTES), name="worker-discard-votes"),
    path("workers/restore-votes/", batch_button(RESTORE_VOTES), name="worker-restore-votes"),
    path("workers/exclude/", batch_button(EXCLUDE), name="worker-exclude"),
    path("workers/readmit/", batch_button(READMIT), name="worker-readmit"),
    path("workers/approvals/", workers.import_approvals, name="worker-approvals"),
    path("workers/chosen/", workers.workers_chosen, name="workers-chosen"),
    path("workers/erase/", workers.erase_worker, name="worker-erase"),
    path("answers/<int:answer>/", include(answer_patterns)),
    path("costs/", batches.cost_page, name="batch-costs"),
    path("queries/", query_views.query_list, name="batch-queries"),
    path("queries/chosen/", adjudicating.queries_chosen, name="queries-chosen"),
    path("queries/<int:query>/", query_views.query_page, name="batch-query"),
    path("adjudication/", adjudicating.adjudication, name="batch-adjudication"),
    path("adjudication/decide/", adjudicating.adjudicate, name="query-adjudicate"),
    path("adjudication/withdraw/", batch_button(WITHDRAW_DECISION), name="adjudication-withdraw"),
    path("labels/", labels.labels_page, name="batch-labels"),
    path("labels/decide/", batch_button(LABEL), name="labels-decide"),
    path("labels/qrels/", qrels.qrels_import, name="labels-qrels-import"),
    path("labels/export/", labels.export_file, name="batch-export"),
    path("figures/", corrected.figures_page, name="batch-figures"),
    path("figures/file/", corrected.figures_file, name="batch-figures-file"),
    path("votes/", downloads.votes_file, name="batch-votes"),
    path("log/", batches.batch_log, name="batch-log"),
]

study_patterns = [
    path("", studies.study_detail, name="study-detail"),
    path("progress/", studies.study_progress_part, name="study-progress"),
    path("import/", importing.import_into, name="study-import"),
    path("files/", study_files.files_add, name="study-files"),
    path("files/look/", study_files.files_look, name="study-files-look"),
    path("files/point/", study_button(POINT_TO_FILE), name="study-file-point"),
    path("files/labels/", study_files.file_import_labels, name="study-file-labels"),
    path("rank/", study_button(RANK), name="study-rank"),
    path("rename/", holdings.rename, name="study-rename"),
    path("archive/", holdings.archive, name="study-archive"),
    path("unarchive/", holdings.unarchive, name="study-unarchive"),
    path("remove/", holdings.remove, name="study-remove"),
    path("undo-removal/", holdings.undo_removal, name="study-undo-removal"),
    path("duplicate/", holdings.duplicate, name="study-duplicate"),
    path("put-away/", holdings.put_away, name="study-put-away"),
    path("score/", study_button(SCORE), name="study-score"),
    path("pool/", study_button(BUILD_POOL), name="study-pool"),
    path("pool-pairs/", pool_pairs, name="study-pool-pairs"),
    path("draw-sample/", samples.draw_sample, name="study-draw-sample"),
    path("cancel/", study_files.cancel, name="study-cancel"),
    path("members/", members.member_list, name="study-members"),
    path("members/role/", study_button(CHANGE_ROLE), name="member-role"),
    path("members/remove/", study_button(REMOVE_MEMBER), name="member-remove"),
    path("members/invite/", members.invite_make, name="invite-create"),
    path("members/revoke/", study_button(REVOKE_INVITATION), name="invite-revoke"),
    path("annotate/", members.annotate, name="study-annotate"),
    path("annotate/enter/", members.enter, name="study-enter"),
    path("models/", models.model_list, name="study-models"),
    path("models/<int:rater>/", models.model_page, name="study-model"),
    path("models/import/", models.model_labels_import, name="study-model-import"),
    path("models/remove/", study_button(REMOVE_MODEL_LABELS), name="study-model-remove"),
    path("messages/", inquiries.study_messages_part, name="study-messages"),
    path("bundle/", downloads.bundle_file, name="study-bundle"),
    path("bundle/make/", study_button(MAKE_BUNDLE), name="bundle-make"),
    path("bundle/state/", downloads.bundle_part, name="bundle-state"),
    path("release/", releases.release_page, name="study-release"),
    path("release/make/", releases.make_release, name="release-make"),
    path("release/state/", releases.release_part, name="release-state"),
    path("release/file/", releases.release_file, name="study-release-file"),
    path("log/", study_log.study_log, name="study-log"),
]

report_patterns = [
    path("", reports.report_list, name="study-reports"),
    path("new/", reports.report_new, name="study-report-new"),
    path("compare/", comparing.report_compare, name="study-report-compare"),
    path("<int:report>/", reports.report_page, name="study-report"),
    path("<int:report>/cancel/", reports.report_cancel, name="study-report-cancel"),
    path("<int:report>/again/", reports.report_again, name="study-report-again"),
    path("<int:report>/part/<str:name>", reports.report_part, name="study-report-part"),
    path("<int:report>/files/<str:name>", reports.report_one_file, name="study-report-file"),
    path("<int:report>/report.zip", reports.report_folder, name="study-report-folder"),
]

urlpatterns = [
    path("", studies.study_list, name="study-list"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-in/link/<str:token>/", owner_link.owner_link, name="owner-link"),
    path("sign-in/forgotten/", forgotten.Forgotten.as_view(), name="forgotten"),
    path(
        "sign-in/forgotten/<str:uidb64>/<str:token>/",
        forgotten.NewPassword.as_view(),
        name="new-password",
    ),
    path("sign-in/code/", second_factor.give_code, name="second-factor"),
    path("sign-out/", LogoutView.as_view(next_page="sign-in"), name="sign-out"),
    path("account/", account.account, name="account"),
    path("account/email/", account.email_set, name="email-set"),
    path("account/tokens/create/", tokens.create, name="token-create"),
    path("account/tokens/revoke/", tokens.revoke, name="token-revoke"),
    path("account/password/", account.PasswordChange.as_view(), name="password-change"),
    path("account/two-step/", second_factor.settings_page, name="second-factor-settings"),
    path("account/two-step/app/", second_factor.turn_on, name="second-factor-on"),
    path("account/two-step/keys/", security_keys.security_keys, name="security-keys"),
    path("invites/<str:token>/", invites.invite, name="invite"),
    path("batches/", batches.batch_list, name="batch-list"),
    path("prolific/events/<str:workspace>/", events.prolific_event, name="prolific-event"),
    path("people/", people.people_page, name="people"),
    path("design/", design.design_page, name="design"),
    path("people/permits/", people.permits_change, name="people-permits"),
    path("batches/new/", creating.batch_new, name="batch-new"),
    path("batches/new/cost/", creating.batch_new_cost, name="batch-new-cost"),
    path("batches/new/store/", creating.batch_store, name="batch-store"),
    path("batches/<int:number>/", include(batch_patterns)),
    path("studies/", RedirectView.as_view(pattern_name="study-list")),
    path("studies/new/", studies.study_new, name="study-new"),
    path("studies/sample/", studies.sample_new, name="sample-new"),
    path("studies/import/", importing.import_new, name="import"),
    path("studies/import/bundle/", bundle_import, name="bundle-import"),
    path("studies/put-away/", holdings.studies_put_away, name="studies-put-away"),
    path("studies/<int:number>/", include(study_patterns)),
    path("studies/<int:number>/report/", include(report_patterns)),
    path("pools/", pools.pools, name="pool-list"),
    path("pools/<int:number>/", pools.pool, name="pool-detail"),
]
