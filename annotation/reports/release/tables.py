"""The tables of a release: their columns, what each means, and their rows."""

from collections.abc import Iterator, Mapping
from itertools import chain

from annotation.reports.release.data import Release, ReleasedBatch
from annotation.reports.release.scheme_tables import (
    answers_table,
    decisions_table,
    soft_labels_table,
    texts_table,
)
from annotation.reports.release.table import DATE, REAL, TEXT, WHICH, WHOLE, Column, Table, entropy
from annotation.schemes import CANNOT_TELL_WORDS
from annotation.schemes.released import CANNOT_TELL, released_code
from metrics.vocabulary import CATEGORY_QUESTION, TIE, Category

_MEASURED = (
    Column("run", TEXT, "Run: the ranked lists of one retrieval model."),
    Column("measure", TEXT, "Measure of bias."),
    Column("magnitude", TEXT, "What stands for a group's words in a document."),
    Column("cutoff", WHOLE, "Ranks that are looked at."),
    Column("value", REAL, "Mean over the queries of the subset."),
    Column("n_queries", WHOLE, "Queries of the mean."),
    Column("n_queries_missing", WHOLE, "Queries that the run does not have."),
    Column("n_docs_missing", WHOLE, "Documents that the collection does not have."),
)
_OPTIONS = {category.value: category.label for category in Category}


def tables(release: Release) -> list[Table]:
    """The tables of a release; `measures` only where runs were measured."""
    made = [_votes(release), _labels(release)] if release.of_the_paper else []
    if release.by_question:
        made += [answers_table(release), decisions_table(release), soft_labels_table(release)]
    if any(batch.texts for batch in release.batches):
        made.append(texts_table(release))
    made.append(_agreement(release))
    measured = _measures(release)
    return [*made, measured] if measured.rows else made


def _votes(release: Release) -> Table:
    columns = (
        *WHICH,
        Column("annotator", TEXT, "Name of the annotator, which holds in this release only."),
        Column("kind", TEXT, "Who answered: human, simulated, model, or unverified."),
        Column("label", TEXT, f"Answer; {CANNOT_TELL} stands for: {CANNOT_TELL_WORDS}."),
        Column("counts", WHOLE, "1, or 0 where the votes of this annotator were discarded."),
        Column("answered_on", DATE, "Day of the answer, in UTC."),
        Column("seconds", REAL, "Seconds from seeing the query to answering, where known."),
        Column("suggested", TEXT, "Answer that a model suggested on the page, if one did."),
    )
    rows = (
        (
            *(batch.name, vote.qid, batch.queries[vote.qid], vote.annotator, vote.kind),
            *(released_code(vote.codes[0]), vote.counts, vote.answered_on),
            *(vote.seconds, vote.suggested),
        )
        for batch in release.of_the_paper
        for vote in batch.answers
    )
    return Table("votes", "Every vote, one a row.", columns, tuple(rows))


def _labels(release: Release) -> Table:
    columns = (
        *WHICH,
        Column("label", TEXT, "Decided label; tie without one, empty while undecided."),
        Column("method", TEXT, "Method of the decision."),
        Column("source", TEXT, "How the label came about: unanimous, majority, adjudicated ..."),
        Column("confidence", REAL, "Posterior probability of the label, of models alone."),
        Column("n_votes", WHOLE, "Votes that count, whoever gave them."),
        Column("n_cannot_tell", WHOLE, "Answers that the query cannot be judged."),
        *(Column(f"votes_{code}", WHOLE, f"Votes for {code}.") for code in _OPTIONS),
        *(
            Column(f"p_{code}", REAL, f"Soft label: share of the votes for {code}.")
            for code in _OPTIONS
        ),
        Column("entropy", REAL, "Entropy of these shares in bits: 0 where all agree."),
    )
    rows = (row for batch in release.of_the_paper for row in _label_rows(batch))
    return Table("labels", "The label and the counts of each query.", columns, tuple(rows))


def _label_rows(batch: ReleasedBatch) -> Iterator[tuple[object, ...]]:
    decided = {row.qid: row for row in batch.tables.decisions}
    for query in batch.tables.results.queries:
        votes = list(query.chosen[CATEGORY_QUESTION].values())
        n_votes = sum(votes)
        shares = [n / n_votes if n_votes else None for n in votes]
        row = decided.get(query.qid)
        label = row.decided or TIE if row else ""
        about = (label, row.method, row.source, row.confidence) if row else ("", "", "", None)
        n_cannot_tell = query.n_cannot_tell[CATEGORY_QUESTION]
        yield (
            *(batch.name, query.qid, batch.queries[query.qid], *about, n_votes, n_cannot_tell),
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
    rows = (
        (batch.name, name, *(estimate[part] for part in ("value", "low", "high", "level")))
        for batch in release.batches
        for name, estimate in batch.estimates
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
    subsets = "; ".join(f"{batch.name}: {batch.scheme.subset.words}" for batch in release.batches)
    about = f"Bias of retrieval models over a subset of the queries. {subsets}."
    columns = (Column("batch", TEXT, "Batch."), *_MEASURED)
    return Table("measures", about, columns, tuple(rows))
