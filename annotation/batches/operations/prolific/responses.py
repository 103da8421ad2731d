"""Responses of Prolific's Task Builder as answers to the HITs of a batch.

What one participant says about the items of a HIT is one answer, written as our own page sends it,
so that it is read, counted, set aside and read again as everywhere. Its id follows from the
participant and the HIT: however often responses come, by the API or in files, each is stored once.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from django.conf import settings
from django.db.models import F

from annotation.batches.operations.prolific.study import known_study
from annotation.crowd.gateway import CrowdAssignment
from annotation.labels.export.pseudonyms import person
from annotation.models import HIT, Batch, HITQuery, ProlificStudy, ProlificTasks
from annotation.prolific.events import moment
from annotation.prolific.statuses import GONE, OPEN, PAID, status_of
from annotation.prolific.task_builder import TaskBuilder
from annotation.prolific.tokens import workspace_task_builder
from annotation.prolific.wire import MarketSubmission
from annotation.schemes import CANNOT_TELL, Scheme
from annotation.task_page import VERSION, field_of, scheme_fields
from annotation.vocabulary import AssignmentState
from metrics.votes.files.formats.task_builder import IS, ITEM_NAMES

#: The pseudonym of a participant, and the HIT: people come back for other batches.
_ANSWER = "{}-{}"


@dataclass(frozen=True)
class Statement:
    """One participant's responses about a HIT, as fields of our page."""

    participant: str
    fields: tuple[tuple[str, str], ...]
    last_at: datetime | None


@dataclass(frozen=True)
class SortedResponses:
    """Responses by the key of their HIT; `n_unmatched` name no item of the batch."""

    by_hit: Mapping[int, Sequence[Statement]]
    n_unmatched: int


def sort_responses(
    batch: Batch, responses: Iterable[Mapping[str, Any]], *, texts: Mapping[str, str]
) -> SortedResponses:
    """Sort responses by HIT and participant.

    `texts` names the free-text question of each instruction, which responses do not say.
    """
    scheme, places = batch.scheme, _places(batch)
    fields: dict[tuple[int, str], list[tuple[str, str]]] = {}
    last: dict[tuple[int, str], datetime | None] = {}
    seen: set[str] = set()
    n_unmatched = 0
    for response in responses:
        identity = str(response.get("id") or "")
        if identity and identity in seen:
            continue
        seen.add(identity)
        item, participant = _item(response), response.get("participant_id")
        if item not in places or not isinstance(participant, str) or not participant:
            n_unmatched += 1
            continue
        hit, place = places[item]
        key = hit, participant
        fields.setdefault(key, []).extend(_fields(scheme, place, response, texts))
        at = moment(str(response.get("created_at") or ""))
        last[key] = max(filter(None, (last.get(key), at)), default=None)
    by_hit: dict[int, list[Statement]] = {}
    for (hit, participant), filled in fields.items():
        by_hit.setdefault(hit, []).append(
            Statement(participant, tuple(filled), last[hit, participant])
        )
    return SortedResponses(by_hit, n_unmatched)


def _item(response: Mapping[str, Any]) -> str:
    """Our id of the item, which files may have with the mark of hidden columns; or ""."""
    metadata = response.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    item = next((metadata[name] for name in ITEM_NAMES if name in metadata), None)
    return "" if item is None or isinstance(item, list | dict) else str(item)


def _places(batch: Batch) -> dict[str, tuple[int, int]]:
    """The HIT that first asks about each item, and the place there."""
    rows = HITQuery.objects.filter(hit__batch=batch).order_by("-hit__index", "-place")
    return {
        qid: (hit, place) for qid, hit, place in rows.values_list(F("query__qid"), "hit", "place")
    }


def _fields(
    scheme: Scheme, place: int, response: Mapping[str, Any], texts: Mapping[str, str]
) -> list[tuple[str, str]]:
    """The fields of our page that a response fills; an unknown one makes the answer unreadable."""
    content = response.get("response")
    content = content if isinstance(content, dict) else {}
    answer = content.get("answer")
    values = [
        str(of.get("value", "")) for of in (answer if isinstance(answer, list) else [])
        if isinstance(of, dict)
    ]  # fmt: skip
    if not str(content.get("type")).startswith("multiple_choice"):
        name = texts.get(str(content.get("instruction_id")), "") or texts.get("", "")
        return [(f"q-{place}-{name}", " ".join(values))]
    parts = [value.partition(IS) for value in values]
    names = {name for name, _, _ in parts}
    question = next((closed for closed in scheme.closed if {closed.name} == names), None)
    known = {*question.codes, CANNOT_TELL} if question else set()
    if question is None or not all(code in known for _, _, code in parts):
        return [(f"q-{place}-{value}", value) for value in values]
    if not question.kind.takes_several:
        return [(field_of(place, question), code) for _, _, code in parts]
    codes = {question.name: frozenset(code for _, _, code in parts)}
    return list(scheme_fields(scheme, place, codes))


def answer_to(hit: HIT, statement: Statement, *, state: str, began: datetime | None = None,
              ended: datetime | None = None) -> CrowdAssignment:  # fmt: skip
    """One answer to a HIT, under the participant's pseudonym."""
    worker = person(f"prolific:{statement.participant}", key=settings.SECRET_KEY)
    fields = [("v", VERSION), *statement.fields]
    if hit.batch.consent.strip():  # which they read, and agree to by answering
        fields.append(("consent", "yes"))
    # In one order, however the responses came.
    pairs = ",".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in sorted(fields))
    return CrowdAssignment(
        assignment_id=_ANSWER.format(worker, hit.pk),
        worker_id=worker,
        hit_id=str(hit.hit_id),
        status=state,
        answer="<QuestionFormAnswers><Answer><QuestionIdentifier>taskAnswers</QuestionIdentifier>"
        f"<FreeText>{escape('[{' + pairs + '}]')}</FreeText></Answer></QuestionFormAnswers>",
        accepted_at=began,
        submitted_at=ended or statement.last_at,
    )


def state_of(submission: MarketSubmission) -> str | None:
    """The state of an answer whose submission this is; None while it may still change."""
    status = status_of(submission.status) or ""
    if status in PAID:
        return AssignmentState.APPROVED
    if status in GONE:  # given back or refused after it was handed in
        return AssignmentState.REJECTED if submission.completed_at else None
    if status in OPEN and submission.completed_at:
        return AssignmentState.SUBMITTED
    return None


def task_builder_answers(batch: Batch) -> Callable[[HIT], list[CrowdAssignment]] | None:
    """The reader of answers that Prolific has; None for batches that others ask.

    Before there is a study, and without a token, there is nothing: responses come as files.
    """
    if not batch.uses_task_builder:
        return None
    row = known_study(batch)
    tasks = ProlificTasks.objects.filter(batch=batch).first()
    if row is None or not row.study_id or tasks is None or not tasks.tasks_id:
        return lambda _hit: []
    builder = workspace_task_builder(row.workspace)
    return BuilderResponses(batch, row, tasks, builder).answers


class BuilderResponses:
    """Answers to a batch as Prolific's API lists them; read once."""

    def __init__(self, batch: Batch, row: ProlificStudy, tasks: ProlificTasks,
                 builder: TaskBuilder) -> None:  # fmt: skip
        self._submissions: dict[str, MarketSubmission] = {}
        for submission in builder.submissions(str(row.study_id)):
            known = self._submissions.setdefault(submission.participant_id, submission)
            if status_of(known.status) in GONE:  # given back, and begun again
                self._submissions[submission.participant_id] = submission
        texts = free_texts(batch.scheme, builder.question_ids(tasks.tasks_id))
        responses = builder.responses(tasks.tasks_id)
        self.sorted = sort_responses(batch, responses, texts=texts)

    def answers(self, hit: HIT) -> list[CrowdAssignment]:
        """Answers that were handed in; those of people still at work come later."""
        answers = []
        for statement in self.sorted.by_hit.get(hit.pk, ()):
            submission = self._submissions.get(statement.participant)
            state = state_of(submission) if submission else None
            if submission and state:
                began, ended = map(moment, (submission.started_at, submission.completed_at))
                answers.append(answer_to(hit, statement, state=state, began=began, ended=ended))
        return answers


def free_texts(scheme: Scheme, question_ids: Sequence[str]) -> dict[str, str]:
    """Names of free-text questions by the id that Prolific gave their places in the layout.

    Without ids, as of a file, "" names the only one, if there is one.
    """
    named = dict(zip(question_ids, (question.name for question in scheme.questions), strict=False))
    texts = [question.name for question in scheme.questions if not question.kind.has_options]
    known = {instruction: name for instruction, name in named.items() if name in texts}
    return known | ({"": texts[0]} if len(texts) == 1 else {})
