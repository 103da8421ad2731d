"""Agreement on a question as rows of the tables of its page."""

from collections.abc import Iterator

from metrics.votes.agreement import Agreement
from metrics.votes.intervals import Estimate


def pattern_rows(measured: Agreement) -> Iterator[tuple[str, int, Estimate, str]]:
    """A shape of votes like 2-1, how many queries have it, their share, and its meaning."""
    for pattern, count in measured.pattern_counts.items():
        yield pattern, count, measured.patterns[pattern], _meaning(pattern)


def option_rows(measured: Agreement) -> Iterator[tuple[str, int, int, Estimate, Estimate]]:
    """An option, its votes, its queries by majority, its alpha, and its specific agreement."""
    for code, n_votes in measured.categories.items():
        alpha, specific = measured.per_category_alpha[code], measured.specific_agreement[code]
        yield code, n_votes, measured.majority[code], alpha, specific


def _meaning(pattern: str) -> str:
    parts = sorted((int(part) for part in pattern.split("-")), reverse=True)
    if parts[0] == 1 and sum(parts) == 1:
        return "a single vote"
    if sum(parts) == parts[0]:
        return "all agree"
    return "tie" if parts[0] == parts[1] else "majority"
