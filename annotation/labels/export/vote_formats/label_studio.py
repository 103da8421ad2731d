"""label-studio: tasks as Label Studio exports and imports them, votes as annotations."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import orjson

from annotation.labels.export.votes import PlainVote, VoteFormat, VoteSource
from annotation.schemes import JOINED

#: Name of the text, for the labelling interface of whoever imports the file.
_TEXT = "query"
_IF_KNOWN = ("docno", "passage", "gold", "suggestion")


def _write(source: VoteSource) -> Iterator[str]:
    return _lines(source.votes(), source.name)


def _lines(votes: Iterable[PlainVote], question: str) -> Iterator[str]:
    """An array with one task a line."""
    before, end = "[", "[]\n"
    by_query = groupby(votes, key=_about_query)
    for number, (about, votes_of_query) in enumerate(by_query, start=1):
        qid, text, *rest = about
        known = zip(_IF_KNOWN, rest, strict=True)
        data = {"qid": qid, _TEXT: text} | {name: value for name, value in known if value}
        task = {
            "id": number,
            "data": data,
            "annotations": [_annotation(vote, question) for vote in votes_of_query],
        }
        yield f"{before}{orjson.dumps(task).decode()}"
        before, end = ",\n", "]\n"
    yield end


def _about_query(vote: PlainVote) -> tuple[str, ...]:
    return vote.query_id, vote.query, *(getattr(vote, name) for name in _IF_KNOWN)


def _annotation(vote: PlainVote, question: str) -> dict[str, Any]:
    """Write a vote, with voter and time also in the result, which Label Studio keeps as it is.

    It refuses a `completed_by` that is none of its users, and sets `created_at` anew.
    """
    at = {} if vote.answered_at is None else {"created_at": vote.answered_at}
    seconds = {} if vote.seconds is None else {"lead_time": vote.seconds}
    choice = {
        "from_name": question,
        "to_name": _TEXT,
        "type": "choices",
        "value": {"choices": vote.label.split(JOINED)},
        "meta": {"worker": vote.worker, **at},
    }
    return {**at, **seconds, "was_cancelled": False, "result": [choice]}


LABEL_STUDIO = VoteFormat(
    name="label-studio",
    title="As tasks of Label Studio (JSON)",
    summary="tasks with votes, times and workers as annotations",
    position=3,
    content_type="application/json",
    extension="json",
    first_line=re.compile(r'\[(\{"id":1,"data":\{"qid":.*|\])'),
    stem="label-studio",
    write=_write,
)
