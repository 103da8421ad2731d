"""Turkle served as Fairpool is, with the same tasks for the same people, and what it stored."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from annotation.task_page import render
from measurements.load.journal import Answer
from measurements.load.people import PASSWORD, category, name_of
from tests.ports import free_port
from tests.project import _wait_for
from tests.servers import POSTGRES

#: The newest version of the package index, and what serves it.
PACKAGES = ("turkle==3.1.0", "gunicorn", "whitenoise", "psycopg[binary]")
_SETTINGS = Path(__file__).parent / "beside"


@dataclass(frozen=True)
class Stored:
    """Comparison of Turkle's database with what the annotators were told."""

    stored: int
    lost: int
    unasked: int
    misplaced: int
    #: Answers beyond the number that was asked for.
    too_many: int


@dataclass(frozen=True)
class Turkle:
    """An installation in `folder` with a database of its own."""

    folder: Path
    port: int
    database: str

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "turkle_settings",
            "PYTHONPATH": str(_SETTINGS),
            "TURKLE_DATABASE": self.database,
        }

    def run(self, *arguments: str, text: str = "") -> str:
        """The output of Turkle's Python with these arguments."""
        return subprocess.run(
            [self.folder / "bin" / "python", *arguments],
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=self.folder,
        ).stdout


@contextlib.contextmanager
def installed(folder: Path) -> Iterator[Turkle]:
    """Turkle from the package index, with an empty database that is dropped afterwards."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = str(folder / "bin" / "pip")
    install = [pip, "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
    subprocess.run(install, check=True)
    turkle = Turkle(folder, free_port(), f"fairpool_test_{uuid.uuid4().hex[:12]}_turkle")
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{turkle.database}"')
        try:
            turkle.run("-m", "django", "migrate", "--verbosity", "0")
            yield turkle
        finally:
            server.execute(f'DROP DATABASE "{turkle.database}" WITH (FORCE)')


@contextlib.contextmanager
def serving(turkle: Turkle) -> Iterator[str]:
    """Turkle at the address, served by as many processes and threads as `deploy/web.sh` has."""
    command = [
        *(str(turkle.folder / "bin" / "gunicorn"), "django.core.wsgi:get_wsgi_application()"),
        *("--bind", f"127.0.0.1:{turkle.port}", "--workers", os.environ.get("WEB_WORKERS", "2")),
        *("--threads", os.environ.get("WEB_THREADS", "8"), "--keep-alive", "75"),
        *("--log-level", "warning"),
    ]
    url, log = f"http://127.0.0.1:{turkle.port}", turkle.folder / "site.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=turkle.environment, stdout=output, stderr=output)
    try:
        _wait_for(f"{url}/login/", process, log)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)


def furnish(turkle: Turkle, *, annotators: int, tasks: int, queries: int, assignments: int) -> None:
    """Accounts, and a published batch of the tasks that Fairpool gives."""
    texts = [(f"${{id_{place}}}", f"${{text_{place}}}") for place in range(queries)]
    page = render(texts)
    # Turkle puts what is in the form into a form of its own.
    form = re.search(r"<form[^>]*>(.*)</form>", page, re.DOTALL)
    assert form is not None
    rows = [
        {
            name: value
            for place in range(queries)
            for name, value in (
                (f"id_{place}", f"q{task * queries + place}"),
                (f"text_{place}", f"query number {task * queries + place}"),
            )
        }
        for task in range(tasks)
    ]
    furniture = {
        "names": [name_of(number) for number in range(1, annotators + 1)],
        "password": PASSWORD,
        "page": page[: form.start()] + form[1] + page[form.end() :],
        "rows": rows,
        "assignments": assignments,
    }
    turkle.run("-c", _FURNISH, text=json.dumps(furniture))


_FURNISH = """
import json, sys
import django
django.setup()
from django.contrib.auth.models import User
from turkle.models import Batch, Project, Task
wanted = json.load(sys.stdin)
for name in wanted["names"]:
    User.objects.create_user(name, password=wanted["password"])
owner = User.objects.create_superuser("requester", password="only for the load test")
project = Project(name="load", html_template=wanted["page"], created_by=owner, updated_by=owner)
project.assignments_per_task = wanted["assignments"]
project.full_clean()
project.save()
batch = Batch.objects.create(
    name="load", project=project, assignments_per_task=wanted["assignments"], created_by=owner
)
Task.objects.bulk_create(Task(batch=batch, input_csv_fields=row) for row in wanted["rows"])
"""
_STORED = """
import json, sys
import django
django.setup()
from turkle.models import TaskAssignment
done = TaskAssignment.objects.filter(completed=True).select_related("task", "assigned_to")
json.dump(
    [
        (str(one.pk), one.task_id, one.assigned_to.username, one.task.input_csv_fields, one.answers)
        for one in done
    ],
    sys.stdout,
)
"""


def check(
    turkle: Turkle, answers_sent: Sequence[Answer], *, queries: int, assignments: int
) -> Stored:
    rows: list[tuple[str, int, str, dict[str, str], dict[str, Any]]]
    rows = json.loads(turkle.run("-c", _STORED))
    stored = Counter(row[0] for row in rows)
    told_of = Counter(answer.task for answer in answers_sent)
    misplaced = 0
    for _, _, person, fields, answers in rows:
        right = {f"q-{n}-gender": category(person, fields[f"id_{n}"]) for n in range(queries)}
        misplaced += {name: answers.get(name) for name in right} != right
    per_task = Counter(row[1] for row in rows)
    return Stored(
        stored=len(rows),
        lost=sum((told_of - stored).values()),
        unasked=sum((stored - told_of).values()),
        misplaced=misplaced,
        too_many=sum(max(0, number - assignments) for number in per_task.values()),
    )
