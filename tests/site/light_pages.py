"""Visits pages in a process of its own, and prints which heavy packages each of them brought.

Run as `python -m tests.site.light_pages` with an empty FAIRPOOL_DATA_DIR. With `prepare` it makes a
study with a report there, which takes what the pages may not, and with `report` it visits these.
"""

import json
import sys
import tempfile
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

HEAVY = ("pyarrow", "scipy", "matplotlib", "numba", "krippendorff", "boto3", "pandas", "sklearn")
#: Pages without a picture or a figure, of the site and of an annotator.
OF_ALL = (
    *("batch-list", "study-list", "studies-put-away", "pool-list", "batch-new", "account"),
    *("import", "bundle-import", "people", "sign-in", "crowd-sign-in", "healthz"),
)
OF_STUDY = ("study-detail", "study-members", "study-log", "study-annotate", "study-models")
OF_BATCH = ("batch-detail", "batch-queries", "batch-labels", "batch-adjudication", "batch-log")
#: Pictures, figures, downloads: they read Parquet and compute intervals, which takes 20 MB each.
OF_REPORT = (
    "",
    "part/intervals.tex",
    "part/distribution.pdf",
    "part/distribution.svg",
    "report.zip",
)
_OF_FIGURES = {"pyarrow", "scipy"}


def brought(pages: list[str]) -> dict[str, list[str]]:
    """The heavy packages that are loaded, each under the first page behind which it is."""
    client = Client(headers={"host": "127.0.0.1"})
    loaded: dict[str, list[str]] = {"the start": [name for name in HEAVY if name in sys.modules]}
    seen = set(loaded["the start"])
    for page in pages:
        status = client.get(page).status_code
        if status != 200:
            loaded[f"{page} answers {status}"] = []
        new = [name for name in HEAVY if name in sys.modules and name not in seen]
        seen.update(new)
        loaded[page] = new
    return {page: names for page, names in loaded.items() if names or " answers " in page}


def _pages_of_a_study() -> list[str]:
    # Its models come with Django, which is set up by now.
    from annotation.models import Batch, Study  # noqa: PLC0415

    study = Study.objects.create(name="begun")
    batch = Batch.objects.create(study=study, name="begun", endpoint="")
    return [
        *(reverse(name, args=[study.pk]) for name in OF_STUDY),
        *(reverse(name, args=[batch.pk]) for name in OF_BATCH),
    ]


def _pages_of_a_report() -> list[str]:
    from annotation.models import Batch, StudyReport  # noqa: PLC0415

    report, batch = StudyReport.objects.get(), Batch.objects.get()
    page = reverse("study-report", args=[report.study_id, report.pk])
    return [
        *(reverse(name, args=[report.study_id]) for name in ("study-detail", "study-pool-pairs")),
        *(reverse(name, args=[batch.pk]) for name in ("batch-agreement", "batch-workers")),
        *(reverse("batch-query", args=[batch.pk, query.pk]) for query in batch.queries.all()[:1]),
        *(page + part for part in OF_REPORT),
    ]


def _make_report() -> None:
    from tests.measured import measured_study, report_of  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        report_of(measured_study(Path(folder)))


def main() -> None:
    django.setup()
    if "report" in sys.argv:
        loaded = brought(_pages_of_a_report())
        few = {page: [name for name in loaded[page] if name not in _OF_FIGURES] for page in loaded}
        unlike = {page: few[page] for page in few if few[page] or " answers " in page}
        print(json.dumps(unlike))  # noqa: T201 - read by the test
        return
    # The tables as the models are now, in a tenth of the time that the migrations take.
    settings.MIGRATION_MODULES = dict.fromkeys(app.label for app in apps.get_app_configs())
    for alias in settings.DATABASES:
        call_command("migrate", database=alias, run_syncdb=True, verbosity=0)
    if "prepare" in sys.argv:
        _make_report()
        return
    pages = [*(reverse(name) for name in OF_ALL), *_pages_of_a_study()]
    print(json.dumps(brought(pages)))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main()
