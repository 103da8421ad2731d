"""Gold questions of a batch: what is known, and what workers answered."""

from annotation.agreement.table import VoteTable
from annotation.labels.queries.votes import scheme_answers
from annotation.models import Batch, BatchQuery, SchemeVote
from annotation.schemes import JOINED, known_answers, scheme_from_json


def gold_answers(*, batch: Batch) -> dict[str, str]:
    """The known answer of each gold question by its id, as it is stored."""
    return dict(BatchQuery.objects.filter(batch=batch).exclude(gold="").values_list("qid", "gold"))


def known_by_query(*, batch: Batch) -> dict[str, dict[str, str]]:
    """Of a batch with a scheme the known answers by gold question, then by question of the scheme.

    Several codes of one answer are in alphabetical order, joined.
    """
    scheme = scheme_from_json(batch.scheme_versions.latest("number").content)
    return {
        qid: {
            name: JOINED.join(sorted(codes)) for name, codes in known_answers(scheme, gold).items()
        }
        for qid, gold in gold_answers(batch=batch).items()
    }


def scheme_gold_table(*, batch: Batch, question: str = "") -> tuple[VoteTable, dict[str, str]]:
    """Everybody's answers where an answer is known, and the known ones; of one question or of all.

    A query of the table is a gold question and a question of the scheme in one.
    """
    known = {
        f"{qid} {name}": answer
        for qid, answers in known_by_query(batch=batch).items()
        for name, answer in answers.items()
        if question in ("", name)
    }
    asked = SchemeVote.objects.filter(query__batch=batch).exclude(query__gold="")
    given = {
        (f"{qid} {name}", worker): answer
        for (qid, name, worker), answer in scheme_answers(asked).items()
        if f"{qid} {name}" in known
    }
    table = VoteTable.of(
        [query for query, _ in given],
        [worker for _, worker in given],
        list(given.values()),
        queries=list(known),
    )
    return table, known
