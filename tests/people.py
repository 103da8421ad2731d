"""What people do with a project while a test types commands: accounts, answers, waiting."""

import contextlib

from tests.mturk_local.conftest import Guest
from tests.project import Project
from tests.site.workers.profiles import wait_until


def account(project: Project, name: str) -> None:
    email = f"{name}@example.org"
    project.run("createsuperuser", "--noinput", "--username", name, "--email", email)


def answer_all(project: Project, batch: str) -> None:
    """Answer a batch without mistakes as soon as it is published, and collect the votes."""
    wait_for_task(project, "publish", batch)
    project.run(
        "batch", "simulate", batch, "--truth", "TRUTH.csv", "--seed", "1", "--accuracy", "1"
    )
    project.run("batch", "collect", batch)


def answer_by_panel(project: Project, batch: str, *, participant: str, submission: str) -> None:
    """Answer the only HIT of a batch, of two queries, as Prolific's participant, and collect it."""
    address = project.json("batch", "invite-by-panel", batch, "--provider", "prolific")["url"]
    hit = in_shell(
        project,
        f"from annotation.models import HIT; print(HIT.objects.get(batch__name={batch!r}).hit_id)",
    )
    guest = Guest(f"http://127.0.0.1:{project.port}")
    parameters = f"PROLIFIC_PID={participant}&STUDY_ID=s&SESSION_ID={submission}"
    with contextlib.closing(guest.browser):
        guest.browser.open(f"{address}?{parameters}")
        guest.accept(hit)
        guest.answer(**{"q-0-gender": "n", "q-1-gender": "f"})
    project.run("batch", "collect", batch)


def wait_for_task(project: Project, kind: str, batch: str) -> None:
    wanted = (kind, batch, "done")
    wait_until(
        lambda: any(
            (task["kind"], task["batch"], task["state"]) == wanted
            for task in project.json("job", "list")["tasks"]
        ),
        seconds=600,
        what=f"{kind} of {batch} is done",
    )


def in_shell(project: Project, code: str) -> str:
    """What a line of Python prints, with the models of the site at hand."""
    return project.run("shell", "--no-imports", "-c", code).stdout.strip()
