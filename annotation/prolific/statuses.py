"""Prolific's statuses of submissions, and their verdicts on the work."""

RESERVED, ACTIVE, AWAITING_REVIEW = "RESERVED", "ACTIVE", "AWAITING REVIEW"
APPROVED, PARTIALLY_APPROVED = "APPROVED", "PARTIALLY APPROVED"
#: Verdicts for the crowd service: `approved`, `waiting` or `refused`.
_VERDICTS = {
    APPROVED: "approved",
    PARTIALLY_APPROVED: "approved",
    AWAITING_REVIEW: "waiting",
    ACTIVE: "waiting",
    RESERVED: "waiting",
    "REJECTED": "refused",
    "RETURNED": "refused",
    "TIMED-OUT": "refused",
    "SCREENED OUT": "refused",
}
#: Statuses of submissions that are paid.
PAID = frozenset(status for status, verdict in _VERDICTS.items() if verdict == "approved")
#: Statuses whose place goes to somebody else.
GONE = frozenset(status for status, verdict in _VERDICTS.items() if verdict == "refused")
#: Statuses that can be approved, now or once submitted.
OPEN = frozenset(_VERDICTS) - PAID - GONE
KNOWN = tuple(_VERDICTS)
#: Prolific writes blanks in answers, underscores in filters, and one status with a hyphen.
_WORDS = str.maketrans("-_", "  ")
_BY_WORDS = {status.translate(_WORDS): status for status in KNOWN}


def status_of(text: str) -> str | None:
    """The status that a text names, however it is written; None for one that is not known."""
    return _BY_WORDS.get(text.strip().upper().translate(_WORDS))


def verdict_of(text: str) -> str:
    """Return the verdict that a status means for the work; an unknown status means waiting."""
    return _VERDICTS.get(status_of(text) or "", "waiting")
