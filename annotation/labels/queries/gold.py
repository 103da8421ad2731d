"""Gold questions of a batch: known answers, and workers' answers."""

from annotation.labels.queries.votes import votes_of
from annotation.models import Batch, BatchQuery, Vote
from annotation.schemes import JOINED, Question, known_answers
from metrics.votes.table import UNTOLD, Votes


def gold_answers(*, batch: Batch) -> dict[str, str]:
    """The known answer of each gold question by its id, as it is stored."""
    return dict(BatchQuery.objects.filter(batch=batch).exclude(gold="").values_list("qid", "gold"))


def gold_of_question(*, batch: Batch, question: Question) -> tuple[Votes, dict[str, str]]:
    """Return all answers to a nominal question with known answers, and the known answers."""
    by_query = known_by_query(batch=batch)
    known = {qid: of[question.name] for qid, of in by_query.items() if question.name in of}
    queries = BatchQuery.objects.filter(batch=batch, qid__in=list(known)).order_by("position")
    votes = votes_of(Vote.objects.filter(query__in=queries).standing(), queries, batch, [question])
    return votes[question.name], known


def known_by_query(*, batch: Batch) -> dict[str, dict[str, str]]:
    """The known answers by gold question, then by question of the batch's scheme.

    Several codes of one answer are in alphabetical order, joined.
    """
    scheme = batch.scheme
    return {
        qid: {
            name: JOINED.join(sorted(codes)) for name, codes in known_answers(scheme, gold).items()
        }
        for qid, gold in gold_answers(batch=batch).items()
    }


def gold_of_every_question(*, batch: Batch) -> tuple[Votes, dict[str, str]]:
    """Return all answers to gold questions, and the known answers.

    An item of the votes is a gold question and a question of the scheme in one.
    """
    gold = {
        f"{qid} {name}": answer
        for qid, answers in known_by_query(batch=batch).items()
        for name, answer in answers.items()
    }
    queries = BatchQuery.objects.filter(batch=batch).exclude(gold="").order_by("position")
    standing = Vote.objects.filter(query__in=queries).standing()
    rows = [
        (f"{votes.items[item]} {name}", votes.workers[worker], votes.labels[answer])
        for name, votes in votes_of(standing, queries, batch, batch.scheme.closed).items()
        for item, worker, answer in zip(votes.item, votes.worker, votes.answer, strict=True)
        if answer != UNTOLD and f"{votes.items[item]} {name}" in gold
    ]
    return Votes.of(*zip(*rows, strict=True) if rows else ((), (), ()), items=list(gold)), gold
