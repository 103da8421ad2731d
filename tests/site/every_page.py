"""Every page of the site, empty and with something on it, as addresses to visit.

Whoever visits them is signed in twice: as a member of staff, who may see everything, and as a
worker of the crowd service, who can answer.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone

from annotation.accounts.operations.tokens import create_token
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.pages.operations import PAGES
from annotation.models import Batch, Study
from mturk_local.lifecycle.channels import channel_token
from mturk_local.models import Channel, Requester
from tests.measured import measured_study, report_of
from tests.mturk_local.offered import offered_to, worker_signed_in
from tests.schemed import answered
from tests.study import addresses, stored_batch, stored_pool, stored_study

#: What is not a page: what buttons do, parts of pages, files, addresses that lead on, monitoring.
NO_PAGES = {
    *("token-create", "token-revoke", "email-set"),
    *("batch-progress", "batch-tasks", "batch-export"),
    *("batch-publish", "batch-collect", "batch-stop"),
    *(
        "batch-scheme-save",
        "batch-scheme-file",
        "batch-message-answer",
        "batch-refresh",
        "batch-messages-waiting",
        "study-messages",
    ),
    *(f"batch-invite-{kind}" for kind in INVITATIONS),
    *("batch-invite-accounts", "batch-channel-revoke"),
    *(f"batch-prolific-{act}" for act in ("connect", "pause", "resume", "stop", "read")),
    *("batch-prolific-tasks", "batch-prolific-export", "batch-prolific-responses", "batch-crowd"),
    "prolific-event",
    *("study-enter", "study-rename", "study-archive", "study-unarchive"),
    *("study-undo-removal", "study-duplicate"),
    *(
        "batch-store",
        "batch-new-cost",
        "labels-decide",
        "labels-qrels-import",
        "query-adjudicate",
        "adjudication-withdraw",
    ),
    *("worker-discard-votes", "worker-restore-votes", "sign-out"),
    *("member-role", "member-remove", "invite-create", "invite-revoke"),
    *("batch-votes", "batch-figures-file", "study-bundle", "bundle-make", "bundle-state"),
    *("study-release-file", "release-make", "release-state"),
    *("worker-exclude", "worker-readmit", "worker-erase", "worker-approvals"),
    *("workers-chosen", "queries-chosen"),
    *("study-progress", "study-files", "study-files-look", "study-file-point", "study-file-labels"),
    *("study-model-import", "study-model-remove"),
    *("study-rank", "study-score", "study-pool", "study-draw-sample", "study-cancel"),
    *("study-report-new", "study-report-cancel", "study-report-again"),
    *("study-report-part", "study-report-file", "study-report-folder"),
    *("answer-approve", "answer-reject", "answer-restore", "answer-bonus", "answer-raw"),
    *("crowd-sign-out", "crowd-ask", "crowd-accept", "crowd-return", "crowd-submit"),
    *("crowd-next", "crowd-stay", "crowd-submitted", "crowd-language"),
    "crowd-join-simulated",
    *("owner-link", "new-password", "sample-new", "people-permits"),
    *("crowd-api", "crowd-people"),
    *("healthz", "readyz", "metrics"),
    # Written by requesters, and shown in a frame: `tests/browser/test_task_page.py` looks at ours.
    "crowd-task",
}
#: Leads to no page but to the one that says so.
NOWHERE = "/no-such-page/"


def signed_in() -> Client:
    """A browser of a member of staff who is also a worker."""
    client = Client()
    client.force_login(User.objects.create_user("lab", password="a long one", is_staff=True))
    worker_signed_in(client)
    return client


def empty_pages() -> list[str]:
    """While there is nothing: lists, forms, a study and a batch that have just begun."""
    study = Study.objects.create(name="begun")
    names = (
        *("batch-list", "study-list", "studies-put-away", "pool-list", "batch-new", "account"),
        *("import", "bundle-import", "people", "design", "forgotten"),
        *("second-factor", "second-factor-on", "second-factor-settings", "security-keys"),
    )
    of_study = (
        *("study-detail", "study-members", "study-log", "study-annotate"),
        *("study-reports", "study-report-compare", "study-put-away", "study-remove"),
        *("study-models", "study-release", "study-pool-pairs"),
    )
    return [
        *(reverse(name) for name in (*names, "crowd-home", "crowd-work", "crowd-my-visit")),
        *(reverse(name, args=[study.pk]) for name in of_study),
    ]


def full_pages(client: Client, folder: Path) -> list[str]:
    """With something on each: a study with votes, ties and acts, and one with files and a report.

    `client` is whoever will visit them; the report's files go to the storage of the settings.
    """
    batch = stored_study(8)
    draft = stored_batch(stored_pool(4, "new"), "new")
    create_token(user=User.objects.get(username="lab"))
    return [
        *addresses(batch).values(),
        *acts_of(batch),
        *without_votes(draft),
        *of_scheme(answered(draft.study)),
        *measured_pages(measured_study(folder)),
        reverse("api-docs"),
        *offered_to(client),
    ]


def strangers_pages() -> list[str]:
    """What somebody sees who is not signed in; there must be a study already."""
    return [
        reverse("sign-in"),
        addresses(Batch.objects.get(name="study"))["invite"],
        reverse("invite", args=["used-up"]),
        NOWHERE,
        reverse("crowd-sign-in"),
        reverse("crowd-join-invited", args=["used-up"]),
        *open_links(),
    ]


def open_links() -> list[str]:
    """Of an annotator's link: with a place, and without; and of a ticket that is none."""
    requester, _ = Requester.objects.get_or_create(name="lab")
    end = timezone.now() + timedelta(days=1)
    rows = [
        Channel.objects.create(
            requester=requester, kind="link", places=n, expires_at=end, created_at=timezone.now()
        )
        for n in (1, 0)
    ]
    paths = [reverse("crowd-join-link", args=[channel_token(row)]) for row in rows]
    return [*paths, reverse("crowd-join-ticket", args=["used-up"])]


def acts_of(batch: Batch) -> list[str]:
    """The page of every act on the batch."""
    return [reverse("batch-act", args=[batch.pk, name]) for name in PAGES]


def without_votes(batch: Batch) -> list[str]:
    """The pages that look different before there are votes."""
    pages = (
        *("batch-detail", "batch-agreement", "batch-workers", "batch-costs"),
        *("batch-adjudication", "batch-labels"),
    )
    return [
        *(reverse(name, args=[batch.pk]) for name in pages),
        # Not of a draft: leads to the invitations.
        reverse("batch-poster", args=[batch.pk]),
    ]


def of_scheme(batch: Batch) -> list[str]:
    """The pages that look different where a batch asks the questions of a scheme."""
    names = ("detail", "scheme", "queries", "agreement", "labels", "adjudication", "try", "workers")
    return [reverse(f"batch-{name}", args=[batch.pk]) for name in names]


def measured_pages(study: Study) -> list[str]:
    """A study that went all the way to its report."""
    report = report_of(study)
    batch = study.batches.get()
    query = batch.queries.order_by("pk")[0]
    names = ("study-detail", "study-reports", "study-report-compare", "study-log")
    return [
        *(reverse(name, args=[study.pk]) for name in names),
        reverse("study-report", args=[study.pk, report.pk]),
        reverse("batch-query", args=[batch.pk, query.pk]),
    ]


def names_in(patterns: list[Any]) -> Iterator[str]:
    """The names of addresses, but those of Django's own pages for staff."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from names_in(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name
