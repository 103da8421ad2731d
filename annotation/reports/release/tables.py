"""The tables of a release: their columns, what each means, and their rows."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from annotation.reports.release.data import Release, ReleasedBatch
from annotation.reports.release.scheme_tables import (
    answers_table,
    decisions_table,
    soft_labels_table,
)
from annotation.reports.release.table import DATE, REAL, TEXT, WHICH, WHOLE, Column, Table, entropy

_MEASURED = (
    Column("run", TEXT, "Run: the ranked lists of one retrieval model."),
    Column("measure", TEXT, "Measure of gender bias."),
    Column("magnitude", TEXT, "What stands for a group's words in a document."),
    Column("cutoff", WHOLE, "Ranks that are looked at."),
    Column("value", REAL, "Mean over the queries labelled as naming no gender."),
    Column("n_queries", WHOLE, "Queries of the mean."),
    Column("n_queries_missing", WHOLE, "Queries that the run does not have."),
    Column("n_docs_missing", WHOLE, "Documents that the collection does not have."),
)
#: Meanings of two columns where a batch has a scheme.
_MEANINGS_WITH_SCHEME = {
    "measure": "Measure of bias.",
    "value": "Mean over the queries labelled as naming no gender, or of the scheme's subset.",
}
#: The coefficients of agreement in `agreement.csv`.
_COEFFICIENTS = ("raw_agreement", "krippendorff_alpha", "gwet_ac1", "fleiss_kappa")


def tables(release: Release) -> list[Table]:
    """The tables of a release; `measures` only where runs were measured."""
    asks_for_categories = bool(release.of_categories)
    made = [_votes(release), _labels(release)] if asks_for_categories else []
    if release.schemes:
        made += [answers_table(release), decisions_table(release), soft_labels_table(release)]
    made.append(_agreement(release))
    measured = _measures(release)
    return [*made, measured] if measured.rows else made


def _votes(release: Release) -> Table:
    columns = (
        *WHICH,
        Column("annotator", TEXT, "Name of the annotator, which holds in this release only."),
        Column("kind", TEXT, "Who answered: human, simulated, model, or unverified."),
        Column("label", TEXT, f"Answer; {release.cannot_tell} stands for: I cannot tell."),
        Column("counts", WHOLE, "1, or 0 where the votes of this annotator were discarded."),
        Column("answered_on", DATE, "Day of the answer, in UTC."),
        Column("seconds", REAL, "Seconds from seeing the query to answering, where known."),
        Column("suggested", TEXT, "Answer that a model suggested on the page, if one did."),
    )
    rows = (
        (
            *(batch.name, vote.qid, batch.queries[vote.qid], vote.annotator, vote.kind),
            *(vote.label, vote.counts, vote.answered_on, vote.seconds, vote.suggested),
        )
        for batch in release.of_categories
        for vote in batch.votes
    )
    return Table("votes", "Every vote, one a row.", columns, tuple(rows))


def _labels(release: Release) -> Table:
    options = list(release.options)
    columns = (
        *WHICH,
        Column("label", TEXT, "Decided label; tie without one, empty while undecided."),
        Column("method", TEXT, "Method of the decision."),
        Column("source", TEXT, "How the label came about: unanimous, majority, adjudicated ..."),
        Column("confidence", REAL, "Posterior probability of the label, of models alone."),
        Column("n_votes", WHOLE, "Votes that count, whoever gave them."),
        Column("n_cannot_tell", WHOLE, "Answers that the query cannot be judged."),
        *(Column(f"votes_{code}", WHOLE, f"Votes for {code}.") for code in options),
        *(
            Column(f"p_{code}", REAL, f"Soft label: share of the votes for {code}.")
            for code in options
        ),
        Column("entropy", REAL, "Entropy of these shares in bits: 0 where all agree."),
    )
    rows = (row for batch in release.of_categories for row in _label_rows(batch, release))
    return Table("labels", "The label and the counts of each query.", columns, tuple(rows))


def _label_rows(batch: ReleasedBatch, release: Release) -> Iterator[tuple[object, ...]]:
    decided = {row.qid: row for row in batch.labels}
    counts: dict[str, Counter[str]] = {qid: Counter() for qid in batch.queries}
    for vote in batch.votes:
        counts[vote.qid][vote.label] += vote.counts
    for qid, text in batch.queries.items():
        votes = [counts[qid][code] for code in release.options]
        n_votes = sum(votes)
        shares = [n / n_votes if n_votes else None for n in votes]
        row = decided.get(qid)
        about = (
            (row.decided or "tie", row.method, row.source, row.confidence)
            if row
            else ("", "", "", None)
        )
        yield (
            *(batch.name, qid, text, *about, n_votes, counts[qid][release.cannot_tell]),
            *votes,
            *shares,
            entropy(share for share in shares if share) if n_votes else None,
        )


def _agreement(release: Release) -> Table:
    columns = (
        Column("batch", TEXT, "Batch."),
        Column("coefficient", TEXT, "Coefficient of agreement."),
        Column("value", REAL, "Its value; empty where it is undefined."),
        Column("low", REAL, "Lower end of its interval."),
        Column("high", REAL, "Upper end of its interval."),
        Column("level", REAL, "Level of the interval."),
    )
    estimates = [
        (batch.name, name, batch.agreement[name])
        for batch in release.of_categories
        for name in _COEFFICIENTS
        if name in batch.agreement
    ]
    estimates += [
        (batch, f"{question}: {estimate['coefficient']} alpha", estimate)
        for batch, scheme in release.schemes.items()
        for question, estimate in scheme.agreement.items()
    ]
    rows = (
        (batch, name, *(estimate[part] for part in ("value", "low", "high", "level")))
        for batch, name, estimate in estimates
    )
    return Table("agreement", "How far annotators agree.", columns, tuple(rows))


def _measures(release: Release) -> Table:
    def cells(row: Mapping[str, object]) -> Iterator[object]:
        return (row[column.name] for column in _MEASURED)

    rows = (
        tuple(chain([batch.name], cells(row)))
        for batch in release.batches
        for row in batch.measures
    )
    about = "Gender bias of retrieval models over the queries that name no gender."
    columns: tuple[Column, ...] = (Column("batch", TEXT, "Batch."), *_MEASURED)
    if release.schemes:
        subsets = (
            f"{name}: {one.scheme['subset']['words']}" for name, one in release.schemes.items()
        )
        about = f"Bias of retrieval models over a subset of the queries. {'; '.join(subsets)}."
        columns = tuple(
            replace(column, meaning=_MEANINGS_WITH_SCHEME.get(column.name, column.meaning))
            for column in columns
        )
    return Table("measures", about, columns, tuple(rows))
