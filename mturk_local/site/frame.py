"""The frame around a task: its address and permissions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation

from mturk_local.models import HIT, Assignment
from mturk_local.questions import question_language, question_parse

SUBMIT_PATH = "/mturk/externalSubmit"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_TASK_SALT = "crowd-service.task"
_SUBMIT_SALT = "crowd-service.submit"
#: The page may run its scripts and send its form. It is not part of this site: no cookies, no
#: storage, no way to move the window that it stands in.
SANDBOX = "allow-forms allow-scripts allow-popups allow-popups-to-escape-sandbox"


class Frame(NamedTuple):
    """The content of an iframe. `height` is in pixels; 0 lets the page decide."""

    src: str
    sandbox: str
    height: int


@contextmanager
def in_language_of(request: HttpRequest, hit: HIT) -> Iterator[None]:
    """Use the language of the HIT's page, if it is one of ours, unless the worker chose one."""
    has_chosen = settings.LANGUAGE_COOKIE_NAME in request.COOKIES
    language = "" if has_chosen else question_language(question_parse(hit.question))
    known = language if translation.check_for_language(language) else ""
    with translation.override(known or translation.get_language()):
        yield


class Task(NamedTuple):
    """The content of a task's address: primary keys, and the site around the frame.

    Without an assignment it is a preview, or shows the answers of the one that was `answered`.
    """

    hit: int
    assignment: int | None
    site: str
    answered: int | None = None


def frame_of(request: HttpRequest, hit: HIT, assignment: Assignment | None = None) -> Frame:
    """The frame of `hit`: to look at, or to work on as `assignment`."""
    question = question_parse(hit.question)
    site = request.build_absolute_uri("/").rstrip("/")
    parameters = {
        "assignmentId": assignment.assignment_id if assignment else PREVIEW,
        "hitId": hit.hit_id,
        "turkSubmitTo": submit_to(site, assignment.pk if assignment else None),
    }
    if assignment:
        parameters["workerId"] = assignment.worker.worker_id
    if question.kind == "external":
        # Another site: its own origin gives it no access here, and its scripts may need it.
        return Frame(
            _with_query(question.content, parameters),
            f"{SANDBOX} allow-same-origin",
            question.frame_height,
        )
    token = signing.dumps([hit.pk, assignment.pk if assignment else None, site], salt=_TASK_SALT)
    path = reverse("crowd-task", args=[token])
    return Frame(
        _with_query(f"{settings.MTURK_LOCAL_TASK_ORIGIN}{path}", parameters),
        SANDBOX,
        question.frame_height,
    )


def frame_answered(request: HttpRequest, assignment: Assignment) -> Frame:
    """The frame of a task of ours with the answers that were submitted; nothing in it runs."""
    site = request.build_absolute_uri("/").rstrip("/")
    content = [assignment.hit_id, None, site, assignment.pk]
    path = reverse("crowd-task", args=[signing.dumps(content, salt=_TASK_SALT)])
    height = question_parse(assignment.hit.question).frame_height
    return Frame(f"{settings.MTURK_LOCAL_TASK_ORIGIN}{path}", "", height)


def task_of(token: str) -> Task:
    """The task of a frame's address; raises `signing.BadSignature` for one that we did not make."""
    return Task(*signing.loads(token, salt=_TASK_SALT))


def submit_to(site: str, assignment: int | None) -> str:
    """`turkSubmitTo`: the page appends `SUBMIT_PATH` and sends its form there.

    The address itself says, signed, whose answer it takes; so no cookie is needed, and a form on
    another site cannot answer in a worker's name.
    """
    token = "preview" if assignment is None else signing.dumps(assignment, salt=_SUBMIT_SALT)
    return site + reverse("crowd-submit", args=[token]).removesuffix(SUBMIT_PATH)


def assignment_of(token: str) -> int:
    """The primary key of the assignment that an address of `submit_to` takes the answer of."""
    return int(signing.loads(token, salt=_SUBMIT_SALT))


def _with_query(url: str, parameters: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = "&".join(filter(None, [parts.query, urlencode(parameters)]))
    return urlunsplit(parts._replace(query=query))
