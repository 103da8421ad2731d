"""Import responses of Prolific's Task Builder that somebody exported there by hand."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.db.models import Prefetch

from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.prolific.responses import answer_to, free_texts, sort_responses
from annotation.batches.operations.prolific.study import check_task_builder
from annotation.batches.operations.verification import apply_panel_verdicts
from annotation.core.counting import counted
from annotation.core.operations import (
    PUBLIC_STATES,
    Actor,
    Operation,
    Result,
    Run,
    run_and_roll_back,
)
from annotation.core.parameters import HIDDEN, PathField, parameter
from annotation.models import AuditEvent, Batch, HITQuery
from annotation.vocabulary import AssignmentState, AuditAction
from metrics.errors import InputError
from metrics.votes.files.content import VoteFile


@dataclass(frozen=True, kw_only=True)
class ImportResponsesParameters:
    file: Path = parameter(
        kind=PathField,
        help_text="JSON, as GET /batches/ID/responses gives it, or a response a line.",
        style={"positional": True, **HIDDEN},
    )


@dataclass
class _Imported(StoredAnswers):
    """Beside the answers, the number of responses about nothing that the batch asks."""

    unmatched: int = 0


class ImportResponses(Operation[Batch, ImportResponsesParameters]):
    """Import what people answered at Prolific's Task Builder to an exported batch.

    Each answer is stored once, however often its responses come; later ones complete an answer that
    could not be read. What cannot be read stands aside with the reason.
    """

    name = "import responses"
    example = {"file": "responses.json"}
    title = "Import its responses"
    subject = Batch
    parameters = ImportResponsesParameters
    states = PUBLIC_STATES

    def rehearse(
        self, subject: Batch, parameters: ImportResponsesParameters, actor: Actor
    ) -> Result:
        return run_and_roll_back(self, subject, parameters, actor)

    def run(self, subject: Batch, parameters: ImportResponsesParameters, run: Run) -> Result:
        check_task_builder(subject)
        report = _store(subject, list(_responses(parameters.file)))
        changes = apply_panel_verdicts(
            batch=subject, actor=run.actor.name, votes_changed=bool(report.new)
        )
        values = asdict(report) | {"labels_changed": changes.n_changed}
        AuditEvent.objects.create(
            batch=subject,
            actor=run.actor.name,
            action=AuditAction.RESPONSES_IMPORTED,
            detail=values,
        )
        n_unmatched = counted(report.unmatched, "response")
        return Result(
            values,
            f"{counted(report.new, 'new answer')} with {counted(report.votes, 'vote')}, "
            f"{report.quarantined:,} of them unreadable. {changes.in_words}".rstrip(),
            note=f"{n_unmatched} named no item of this batch." if report.unmatched else "",
        )


IMPORT_RESPONSES = ImportResponses()


def _responses(path: Path) -> Iterator[dict[str, Any]]:
    """The responses of a list as the API gives it, of a JSON array, or of JSON lines."""
    file = VoteFile(path)
    if not file.is_json:
        raise InputError(
            "is not JSON.", path=path, remedy="Give the responses as Prolific's API lists them."
        )
    for record in file.records:
        results = record.value.get("results")
        yield from results if isinstance(results, list) else [record.value]


def _store(batch: Batch, responses: list[dict[str, Any]]) -> _Imported:
    sorted_responses = sort_responses(batch, responses, texts=free_texts(batch.scheme, ()))
    report = _Imported(unmatched=sorted_responses.n_unmatched)
    places = Prefetch("places", HITQuery.objects.order_by("place"))
    hits = (
        batch.hits.filter(pk__in=sorted_responses.by_hit).order_by("index").select_related("batch")
    )
    for hit in hits.prefetch_related(places):
        states = dict(hit.assignments.values_list("assignment_id", "state"))
        answers = [
            answer_to(hit, statement, state=AssignmentState.SUBMITTED)
            for statement in sorted_responses.by_hit[hit.pk]
        ]
        # A file does not know what Prolific has decided since.
        answers = [
            replace(answer, status=states.get(answer.assignment_id, answer.status))
            for answer in answers
        ]
        store_answers(hit, answers, report)
    return report
