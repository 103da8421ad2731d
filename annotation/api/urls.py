"""Every address of the API. What has a number is found by it: a name may hold anything."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from annotation.api import (
    acts,
    batches,
    docs,
    explaining,
    exports,
    files,
    labels,
    log,
    making,
    members,
    money,
    pools,
    queries,
    reports,
    review,
    studies,
    tasks,
    work,
    workers,
)
from annotation.api.unknown import Unknown

worker_patterns = [
    path("", workers.BatchWorker.as_view(), name="api-batch-worker"),
    path("set-aside/", workers.SetAside.as_view(), name="api-worker-set-aside"),
    path("bring-back/", workers.BringBack.as_view(), name="api-worker-bring-back"),
    path("keep-out/", workers.KeepOut.as_view(), name="api-worker-keep-out"),
    path("forget/", workers.Forget.as_view(), name="api-worker-forget"),
    path("let-in/", workers.LetIn.as_view(), name="api-worker-let-in"),
]

assignment_patterns = [
    path("approve/", work.ApproveAnswer.as_view(), name="api-assignment-approve"),
    path("restore/", work.RestoreAnswer.as_view(), name="api-assignment-restore"),
    path("bonus/", work.BonusForAnswer.as_view(), name="api-assignment-bonus"),
]

act_patterns = [
    path("publish/", acts.Publish.as_view(), name="api-batch-publish"),
    path("collect/", acts.Collect.as_view(), name="api-batch-collect"),
    path("stop/", acts.Stop.as_view(), name="api-batch-stop"),
    path("label/", acts.Label.as_view(), name="api-batch-label"),
    path("extend/", acts.Extend.as_view(), name="api-batch-extend"),
    path("top-up/", acts.TopUp.as_view(), name="api-batch-top-up"),
    path("ask/", acts.Ask.as_view(), name="api-batch-ask"),
    path("approve/", acts.Approve.as_view(), name="api-batch-approve"),
    path("bonus/", acts.Bonus.as_view(), name="api-batch-bonus"),
    path("bundle/make/", acts.MakeBundle.as_view(), name="api-batch-bundle-make"),
]

adjudication_patterns = [
    path("queue/", labels.AdjudicationQueue.as_view(), name="api-adjudication-queue"),
    path("decisions/", labels.Decisions.as_view(), name="api-adjudication-decisions"),
    path("withdraw/", labels.DecisionWithdraw.as_view(), name="api-adjudication-withdraw"),
]

batch_patterns: list[URLPattern | URLResolver] = [
    path("", batches.BatchDetail.as_view(), name="api-batch"),
    path("", include(act_patterns)),
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
    path("score/", making.Score.as_view(), name="api-study-score"),
    path("pool/", making.Pool.as_view(), name="api-study-pool"),
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
