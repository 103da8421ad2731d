"""The requester's pages. Batches, queries and pools are numbers here: a name may hold anything."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from annotation.web import acting, adjudicating, agreement, batches, creating, labels, pools
from annotation.web import queries as query_views
from annotation.web.access import SignIn

batch_patterns = [
    path("", batches.batch_detail, name="batch-detail"),
    path("progress/", batches.batch_progress_part, name="batch-progress"),
    path("publish/", acting.publish, name="batch-publish"),
    path("collect/", acting.collect, name="batch-collect"),
    path("stop/", acting.stop, name="batch-stop"),
    path("agreement/", agreement.agreement_review, name="batch-agreement"),
    path("workers/set-aside/", agreement.worker_set_aside_act, name="worker-set-aside"),
    path("workers/bring-back/", agreement.worker_bring_back_act, name="worker-bring-back"),
    path("queries/", query_views.query_list, name="batch-queries"),
    path("queries/<int:query>/", query_views.query_page, name="batch-query"),
    path("adjudication/", adjudicating.adjudication, name="batch-adjudication"),
    path("adjudication/decide/", adjudicating.adjudicate, name="query-adjudicate"),
    path("adjudication/withdraw/", adjudicating.withdraw, name="adjudication-withdraw"),
    path("labels/", labels.labels_page, name="batch-labels"),
    path("labels/decide/", labels.labels_decide, name="labels-decide"),
    path("labels/export/", labels.export_file, name="batch-export"),
    path("log/", batches.batch_log, name="batch-log"),
]

urlpatterns = [
    path("", batches.batch_list, name="batch-list"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(next_page="sign-in"), name="sign-out"),
    path("batches/new/", creating.batch_new, name="batch-new"),
    path("batches/new/hit/", creating.batch_new_hit, name="batch-new-hit"),
    path("batches/new/store/", creating.batch_store, name="batch-store"),
    path("batches/<int:number>/", include(batch_patterns)),
    path("pools/", pools.pools, name="pool-list"),
    path("pools/<int:number>/", pools.pool, name="pool-detail"),
]
