"""Two studies that do not see each other, everybody who has to do with them, and their calls."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.accounts.operations.permits import set_permits
from annotation.core.perform import queue_job
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.models import (
    Assignment,
    Batch,
    Membership,
    Study,
    StudyFile,
    StudyReport,
    Task,
)
from annotation.vocabulary import Environment, FileKind, Permit, Role, TaskKind
from tests.performing import invite
from tests.study import stored_batch, stored_pool, with_votes

#: Everybody who may call, from the one who may do most to the one who may do nothing.
PEOPLE = ("staff", *Role.values, "stranger")


@dataclass(frozen=True)
class World:
    """`people` by name: members of the study have the name of their role."""

    study: Study
    batch: Batch
    task: Task
    people: dict[str, User]

    def client(self, who: str = "owner") -> APIClient:
        """Calls with a token of `who`; without one for "nobody"."""
        client = APIClient()
        if who != "nobody":
            _, token = AuthToken.objects.create(self.people[who])
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        return client

    def numbers(self) -> dict[str, int]:
        """A number for each name in an address, all of this study."""
        answers = Assignment.objects.filter(hit__batch=self.batch)
        return {
            "study": self.study.pk,
            "batch": self.batch.pk,
            "pool": self.batch.pool_id or 0,
            "task": self.task.pk,
            "query": self.batch.queries.get(qid="q3").pk,
            "worker": answers[0].worker_id,
            "assignment": answers[0].pk,
            "member": self.study.members.get(role=Role.ANNOTATOR).pk,
            "invite": self.study.invites.all()[0].pk,
            "file": self.study.files.all()[0].pk,
            "report": self.study.reports.all()[0].pk,
        }

    def address(self, path: str) -> str:
        """An address with this study's numbers, as in `batches/{batch}/`."""
        return f"/api/v1/{path.format(**self.numbers())}"


def make_world(n: int = 8, name: str = "study", environment: str = Environment.LOCAL) -> World:
    """A study of `n` queries with votes, labels, a decision, a task, and a member of each role."""
    study = Study.objects.create(name=name)
    pool = stored_pool(n, name, study)
    batch = with_votes(stored_batch(pool, name, environment))
    query_adjudicate(batch=batch, qid="q3", category="o", reason="Both.", by="test")
    people = {who: _person(f"{name} {who}", who) for who in PEOPLE}
    set_permits(user=people["owner"], permits=Permit.values, actor="test")
    for role in Role.values:
        Membership.objects.create(study=study, user=people[role], role=role)
    invite(study)
    StudyFile.objects.create(
        study=study,
        kind=FileKind.RUN,
        name="BM25",
        path="bm25.run",
        size=1,
        digest=f"blake3:{0:064}",
    )
    StudyReport.objects.create(study=study, parameters={"runs": ["BM25"]}, actor="test")
    task, _new = queue_job(kind=TaskKind.COLLECT, subject=batch, actor="test")
    return World(study=study, batch=batch, task=task, people=people)


def _person(name: str, who: str) -> User:
    return User.objects.create_user(name, is_staff=who == "staff")


def other_world(n: int = 4) -> World:
    """Another study; its workers are others, as they live in another environment."""
    return make_world(n, "other", Environment.SANDBOX)


def ok(response: Any, status: int = 200) -> Any:
    """The body of an answer that must have `status`."""
    assert response.status_code == status, response.content
    return response.json() if response.content else None


def refused(response: Any, status: int) -> dict[str, Any]:
    """The problem of an answer that must have `status`."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    told = response.json()
    assert {"type", "title", "status", "detail"} <= told.keys()
    assert told["status"] == status
    return dict(told)
