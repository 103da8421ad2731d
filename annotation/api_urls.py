"""Every address of the API. Objects are found by number, since a name may hold anything."""

import re
from collections.abc import Mapping
from typing import Any

from django.urls import URLPattern, URLResolver, include, path, re_path

from annotation.accounts.api import members
from annotation.api import docs
from annotation.api.access import Unknown
from annotation.api.operation_views import operation_view
from annotation.batches.api import batches, messages, money, queries, schemes, work
from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.core.operations import AnyOperation
from annotation.jobs.registry import OPERATIONS
from annotation.labels.api import bringing, corrected, exports, labels, models, qrels
from annotation.labels.operations.adjudicate import WITHDRAW_DECISION
from annotation.models import Assignment, Batch, Study
from annotation.overview.api import log, studies, tasks
from annotation.reports.api import bundles, releases, reports
from annotation.studies.api import explaining, files, pools
from annotation.workers.api import review, workers
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE, READMIT

#: An operation, and an example of what is sent.
_Call = tuple[AnyOperation, Mapping[str, Any]]


def _operations(noun: str, operations: Mapping[str, _Call], **options: Any) -> list[URLPattern]:
    """The addresses of operations, each with an example of its body.

    Their names, and their ids in the document, follow from noun and place.
    """
    return [
        path(
            f"{place}/",
            operation_view(
                operation, f"{noun}_{re.sub('[/-]', '_', place)}", sample=sample, **options
            ),
            name=f"api-{noun}-{place.replace('/', '-')}",
        )
        for place, (operation, sample) in operations.items()
    ]


def _with_paths(subject: type[Any]) -> dict[str, _Call]:
    """The operations on `subject` that have a path."""
    operations = (
        operation for operation in OPERATIONS if operation.path and operation.subject is subject
    )
    return {
        operation.path: (operation, operation.example)
        for operation in sorted(operations, key=lambda operation: operation.path)
    }


worker_patterns = [
    path("", workers.BatchWorker.as_view(), name="api-batch-worker"),
    *_operations(
        "worker",
        {
            "erase": (ERASE_PERSON, {"everywhere": False}),
            "discard-votes": (DISCARD_VOTES, {"reason": "Right on 1 of 9 gold questions."}),
            "restore-votes": (RESTORE_VOTES, {"reason": "The gold questions were wrong."}),
            "exclude": (EXCLUDE, {"reason": "Answered each page within two seconds."}),
            "readmit": (READMIT, {"reason": "Has read the instructions again."}),
        },
        from_address="worker",
    ),
]

#: There is no way to reject here: a worker's pay is not taken by a program.
assignment_patterns = _operations("assignment", _with_paths(Assignment))
_WITHDRAWAL = {"qid": "1048585", "reason": "Decided the wrong query."}
_MESSAGE = {"inquiry": "3INQUIRY", "text": "By the words alone."}

adjudication_patterns = [
    path("queue/", labels.AdjudicationQueue.as_view(), name="api-adjudication-queue"),
    path("decisions/", labels.Decisions.as_view(), name="api-adjudication-decisions"),
    *_operations("adjudication", {"withdraw": (WITHDRAW_DECISION, _WITHDRAWAL)}),
]

batch_patterns: list[URLPattern | URLResolver] = [
    path("", batches.BatchDetail.as_view(), name="api-batch"),
    *_operations("batch", _with_paths(Batch)),
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
    path("scheme/", schemes.BatchScheme.as_view(), name="api-batch-scheme"),
    path("scheme/<slug:file>/", schemes.BatchSchemeFile.as_view(), name="api-batch-scheme-file"),
    path("agreement/", review.BatchAgreement.as_view(), name="api-batch-agreement"),
    path("workers/", workers.BatchWorkers.as_view(), name="api-batch-workers"),
    path("workers/<int:worker>/", include(worker_patterns)),
    path("labels/", labels.BatchLabels.as_view(), name="api-batch-labels"),
    path("adjudication/", include(adjudication_patterns)),
    path("stand-in/", corrected.BatchStandIn.as_view(), name="api-batch-stand-in"),
    path("figures/", corrected.BatchFigures.as_view(), name="api-batch-figures"),
    path("export/", exports.BatchExport.as_view(), name="api-batch-export"),
    path("qrels/", qrels.BatchQrels.as_view(), name="api-batch-qrels"),
    path("votes/add/", bringing.VotesAdded.as_view(), name="api-batch-votes-add"),
    path("votes/", exports.BatchVotes.as_view(), name="api-batch-votes"),
    path("messages/", messages.Messages.as_view(), name="api-batch-messages"),
    path(
        "messages/answer/",
        operation_view(ANSWER_INQUIRY, "batch_message_answer", sample=_MESSAGE),
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
    path("models/", models.Models.as_view(), name="api-study-models"),
    *_operations("study", _with_paths(Study)),
    path("reports/", reports.Reports.as_view(), name="api-study-reports"),
    path("reports/<int:report>/", include(report_patterns)),
    path("bundle/", bundles.StudyBundle.as_view(), name="api-study-bundle"),
    path("bundle/file/", bundles.StudyBundleFile.as_view(), name="api-study-bundle-file"),
    path("release/", releases.StudyRelease.as_view(), name="api-study-release"),
    path("release/file/", releases.StudyReleaseFile.as_view(), name="api-study-release-file"),
    path("events/", log.StudyEvents.as_view(), name="api-study-events"),
]

v1_patterns: list[URLPattern | URLResolver] = [
    path("me/", studies.Me.as_view(), name="api-me"),
    path("studies/", studies.Studies.as_view(), name="api-studies"),
    path("studies/votes/", bringing.VotesBrought.as_view(), name="api-votes-brought"),
    path("studies/bundles/", studies.BundlesImported.as_view(), name="api-bundles-imported"),
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
