"""Gold questions of a batch: what is known, and what workers answered."""

from collections.abc import Mapping

from annotation.agreement.table import VoteTable
from annotation.labels.queries.votes import answer_table
from annotation.models import Batch, BatchQuery
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


def scheme_gold_table(
    given: Mapping[tuple[str, str, str], str],
    known: Mapping[str, Mapping[str, str]],
    question: str = "",
) -> tuple[VoteTable, dict[str, str]]:
    """Answers where an answer is known, and the known ones; to one question, or to all.

    `given` are `scheme_answers`, `known` is `known_by_query`. A query of the table is a gold
    question and a question of the scheme in one.
    """
    gold = {
        f"{qid} {name}": answer
        for qid, answers in known.items()
        for name, answer in answers.items()
        if question in ("", name)
    }
    answered = {
        (f"{qid} {name}", worker): answer
        for (qid, name, worker), answer in given.items()
        if f"{qid} {name}" in gold
    }
    return answer_table(answered, list(gold)), gold
