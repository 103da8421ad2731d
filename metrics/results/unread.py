"""Files that are given and that no measure looks at."""

from collections.abc import Collection, Sequence

from ..measures.registry import available
from .evaluation import Request

#: Files for measures, by argument, with what measures of them need.
READ_BY = {
    "qrels": "qrels",
    "judge_qrels": "qrels",
    "passages": "passages",
    "judge_passages": "passages",
    "liwc": "categories",
    "labels": "labels",
}


def unread(requests: Sequence[Request], arguments: Collection[str]) -> list[str]:
    """Which of the arguments that name files are given, and no measure looks at."""
    needs = frozenset[str]().union(*(request.measure.needs for request in requests))
    return [name for name, kind in READ_BY.items() if name in arguments and kind not in needs]


def unread_text(argument: str) -> str:
    """The notice for such an argument: it names the measures that look at it."""
    names = [definition.name for definition in available() if READ_BY[argument] in definition.needs]
    return f"no measure here uses {argument}; these do: {', '.join(names)}."
