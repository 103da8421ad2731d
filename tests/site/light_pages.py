"""Visits pages in a process of its own, and prints which heavy packages each of them brought.

Run as `python -m tests.site.light_pages` with an empty FAIRPOOL_DATA_DIR.
"""

import json
import sys

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


def brought() -> dict[str, list[str]]:
    """The heavy packages that are loaded, each under the first page behind which it is."""
    pages = [*(reverse(name) for name in OF_ALL), *_pages_of_a_study()]
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


def main() -> None:
    django.setup()
    # The tables as the models are now, in a tenth of the time that the migrations take.
    settings.MIGRATION_MODULES = dict.fromkeys(app.label for app in apps.get_app_configs())
    for alias in settings.DATABASES:
        call_command("migrate", database=alias, run_syncdb=True, verbosity=0)
    print(json.dumps(brought()))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main()
