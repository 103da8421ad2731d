"""The files of a batch by question: labels, votes, texts, quality of workers, subset and scheme."""

from collections.abc import Iterable, Iterator

from annotation.core.csv_rows import FreeCell, csv_lines
from annotation.labels.by_question import SchemeResults
from annotation.labels.queries.free_texts import free_text_lines
from annotation.labels.queries.gold import known_by_query
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.quality import question_quality
from annotation.labels.queries.scheme_results import scheme_results
from annotation.models import Batch, Choice, Vote, Worker
from annotation.schemes import JOINED, About, Scheme, scheme_to_yaml
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id

#: The files of a batch with a scheme, by name.
SCHEME_FILES = ("labels", "votes", "texts", "quality", "subset", "scheme")


def scheme_label_lines(results: SchemeResults) -> Iterator[str]:
    """CSV: a query a line with the decided codes of each question, and 1 in the subset, else 0.

    `adjudicated` has the questions that a person decided, joined.
    """
    names = [question.name for question in results.scheme.closed]
    numbers = [f"n_{name}" for name in names]
    heads = [*_ids(results.scheme), "query"]
    rows: list[list[object]] = [[*heads, *names, *numbers, "in_subset", "adjudicated"]]
    rows += [
        [
            *_ids_of(results.scheme, query.qid),
            query.text,
            *query.shown,
            *(query.decisions[name].n_votes for name in names),
            int(query.is_in_subset),
            JOINED.join(query.adjudications),
        ]
        for query in results.queries
    ]
    return csv_lines(rows)


def scheme_subset_lines(results: SchemeResults) -> Iterator[str]:
    """The queries of the subset as `qid<TAB>query` lines, as every measure reads them.

    Of pairs `qid<TAB>docno<TAB>query`.
    """
    return (
        "\t".join([*_ids_of(results.scheme, query.qid), " ".join(query.text.split())]) + "\n"
        for query in results.subset
    )


def _ids(scheme: Scheme) -> tuple[str, ...]:
    """Names of the columns that name an item: of a pair the query's id and the passage's."""
    return ("qid", "docno") if scheme.about == About.PASSAGE else ("qid",)


def _ids_of(scheme: Scheme, item: str) -> tuple[str, ...]:
    return split_pair_id(item) if scheme.about == About.PASSAGE else (item,)


def scheme_vote_lines(*, batch: Batch, for_spreadsheet: bool = False) -> Iterator[str]:
    """CSV: an answer a line under pseudonyms; several options joined, `?` for "I cannot tell".

    With gold questions, a last column has the answer that is known, empty where none is. With
    `for_spreadsheet`, no typed answer is read as a formula: see `csv_lines`.
    """
    names, known = worker_names(batch=batch), known_by_query(batch=batch)
    held: dict[tuple[str, str, int, str], list[str]] = {}
    rows = Choice.objects.filter(vote__in=Vote.objects.filter(query__batch=batch).counted())
    for qid, text, worker, question, option, free in rows.order_by(
        "vote__query__position", "vote__worker", "vote", "pk"
    ).values_list(
        *("vote__query__qid", "vote__query__text", "vote__worker_id"), "question", "option", "text"
    ):
        held.setdefault((qid, text, worker, question), []).append(option or FreeCell(free))
    last = ["gold"] if known else []
    scheme = batch.scheme
    yield from csv_lines([[*_ids(scheme), "query", "worker", "question", "answer", *last]])
    yield from csv_lines(
        (
            [*_ids_of(scheme, qid), text, names[worker], question, _joined(codes)]
            + [known.get(qid, {}).get(question, "") for _ in last]
            for (qid, text, worker, question), codes in held.items()
        ),
        is_safe=for_spreadsheet,
    )


def _joined(answer: list[str]) -> str:
    """The codes of an answer joined, or the text that was typed."""
    return answer[0] if len(answer) == 1 else JOINED.join(answer)


def scheme_quality_lines(*, batch: Batch) -> Iterator[str]:
    """CSV: a worker and closed question a line, shares from 0 to 1, empty where not known."""
    names = worker_names(batch=batch)
    known = dict(Worker.objects.filter(pk__in=names).values_list("worker_id", "pk"))
    yield from csv_lines(
        [("worker", "question", "n_answers", "with_majority", "with_others", "gold", "n_gold")]
    )
    yield from csv_lines(
        (
            *(names[known[worker]], question, row.n_votes),
            *(row.with_majority.value, row.with_others, row.gold_accuracy.value, row.n_gold),
        )
        for question, rows in question_quality(batch=batch).items()
        for worker, row in rows.items()
    )


def scheme_file(
    *, batch: Batch, file: str, for_spreadsheet: bool = False
) -> tuple[Iterable[str], str, str]:
    """Lines, name and content type of a file of the batch; `InputError` for an unknown one.

    With `for_spreadsheet` no free text in it is read as a formula.
    """
    name, scheme = f"{batch.name}-{file}", batch.scheme
    if file == "votes":
        lines = scheme_vote_lines(batch=batch, for_spreadsheet=for_spreadsheet)
        return lines, f"{name}.csv", "text/csv"
    if file == "texts":
        lines = free_text_lines(batch=batch, for_spreadsheet=for_spreadsheet)
        return lines, f"{name}.csv", "text/csv"
    if file == "quality":
        return scheme_quality_lines(batch=batch), f"{name}.csv", "text/csv"
    if file == "scheme":
        return [scheme_to_yaml(scheme)], f"{name}.yaml", "application/yaml"
    if file not in SCHEME_FILES:
        raise InputError(
            f"there is no file {file!r}.",
            remedy=f"There are {', '.join(SCHEME_FILES)}.",
        )
    results = scheme_results(batch=batch)
    if file == "labels":
        return scheme_label_lines(results), f"{name}.csv", "text/csv"
    return scheme_subset_lines(results), f"{name}.tsv", "text/tab-separated-values"
