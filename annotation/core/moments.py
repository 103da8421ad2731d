"""Points in time, as people read them."""

from datetime import UTC, datetime


def format_moment(at: datetime) -> str:
    """`21 Nov 2026, 14:05 UTC`."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"
