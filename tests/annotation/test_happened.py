"""What happened in a batch is told in sentences, and alike entries are told once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from annotation.overview.queries.happened import happenings
from annotation.overview.queries.log import LogEntry
from annotation.vocabulary import AuditAction

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


def entry(action: str, minute: int, detail: dict[str, Any], actor: str = "ada") -> LogEntry:
    return LogEntry(
        at=NOON + timedelta(minutes=minute),
        action=action,
        actor=actor,
        batch=1,
        batch_name="b",
        committed=Decimal(0),
        paid=Decimal(0),
        detail=detail,
    )


def test_runs_of_alike_entries_are_one_sentence_with_their_sums() -> None:
    collected = AuditAction.ANSWERS_COLLECTED
    none = {"cannot_tell": 0, "quarantined": 0, "labels_changed": 0}
    found = happenings(
        is_busy=False,
        entries=[
            entry(collected, 3, {**none, "new": 1, "votes": 9}),
            entry(collected, 2, {**none, "new": 2, "votes": 18}),
            entry(AuditAction.PUBLISHED, 1, {"hits": 3}),
            entry(collected, 0, {**none, "new": 1, "votes": 1, "cannot_tell": 1}),
        ],
    )

    assert [one.text for one in found] == [
        "27 votes came in with 3 answers.",
        "3 HITs were published.",
        "1 vote and 1 “cannot tell” came in with 1 answer.",
    ]
    assert [one.n for one in found] == [2, 1, 1]
    assert found[0].at == NOON + timedelta(minutes=3)
    assert [one.shown for one in found] == [(), (), ()]


def test_acts_of_two_people_stay_apart_and_failures_are_marked() -> None:
    adjudicated = AuditAction.QUERY_ADJUDICATED
    found = happenings(
        is_busy=False,
        entries=[
            entry(adjudicated, 3, {}, "ben"),
            entry(adjudicated, 2, {}),
            entry(adjudicated, 1, {}),
            entry("collect answers failed", 0, {"why": "away"}),
        ],
    )

    assert [(one.text, one.actor) for one in found] == [
        ("1 query was adjudicated.", "ben"),
        ("2 queries were adjudicated.", "ada"),
        ("Collect answers failed", "ada"),
    ]
    assert [one.is_failure for one in found] == [False, False, True]


def test_a_request_is_shown_until_something_comes_of_it() -> None:
    asked = entry("collect requested", 1, {})
    came = entry(AuditAction.ANSWERS_COLLECTED, 2, {"new": 1, "votes": 9})
    more = entry(AuditAction.MORE_ANSWERS_REQUESTED, 0, {})

    assert [one.text for one in happenings([asked, more], is_busy=True)] == [
        "Collect requested",
        "More answers requested",
    ]
    # It found nothing new.
    assert [one.text for one in happenings([asked, more], is_busy=False)] == [
        "More answers requested"
    ]
    assert [one.text for one in happenings([came, asked, more], is_busy=True)] == [
        "9 votes came in with 1 answer.",
        "More answers requested",
    ]


def test_what_is_common_in_a_batch_is_said_in_sentences() -> None:
    created = {"queries": 1, "hits": 1, "cost": "0.90"}
    asked = {"model": "m", "labels": 112, "missing": 1, "unanswered": 0, "used": "0.000000"}
    found = happenings(
        is_busy=False,
        entries=[
            entry(AuditAction.MODEL_ASKED, 4, asked),
            entry(AuditAction.APPROVED, 3, {"assignment": "A"}),
            entry(AuditAction.APPROVED, 2, {"assignments": 3}),
            entry(AuditAction.EXPIRED, 2, {"hits": 2}),
            entry(AuditAction.REJECTED, 2, {"assignment": "A", "reason": "empty"}),
            entry(AuditAction.PUBLISHED, 1, {"hits": 1}),
            entry(AuditAction.PUBLISHING_BEGUN, 1, {"at": "http://127.0.0.1"}),
            entry(AuditAction.VOTES_IMPORTED, 0, {"files": ["a.csv", "b.csv"]}),
            entry(AuditAction.BATCH_CREATED, 0, created),
        ],
    )
    assert [one.text for one in found] == [
        "m labelled 112 queries. 1 answer named no category.",
        "4 answers were approved.",
        "2 HITs were taken back: the batch was stopped.",
        "Rejected",
        "1 HIT was published.",
        "Publishing began.",
        "Votes were imported from a.csv, b.csv.",
        "The batch was created: 1 query in 1 HIT.",
    ]
