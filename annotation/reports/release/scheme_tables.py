"""The tables by question: one row an answer, in long form."""

from collections.abc import Iterator, Mapping

from annotation.reports.bundle.tables import DecisionRow
from annotation.reports.release.data import Release, ReleasedBatch
from annotation.reports.release.table import (
    DATE,
    REAL,
    TEXT,
    WHICH,
    WHICH_PAIR,
    WHOLE,
    Column,
    Table,
    entropy,
)
from annotation.schemes import CANNOT_TELL, CANNOT_TELL_WORDS, JOINED, Question
from metrics.io.pair_ids import split_pair_id

_QUESTION = Column("question", TEXT, "Name of the question in the scheme.")


def answers_table(release: Release) -> Table:
    """Every answer to a closed question."""
    columns = (
        *_which_columns(release),
        Column("annotator", TEXT, "Name of the annotator, which holds in this release only."),
        Column("kind", TEXT, "Who answered: human, simulated, model, or unverified."),
        _QUESTION,
        Column(
            "answer", TEXT, f"Chosen options, joined by ;. {CANNOT_TELL} is: {CANNOT_TELL_WORDS}."
        ),
        Column("counts", WHOLE, "1, or 0 where the answers of this annotator were discarded."),
        Column("answered_on", DATE, "Day of the answer, in UTC."),
    )
    rows = (
        (
            *(*_which(release, batch, answer.qid), answer.annotator, answer.kind),
            *(answer.question, JOINED.join(answer.codes), answer.counts, answer.answered_on),
        )
        for batch in release.by_question
        for answer in batch.answers
    )
    return Table("answers", "Every answer to a question of a scheme.", columns, tuple(rows))


def texts_table(release: Release) -> Table:
    """Texts that annotators wrote, one a row."""
    columns = (
        *_which_columns(release),
        Column("annotator", TEXT, "Name of the annotator, which holds in this release only."),
        Column("kind", TEXT, "Who wrote: human, simulated, model, or unverified."),
        Column("question", TEXT, "Name of the question; empty for a comment on a whole task."),
        Column("answer", TEXT, "The option that is commented on; empty for an answer in words."),
        Column("text", TEXT, "What was written. It may hold personal data."),
        Column("counts", WHOLE, "1, or 0 where the answers of this annotator were discarded."),
    )
    rows = (
        (
            *(*_which(release, batch, text.qid), text.annotator, text.kind, text.question),
            *(text.option, text.text, text.counts),
        )
        for batch in release.batches
        for text in batch.texts
    )
    return Table("texts", "What annotators wrote, one text a row.", columns, tuple(rows))


def decisions_table(release: Release) -> Table:
    columns = (
        *_which_columns(release),
        _QUESTION,
        Column("decided", TEXT, "Decided options, joined by ;. Empty where nothing is decided."),
        Column("n_answers", WHOLE, "Answers that count."),
        Column("n_cannot_tell", WHOLE, "Answers that the query cannot be judged."),
        Column("entropy", REAL, "Entropy of the shares of the options in bits: 0 where all agree."),
        Column("in_subset", WHOLE, "1 for the queries that measures run on, else 0."),
        Column(
            "source", TEXT, "How the label came about, or answers; empty where nothing is decided."
        ),
    )
    rows = (
        (
            *(*about, row.question, row.decided, row.n_answers, row.n_cannot_tell),
            *(_entropy_of(chosen), row.in_subset, row.source),
        )
        for about, row, chosen, _question in _decisions(release)
    )
    return Table("decisions", "What is decided on each question.", columns, tuple(rows))


def soft_labels_table(release: Release) -> Table:
    columns = (
        *_which_columns(release),
        _QUESTION,
        Column("option", TEXT, "Code of the option."),
        Column("name", TEXT, "What annotators read."),
        Column("n_chosen", WHOLE, "Answers that count with this option."),
        Column("share", REAL, "Their share of the answers that count."),
    )
    rows = (
        (*about, row.question, code, question.labels[code] or code, n, n / row.n_answers)
        for about, row, chosen, question in _decisions(release)
        for code, n in chosen.items()
        if row.n_answers
    )
    about = "How often each option was chosen, of every query and question."
    return Table("soft_labels", about, columns, tuple(rows))


def _which_columns(release: Release) -> tuple[Column, ...]:
    return WHICH_PAIR if release.has_pairs else WHICH


def _which(release: Release, batch: ReleasedBatch, item: str) -> tuple[str, ...]:
    """Cells of these columns about a query or pair, by its id in the batch; empty without one."""
    text = batch.queries[item] if item else ""
    if not release.has_pairs:
        return batch.name, item, text
    ids = split_pair_id(item) if batch.is_of_pairs and item else (item, "")
    return batch.name, *ids, text


def _decisions(
    release: Release,
) -> Iterator[tuple[tuple[str, ...], DecisionRow, Mapping[str, int], Question]]:
    """Return each decision with its query, how often each option was chosen, and the question."""
    for batch in release.by_question:
        chosen = {query.qid: query.chosen for query in batch.tables.results.queries}
        for row in batch.tables.decisions:
            which = _which(release, batch, row.qid)
            question = batch.scheme.question(row.question)
            yield which, row, chosen[row.qid][row.question], question


def _entropy_of(chosen: Mapping[str, int]) -> float | None:
    total = sum(chosen.values())
    return entropy(n / total for n in chosen.values() if n) if total else None
