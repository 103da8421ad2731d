"""Votes of a file beside a file of queries: the ids of both, where the two meet."""

from collections.abc import Collection
from dataclasses import replace

from ...io.ids import met, renamed_text
from .answers import Answer, Votes


def with_ids_of(read: Votes, queries: Collection[str]) -> Votes:
    """The votes with the ids of their queries as the file of `queries` writes them.

    Where a file of votes has 261.0 it is read as 261, since nothing else says what its queries are
    called; here the other file does.
    """
    answers = [*read.votes, *read.cannot_tell, *read.repeated]
    written = {answer.qid: answer.written or answer.qid for answer in answers}
    names: dict[str, str] | None = written
    if not any(name in queries for name in written.values()):
        names = met(list(written), queries)
    if names is None or all(qid == name for qid, name in names.items()):
        return read
    final = names

    def renamed(some: list[Answer]) -> list[Answer]:
        return [replace(answer, qid=final.get(answer.qid, answer.qid)) for answer in some]

    changed = [qid for qid, name in final.items() if qid != name]
    return replace(
        read,
        votes=renamed(read.votes),
        cannot_tell=renamed(read.cannot_tell),
        repeated=renamed(read.repeated),
        set_aside=[replace(none, answer=renamed([none.answer])[0]) for none in read.set_aside],
        models=[answer._replace(qid=final.get(answer.qid, answer.qid)) for answer in read.models],
        notes=[*read.notes, renamed_text("the queries of the votes", changed, final)],
    )
