"""The votes of a batch as files of votes."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from annotation.labels.export.votes import PlainVote, ResultRow
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import Abstention, Assignment, Batch, HITQuery, Vote
from annotation.task_page import CANNOT_TELL
from metrics.errors import InputError


def plain_votes(*, batch: Batch) -> list[PlainVote]:
    """All votes of a batch that are not repeated, in the order of the queries and pseudonyms.

    An answer "I cannot tell" is among them, with a code of its own.
    """
    stored = list(
        Vote.objects.filter(query__batch=batch, counts=True)
        .select_related("worker", "query")
        .order_by("query__position", "id")
    )
    abstentions = Abstention.objects.filter(query__batch=batch, counts=True)
    undecided = abstentions.select_related("worker", "query")
    answers: list[Vote | Abstention] = [*stored, *undecided]
    names = worker_names(batch=batch)
    rows = [
        (
            vote.query.position,
            PlainVote(
                vote.query.qid,
                names[vote.worker_id],
                vote.category if isinstance(vote, Vote) else CANNOT_TELL,
                vote.query.text,
                vote.query.gold,
                vote.seconds,
            ),
        )
        for vote in answers
    ]
    return [vote for _, vote in sorted(rows, key=lambda row: (row[0], row[1].worker))]


def result_rows(*, batch: Batch) -> list[ResultRow]:
    """One row per assignment that was handed in, also those that were rejected or unreadable."""
    assignments = list(
        Assignment.objects.filter(hit__batch=batch)
        .select_related("hit", "worker")
        .order_by("hit__index", "submitted_at", "id")
    )
    if not assignments:
        raise InputError(
            f"nothing was handed in for the batch {batch.name!r}.",
            remedy="The plain layout has the votes of an imported batch: --format plain.",
        )
    names = worker_names(batch=batch)
    votes = Vote.objects.filter(query__batch=batch, assignment__isnull=False)
    given = {
        (assignment, query): category
        for assignment, query, category in votes.values_list(
            "assignment_id", "query_id", "category"
        )
    }
    abstentions = Abstention.objects.filter(query__batch=batch, assignment__isnull=False)
    for assignment, query in abstentions.values_list("assignment_id", "query_id"):
        given[assignment, query] = CANNOT_TELL
    shown: defaultdict[int, list[HITQuery]] = defaultdict(list)
    places = HITQuery.objects.filter(hit__batch=batch).select_related("query")
    for place in places.order_by("hit__index", "place"):
        shown[place.hit_id].append(place)
    return [
        ResultRow(
            about=_about(batch, one, names),
            places=[
                (
                    place.query.qid,
                    place.query.text,
                    place.query.gold,
                    given.get((one.pk, place.query_id), ""),
                )
                for place in shown[one.hit_id]
            ],
        )
        for one in assignments
    ]


def _about(batch: Batch, one: Assignment, names: Mapping[int, str]) -> dict[str, str]:
    """What Mechanical Turk says about an assignment, as far as it is known here."""
    return {
        "HITId": one.hit.hit_id or "",
        "HITTypeId": batch.hit_type_id,
        "Title": batch.title,
        "Description": batch.description,
        "Keywords": batch.keywords,
        "Reward": f"${batch.reward}",
        "MaxAssignments": str(one.hit.max_assignments),
        "RequesterAnnotation": one.hit.annotation,
        "AssignmentDurationInSeconds": str(batch.duration_seconds),
        "AutoApprovalDelayInSeconds": str(batch.auto_approval_seconds),
        "Expiration": _time(one.hit.expires_at),
        "LifetimeInSeconds": str(batch.lifetime_seconds),
        "AssignmentId": one.assignment_id,
        "WorkerId": names[one.worker_id],
        "AssignmentStatus": one.state,
        "AcceptTime": _time(one.accepted_at),
        "SubmitTime": _time(one.submitted_at),
        "WorkTimeInSeconds": "" if one.seconds is None else str(round(one.seconds)),
    }


def _time(at: datetime | None) -> str:
    """As Mechanical Turk writes a time: Wed Jan 16 13:43:30 UTC 2019."""
    return "" if at is None else at.strftime("%a %b %d %H:%M:%S UTC %Y")
