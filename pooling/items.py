"""Items that are pooled and judged, queries or pairs: their noun, and names of lists."""

from metrics.errors import InputError
from metrics.vocabulary import LONGEST_TEXT


def item_noun(*, of_pairs: bool) -> str:
    """Noun by which pages, messages and commands count the items of a pool or batch."""
    return "pair" if of_pairs else "query"


def list_name(run: str, direction: str) -> str:
    """Name of a run's list: that of the run alone where passages stand in it, not queries."""
    return f"{run}:{direction}" if direction else run


def run_and_direction(name: str) -> tuple[str, str]:
    """Run and direction of a list by its name."""
    run, _, direction = name.partition(":")
    return run, direction


def check_texts(item: str, *texts: str) -> None:
    """Raise `InputError` for texts of a query or a pair that are too long to be stored."""
    if max(map(len, texts)) > LONGEST_TEXT:
        raise InputError(
            f"the text of {item!r} has more than {LONGEST_TEXT:,} characters.",
            remedy="Shorten it: people have to read it.",
        )
