"""Terms offered to workers, and the service's limits, checked before anything is sent."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.crowd.pricing import CENT
from annotation.crowd.questions import size_in_bytes

#: Seconds.
_SHORTEST, _YEAR = 30, 31_536_000
_THIRTY_DAYS = 2_592_000
_TEXT_LIMITS = {"title": 128, "description": 2_000, "keywords": 1_000}
_ANNOTATION_LIMIT = 255
_TOKEN_LIMIT = 64
_ASSIGNMENTS_LIMIT = 1_000_000_000
_REQUIREMENTS_LIMIT = 10


@dataclass(frozen=True)
class Terms:
    """The properties of a HIT type: equal terms are one type, which workers see as one group.

    `requirements` are the API's `QualificationRequirements`.
    """

    title: str
    description: str
    keywords: str
    reward: Decimal
    duration_seconds: int
    auto_approval_seconds: int
    requirements: tuple[dict[str, Any], ...] = ()


def term_problems(terms: Terms) -> list[str]:
    """List why the service would refuse `terms`, in plain words; empty if it would not."""
    problems = [
        f"the {name} has {len(getattr(terms, name))} characters; at most {limit} are allowed"
        for name, limit in _TEXT_LIMITS.items()
        if len(getattr(terms, name)) > limit
    ]
    problems += [
        f"the {name} has a character beyond the basic multilingual plane"
        for name in _TEXT_LIMITS
        if _is_beyond_plane(getattr(terms, name))
    ]
    if not terms.title.strip() or not terms.description.strip():
        problems.append("title and description must not be empty")
    if terms.reward < 0 or terms.reward != terms.reward.quantize(CENT):
        problems.append(f"the reward {terms.reward} is not an amount of whole cents")
    if not _SHORTEST <= terms.duration_seconds <= _YEAR:
        problems.append("the time for one HIT must be 30 seconds to 365 days")
    if not 0 <= terms.auto_approval_seconds <= _THIRTY_DAYS:
        problems.append("automatic approval must happen within 30 days")
    if len(terms.requirements) > _REQUIREMENTS_LIMIT:
        problems.append(f"at most {_REQUIREMENTS_LIMIT} qualifications can be asked for")
    return problems


def hit_problems(
    *,
    question: str,
    most_bytes: int,
    annotation: str,
    token: str,
    lifetime_seconds: int,
    max_assignments: int,
) -> list[str]:
    """List why the service would refuse one HIT; empty if it would not."""
    problems = []
    size = size_in_bytes(question)
    if size > most_bytes:
        problems.append(f"its page has {size:,} bytes; at most {most_bytes:,} are allowed")
    if _is_beyond_plane(question):
        problems.append("its page has a character beyond the basic multilingual plane")
    if not annotation.isascii() or len(annotation) > _ANNOTATION_LIMIT:
        problems.append(f"its annotation is not {_ANNOTATION_LIMIT} ASCII characters or fewer")
    if not 1 <= len(token) <= _TOKEN_LIMIT:
        problems.append("its request token is not 1 to 64 characters long")
    if not _SHORTEST <= lifetime_seconds <= _YEAR:
        problems.append("the lifetime must be 30 seconds to 365 days")
    if not 1 <= max_assignments <= _ASSIGNMENTS_LIMIT:
        problems.append("it must ask for at least one assignment")
    return problems


def _is_beyond_plane(text: str) -> bool:
    """Return whether a character lies beyond the basic multilingual plane (two units in UTF-16)."""
    return not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)
