"""Somebody who approves many answers at once, through the API, while annotators work."""

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import requests

from tests.site.workers.profiles import Embedded, Server, wait_until, write_queries

_DONE = "SELECT count(*) FROM annotation_task WHERE kind = 'approve answer' AND state = 'done'"
_SECONDS_TO_END = 600


@dataclass
class Approvals:
    """The status and the seconds of each reply, and the seconds until all were paid."""

    replies: list[tuple[int, float]] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        slowest = max(seconds for _status, seconds in self.replies)
        accepted = sum(status == requests.codes.accepted for status, _seconds in self.replies)
        return (
            f"{len(self.replies)} approvals at once: {accepted} accepted, the slowest within "
            f"{slowest:.2f} s; all paid, once each, within {self.seconds:.0f} s"
        )


def answer(project: "Embedded | Server", number: int) -> list[int]:
    """So many collected answers of a batch of their own, as the API numbers them."""
    queries = write_queries(project.data_dir / "approved.tsv", number)
    truth = project.data_dir / "truth.csv"
    truth.write_text("".join(f"q{n},query number {n},n\n" for n in range(number)), "utf-8")
    terms = ("--queries-per-hit", "1", "--assignments", "1", "--quiet")
    project.run("batch", "create", "--name", "approved", "--queries", queries, *terms)
    project.run("batch", "publish", "approved", "--yes", "--quiet")
    project.run("batch", "simulate", "approved", "--truth", truth, "--seed", "1", "--workers", "2")
    project.run("batch", "collect", "approved", "--quiet")
    first, last = (
        int(str(project.first(f"SELECT {end}(id) FROM annotation_assignment")))  # noqa: S608
        for end in ("min", "max")
    )
    return list(range(first, last + 1))


@contextlib.contextmanager
def approving(
    project: "Embedded | Server", answers: list[int], *, after: float
) -> Iterator[Approvals]:
    """Approve the `answers` at once, so many seconds from now; at the end all are paid."""
    project.run("createsuperuser", "--noinput", "--username", "ada", "--email", "a@example.org")
    headers = {"Authorization": f"Bearer {project.json('account', 'create-token', 'ada')['token']}"}
    batch = project.first("SELECT id FROM annotation_batch WHERE name = 'approved'")
    api = f"http://127.0.0.1:{project.port}/api/v1/batches/{batch}/assignments"
    made = Approvals()

    def approve(number: int) -> None:
        start = time.monotonic()
        reply = requests.post(f"{api}/{number}/approve/", json={}, headers=headers, timeout=300)
        made.replies.append((reply.status_code, time.monotonic() - start))

    def approve_all() -> None:
        time.sleep(after)
        began = time.monotonic()
        with ThreadPoolExecutor(len(answers)) as pool:
            list(pool.map(approve, answers))
        wait_until(
            lambda: project.first(_DONE) == len(answers), seconds=_SECONDS_TO_END, what="all paid"
        )
        made.seconds = time.monotonic() - began

    with contextlib.ExitStack() as stack:
        if isinstance(project, Server):
            stack.enter_context(project.celery())
        approved = stack.enter_context(ThreadPoolExecutor(1)).submit(approve_all)
        yield made
        approved.result()
