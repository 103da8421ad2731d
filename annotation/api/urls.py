"""Every address of the API. What has a number is found by it: a name may hold anything."""

import re
from collections.abc import Mapping
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

_BONUS = {"amount": "0.50", "reason": "It took longer than we had said."}
_THING = {"what": "report", "number": 7}


def _operations(
    noun: str, operations: Mapping[str, tuple[AnyOperation, dict[str, Any]]], **options: Any
) -> list[URLPattern]:
    """The addresses of operations by their places, each with an example of what is sent.

    Their names, and their ids in the document, follow from noun and place.
    """
    return [
        path(
            f"{place}/",
            operation_view(operation, f"{noun}_{re.sub('[/-]', '_', place)}", sent=sent, **options),
            name=f"api-{noun}-{place.replace('/', '-')}",
        )
        for place, (operation, sent) in operations.items()
    ]


worker_patterns = [
    path("", workers.BatchWorker.as_view(), name="api-batch-worker"),
    *_operations(
        "worker",
        {
            "forget": (ERASE_PERSON, {"everywhere": False}),
            "set-aside": (DISCARD_VOTES, {"reason": "Right on 1 of 9 gold questions."}),
            "bring-back": (RESTORE_VOTES, {"reason": "The gold questions were wrong."}),
            "keep-out": (EXCLUDE, {"reason": "Answered each page within two seconds."}),
            "let-in": (READMIT, {"reason": "Has read the instructions again."}),
        },
        from_address="worker",
    ),
]

#: There is no way to reject here: a worker's pay is not taken by a program.
assignment_patterns = _operations(
    "assignment",
    {
        "approve": (APPROVE_ANSWER, {"feedback": "Thank you."}),
        "restore": (RESTORE_ANSWER, {"reason": "We were wrong, sorry."}),
        "bonus": (ANSWER_BONUS, _BONUS),
    },
)

_OF_BATCH: dict[str, tuple[AnyOperation, dict[str, Any]]] = {
    "publish": (PUBLISH, {"dry_run": True}),
    **{f"invite/{kind}": (one, one.example) for kind, one in INVITATIONS.items()},
    "invite/revoke": (REVOKE_CHANNEL, {"channel": "3CHANNEL"}),
    "collect": (COLLECT, {"approve": True}),
    "stop": (STOP, {}),
    "label": (LABEL, {"method": "dawid_skene"}),
    "extend": (EXTEND, {"until": "2026-12-24T18:00:00Z"}),
    "top-up": (TOP_UP, {"assignments": 5, "dry_run": True}),
    "ask": (ADAPTIVE_ROUND, {"dry_run": True}),
    "approve": (APPROVE, {"feedback": "Thank you."}),
    "bonus": (BONUS, {**_BONUS, "dry_run": True}),
    "bundle/make": (MAKE_BUNDLE, {}),
}
#: Of what a study holds and of itself; and what is made in it.
_OF_STUDY: dict[str, tuple[AnyOperation, dict[str, Any]]] = {
    "rank": (RANK, {"ranker": "BM25"}),
    "score": (SCORE, {"tokenizer": "word"}),
    "pool": (BUILD_POOL, {"cutoff": 500}),
    "rename": (RENAME, {**_THING, "new_name": "without BM25"}),
    "archive": (ARCHIVE, _THING),
    "unarchive": (UNARCHIVE, _THING),
    "remove": (REMOVE, {**_THING, "dry_run": True}),
    "undo-removal": (UNDO_REMOVAL, _THING),
    "adopt": (ADOPT, {"what": "batch", "number": 3}),
    "duplicate": (DUPLICATE_STUDY, {"name": "Nuances 2027"}),
}
_WITHDRAWAL = {"qid": "1048585", "reason": "Decided the wrong query."}
_MESSAGE = {"inquiry": "3INQUIRY", "text": "By the words alone."}

adjudication_patterns = [
    path("queue/", labels.AdjudicationQueue.as_view(), name="api-adjudication-queue"),
    path("decisions/", labels.Decisions.as_view(), name="api-adjudication-decisions"),
    *_operations("adjudication", {"withdraw": (WITHDRAW_DECISION, _WITHDRAWAL)}),
]

batch_patterns: list[URLPattern | URLResolver] = [
    path("", batches.BatchDetail.as_view(), name="api-batch"),
    *_operations("batch", _OF_BATCH),
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
    path(
        "messages/answer/",
        operation_view(ANSWER_INQUIRY, "batch_message_answer", sent=_MESSAGE),
        name="api-batch-messages-answer",
    ),
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
    *_operations("study", _OF_STUDY),
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
