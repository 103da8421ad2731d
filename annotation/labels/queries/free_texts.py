"""Texts that annotators wrote: answers to open questions, comments on answers and on tasks."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.core.csv_rows import FreeCell, csv_lines
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import workers_without_say
from annotation.models import Assignment, Batch, Choice
from annotation.schemes import About
from annotation.vocabulary import AssignmentState
from metrics.io.pair_ids import split_pair_id


@dataclass(frozen=True, slots=True)
class FreeText:
    """A text that somebody wrote, under a pseudonym. It may hold personal data.

    Without an `option` it answers an open `question`, else it is a comment on that answer. Without
    a `question` it is a comment on a whole task, and about no query. `repeated` and `set_aside` as
    of answers: the one is repeated or rejected, the other of somebody whose votes are discarded.
    """

    qid: str
    query: str
    worker: str
    kind: str
    question: str
    option: str
    text: str
    repeated: int
    set_aside: int


def free_texts(*, batch: Batch) -> Iterator[FreeText]:
    """All texts of a batch, query by query in its order; comments on tasks are the last."""
    written = Choice.objects.filter(vote__query__batch=batch).exclude(text="")
    comments = Assignment.objects.filter(hit__batch=batch).exclude(comment="")
    # The statements are done before the names are read, so that each worker in them has one.
    choices = list(written.select_related("vote__query", "vote__worker"))
    tasks = list(comments.select_related("worker").order_by("hit__index", "pk"))
    names, aside = worker_names(batch=batch), workers_without_say(batch=batch)
    place = {question.name: number for number, question in enumerate(batch.scheme.questions)}
    choices.sort(
        key=lambda choice: (
            *(choice.vote.query.position, names[choice.vote.worker_id], not choice.vote.counts),
            *(place.get(choice.question, len(place)), choice.option, choice.text),
        )
    )
    for choice in choices:
        vote = choice.vote
        yield FreeText(
            *(vote.query.qid, vote.query.text, names[vote.worker_id], vote.worker.voter_kind),
            *(choice.question, choice.option, choice.text),
            *(int(not vote.counts), int(vote.worker_id in aside)),
        )
    for task in sorted(tasks, key=lambda task: (task.hit.index, names[task.worker_id])):
        is_rejected = task.state == AssignmentState.REJECTED
        yield FreeText(
            *("", "", names[task.worker_id], task.worker.voter_kind, "", "", task.comment),
            *(int(is_rejected), int(task.worker_id in aside)),
        )


def free_text_lines(*, batch: Batch, for_spreadsheet: bool = False) -> Iterator[str]:
    """CSV: a text a line; `for_spreadsheet` lets no text be read as a formula."""
    of_pairs = batch.scheme.about == About.PASSAGE
    ids = ("qid", "docno") if of_pairs else ("qid",)
    yield from csv_lines(
        [(*ids, "query", "worker", "question", "answer", "text", "repeated", "set_aside")]
    )
    yield from csv_lines(
        (
            (
                *(split_pair_id(row.qid) if of_pairs and row.qid else [row.qid, ""][: len(ids)]),
                *(row.query, row.worker, row.question, row.option),
                *(FreeCell(row.text), row.repeated, row.set_aside),
            )
            for row in free_texts(batch=batch)
        ),
        is_safe=for_spreadsheet,
    )
