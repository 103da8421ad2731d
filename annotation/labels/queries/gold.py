"""Gold questions of a batch: known answers, and workers' answers."""

from collections.abc import Mapping

from annotation.labels.queries.votes import answer_table, votes_of
from annotation.models import Batch, BatchQuery, Vote
from annotation.schemes import JOINED, Question, known_answers
from metrics.votes.table import Votes


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


def scheme_gold_table(
    worker_answers: Mapping[tuple[str, str, str], str],
    known: Mapping[str, Mapping[str, str]],
    question: str = "",
) -> tuple[Votes, dict[str, str]]:
    """Return the answers to gold questions, and the known ones, for one question or for all.

    `worker_answers` are `scheme_answers`, `known` is `known_by_query`. A query of the table is a
    gold question and a question of the scheme in one.
    """
    gold = {
        f"{qid} {name}": answer
        for qid, answers in known.items()
        for name, answer in answers.items()
        if question in ("", name)
    }
    answered = {
        (f"{qid} {name}", worker): answer
        for (qid, name, worker), answer in worker_answers.items()
        if f"{qid} {name}" in gold
    }
    return answer_table(answered, list(gold)), gold
