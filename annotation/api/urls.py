"""Every address of the API. What has a number is found by it: a name may hold anything."""

from typing import Any

from django.urls import URLPattern, URLResolver, include, path, re_path

from annotation.accounts.api import members
from annotation.api import docs
from annotation.api.operation_views import operation_view
from annotation.api.unknown import Unknown
from annotation.batches.api import batches, messages, money, queries, work
from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.answer_bonus import ANSWER_BONUS
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.approve_answer import APPROVE_ANSWER
from annotation.batches.operations.bonus import BONUS
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.restore_answer import RESTORE_ANSWER
from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.operations import AnyOperation
from annotation.labels.api import exports, labels
from annotation.labels.operations.adjudicate import WITHDRAW_DECISION
from annotation.labels.operations.decide import LABEL
from annotation.overview.api import log, studies, tasks
from annotation.overview.operations.adopt import ADOPT
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE
from annotation.overview.operations.rename import RENAME
from annotation.overview.operations.undo_removal import UNDO_REMOVAL
from annotation.reports.api import reports
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.studies.api import explaining, files, pools
from annotation.studies.operations.pool import BUILD_POOL
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import SCORE
from annotation.workers.api import review, workers
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE
from annotation.workers.operations.readmit import READMIT
from annotation.workers.operations.restore_votes import RESTORE_VOTES

_WITHDRAWAL = {"qid": "1048585", "reason": "Decided the wrong query."}
_BONUS = {"amount": "0.50", "reason": "It took longer than we had said."}

#: About a worker: place in the address, operation, its id in the document, an example of a reason.
_DECISIONS = (
    ("set-aside", DISCARD_VOTES, "worker_set_aside", "Right on 1 of 9 gold questions."),
    ("bring-back", RESTORE_VOTES, "worker_bring_back", "The gold questions were wrong."),
    ("keep-out", EXCLUDE, "worker_keep_out", "Answered each page within two seconds."),
    ("let-in", READMIT, "worker_let_in", "Has read the instructions again."),
)

worker_patterns = [
    path("", workers.BatchWorker.as_view(), name="api-batch-worker"),
    path(
        "forget/",
        operation_view(ERASE_PERSON, "worker_forget", from_address="worker", everywhere=False),
        name="api-worker-forget",
    ),
    *(
        path(
            f"{place}/",
            operation_view(operation, operation_id, from_address="worker", reason=reason),
            name=f"api-worker-{place}",
        )
        for place, operation, operation_id, reason in _DECISIONS
    ),
]

#: There is no way to reject here: a worker's pay is not taken by a program.
assignment_patterns = [
    path(
        "approve/",
        operation_view(APPROVE_ANSWER, "assignment_approve", feedback="Thank you."),
        name="api-assignment-approve",
    ),
    path(
        "restore/",
        operation_view(RESTORE_ANSWER, "assignment_restore", reason="We were wrong, sorry."),
        name="api-assignment-restore",
    ),
    path(
        "bonus/",
        operation_view(ANSWER_BONUS, "assignment_bonus", **_BONUS),
        name="api-assignment-bonus",
    ),
]

#: By the place in the address: the operation, its id in the document, an example of what is sent.
_OPERATIONS: dict[str, tuple[AnyOperation, str, dict[str, Any]]] = {
    "publish": (PUBLISH, "batch_publish", {"dry_run": True}),
    **{
        f"invite/{kind}": (invitation, f"batch_invite_{kind}", invitation.example)
        for kind, invitation in INVITATIONS.items()
    },
    "invite/revoke": (REVOKE_CHANNEL, "batch_invite_revoke", {"channel": "3CHANNEL"}),
    "collect": (COLLECT, "batch_collect", {"approve": True}),
    "stop": (STOP, "batch_stop", {}),
    "label": (LABEL, "batch_label", {"method": "dawid_skene"}),
    "extend": (EXTEND, "batch_extend", {"until": "2026-12-24T18:00:00Z"}),
    "top-up": (TOP_UP, "batch_top_up", {"assignments": 5, "dry_run": True}),
    "ask": (ADAPTIVE_ROUND, "batch_ask", {"dry_run": True}),
    "approve": (APPROVE, "batch_approve", {"feedback": "Thank you."}),
    "bonus": (BONUS, "batch_bonus", {**_BONUS, "dry_run": True}),
    "messages/answer": (
        ANSWER_INQUIRY,
        "batch_message_answer",
        {"inquiry": "3INQUIRY", "text": "By the words alone."},
    ),
    "bundle/make": (MAKE_BUNDLE, "batch_bundle_make", {}),
}

_THING = {"what": "report", "number": 7}
#: The same of a study, for what it holds and for itself.
_OF_STUDY: dict[str, tuple[AnyOperation, str, dict[str, Any]]] = {
    "rename": (RENAME, "study_rename", {**_THING, "new_name": "without BM25"}),
    "archive": (ARCHIVE, "study_archive", _THING),
    "unarchive": (UNARCHIVE, "study_unarchive", _THING),
    "remove": (REMOVE, "study_remove", {**_THING, "dry_run": True}),
    "undo-removal": (UNDO_REMOVAL, "study_undo_removal", _THING),
    "adopt": (ADOPT, "study_adopt", {"what": "batch", "number": 3}),
    "duplicate": (DUPLICATE_STUDY, "study_duplicate", {"name": "Nuances 2027"}),
}

operation_patterns = [
    path(
        f"{place}/",
        operation_view(operation, operation_id, **sent),
        name=f"api-batch-{place.replace('/', '-')}",
    )
    for place, (operation, operation_id, sent) in _OPERATIONS.items()
]

adjudication_patterns = [
    path("queue/", labels.AdjudicationQueue.as_view(), name="api-adjudication-queue"),
    path("decisions/", labels.Decisions.as_view(), name="api-adjudication-decisions"),
    path(
        "withdraw/",
        operation_view(WITHDRAW_DECISION, "adjudication_withdraw", **_WITHDRAWAL),
        name="api-adjudication-withdraw",
    ),
]

batch_patterns: list[URLPattern | URLResolver] = [
    path("", batches.BatchDetail.as_view(), name="api-batch"),
    path("", include(operation_patterns)),
    path("progress/", batches.BatchProgressNow.as_view(), name="api-batch-progress"),
    path("costs/", money.BatchMoney.as_view(), name="api-batch-costs"),
    path("hits/", work.HITs.as_view(), name="api-batch-hits"),
    path("assignments/", work.Assignments.as_view(), name="api-batch-assignments"),
    path("assignments/<int:assignment>/", include(assignment_patterns)),
    path("queries/", queries.BatchQueries.as_view(), name="api-batch-queries"),
    path(
        "queries/<int:query>/explain/",
        explaining.QueryExplained.as_view(),
        name="api-batch-query-explain",
    ),
    path("queries/<int:query>/", queries.BatchQueryDetail.as_view(), name="api-batch-query"),
    path("agreement/", review.BatchAgreement.as_view(), name="api-batch-agreement"),
    path("workers/", workers.BatchWorkers.as_view(), name="api-batch-workers"),
    path("workers/<int:worker>/", include(worker_patterns)),
    path("labels/", labels.BatchLabels.as_view(), name="api-batch-labels"),
    path("adjudication/", include(adjudication_patterns)),
    path("export/", exports.BatchExport.as_view(), name="api-batch-export"),
    path("votes/", exports.BatchVotes.as_view(), name="api-batch-votes"),
    path("bundle/", exports.BatchBundle.as_view(), name="api-batch-bundle"),
    path("bundle/file/", exports.BatchBundleFile.as_view(), name="api-batch-bundle-file"),
    path("messages/", messages.Messages.as_view(), name="api-batch-messages"),
    path("events/", log.BatchEvents.as_view(), name="api-batch-events"),
]

report_patterns = [
    path("", reports.Report.as_view(), name="api-study-report"),
    path("statistics/", reports.ReportStatistics.as_view(), name="api-study-report-statistics"),
    path("<slug:file>/", reports.ReportFile.as_view(), name="api-study-report-file"),
]

study_patterns: list[URLPattern | URLResolver] = [
    path("", studies.StudyDetail.as_view(), name="api-study"),
    path("members/", members.Members.as_view(), name="api-study-members"),
    path("members/<int:member>/", members.Member.as_view(), name="api-study-member"),
    path("invites/", members.Invites.as_view(), name="api-study-invites"),
    path("invites/<int:invite>/", members.InviteRevoke.as_view(), name="api-study-invite"),
    path("files/", files.Files.as_view(), name="api-study-files"),
    path("files/pointed/", files.FilesPointed.as_view(), name="api-study-files-pointed"),
    path("files/<int:file>/", files.File.as_view(), name="api-study-file"),
    path("rank/", operation_view(RANK, "study_rank", ranker="BM25"), name="api-study-rank"),
    path("score/", operation_view(SCORE, "study_score", tokenizer="word"), name="api-study-score"),
    path("pool/", operation_view(BUILD_POOL, "study_pool", cutoff=500), name="api-study-pool"),
    *(
        path(
            f"{place}/",
            operation_view(operation, operation_id, **sent),
            name=f"api-study-{place}",
        )
        for place, (operation, operation_id, sent) in _OF_STUDY.items()
    ),
    path("reports/", reports.Reports.as_view(), name="api-study-reports"),
    path("reports/<int:report>/", include(report_patterns)),
    path("events/", log.StudyEvents.as_view(), name="api-study-events"),
]

v1_patterns: list[URLPattern | URLResolver] = [
    path("me/", studies.Me.as_view(), name="api-me"),
    path("studies/", studies.Studies.as_view(), name="api-studies"),
    path("studies/<int:study>/", include(study_patterns)),
    path("tasks/", tasks.Tasks.as_view(), name="api-tasks"),
    path("tasks/<int:task>/", tasks.TaskDetail.as_view(), name="api-task"),
    path("tasks/<int:task>/cancel/", tasks.TaskCancel.as_view(), name="api-task-cancel"),
    path("pools/", pools.Pools.as_view(), name="api-pools"),
    path("pools/<int:pool>/", pools.PoolDetail.as_view(), name="api-pool"),
    path("pools/<int:pool>/queries/", pools.PoolQueries.as_view(), name="api-pool-queries"),
    path("batches/", batches.Batches.as_view(), name="api-batches"),
    path("batches/<int:batch>/", include(batch_patterns)),
    path("schema/", docs.Schema.as_view(), name="api-schema"),
    path("docs/", docs.Docs.as_view(), name="api-docs"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", include(v1_patterns)),
    re_path("", Unknown.as_view(), name="api-unknown"),
]
