"""Shared wording of reports of work on HITs."""

from collections.abc import Mapping
from typing import Any


def problem_of_hits(what: str, troubles: Mapping[Any, str]) -> str:
    """Say how many HITs need attention, and why the first of them does.

    `troubles` maps a HIT's place in the batch, or its id, to the reason.
    """
    if not troubles:
        return ""
    which, reason = next(iter(troubles.items()))
    name = f"HIT {which + 1}" if isinstance(which, int) else str(which)
    return f"{len(troubles)} HITs {what}; {name}: {reason.rstrip('.')}. Start it again for these."


def as_text_keys(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report for JSON, with text as keys of its dictionaries."""
    return {
        name: {str(key): entry for key, entry in value.items()}
        if isinstance(value, dict)
        else value
        for name, value in report.items()
    }
