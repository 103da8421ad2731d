"""The tables of a release: their columns, what each means, and their rows.

Of the paper's question they are those that its authors released: votes and labels. Any other scheme
has a row for each answer, decision and option, by question.
"""

from collections.abc import Iterable, Iterator, Mapping

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
from annotation.schemes import CANNOT_TELL as UNSURE
from annotation.schemes import CANNOT_TELL_WORDS, JOINED, Question
from annotation.schemes.released import CANNOT_TELL, released_code
from metrics.io.pair_ids import split_pair_id
from metrics.vocabulary import CATEGORY_QUESTION, TIE, Category

_ANNOTATOR = Column("annotator", TEXT, "Name of the annotator, which holds in this release only.")
_KIND = Column("kind", TEXT, "Who answered: human, simulated, model, or unverified.")
_QUESTION = Column("question", TEXT, "Name of the question in the scheme.")
_COUNTS = Column("counts", WHOLE, "1, or 0 where the answers of this annotator were discarded.")
_ANSWERED_ON = Column("answered_on", DATE, "Day of the answer, in UTC.")
_N_CANNOT_TELL = Column("n_cannot_tell", WHOLE, "Answers that the query cannot be judged.")
_OPTIONS = {category.value: category.label for category in Category}


def tables(release: Release) -> list[Table]:
    """The tables of a release; `measures` only where runs were measured."""
    parts = [_votes(release), _labels(release)] if release.of_the_paper else []
    if release.by_question:
        parts += [_answers(release), _decisions(release), _soft_labels(release)]
    if any(batch.texts for batch in release.batches):
        parts.append(_texts(release))
    parts.append(_agreement(release))
    measured = _measures(release)
    return [*parts, measured] if measured.rows else parts


def _votes(release: Release) -> Table:
    columns = (
        *(*WHICH, _ANNOTATOR, _KIND),
        Column("label", TEXT, f"Answer; {CANNOT_TELL} stands for: {CANNOT_TELL_WORDS}."),
        *(_COUNTS, _ANSWERED_ON),
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
        _N_CANNOT_TELL,
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
        n_votes, row = sum(votes), decided.get(query.qid)
        label = row.decided or TIE if row else ""
        about = (label, row.method, row.source, row.confidence) if row else ("", "", "", None)
        n_cannot_tell = query.decisions[CATEGORY_QUESTION].n_cannot_tell
        yield (
            *(batch.name, query.qid, batch.queries[query.qid], *about, n_votes, n_cannot_tell),
            *votes,
            *(n / n_votes if n_votes else None for n in votes),
            _entropy_of(votes),
        )


def _answers(release: Release) -> Table:
    meaning = f"Chosen options, joined by ;. {UNSURE} is: {CANNOT_TELL_WORDS}."
    columns = (
        *(*_which_columns(release), _ANNOTATOR, _KIND, _QUESTION),
        *(Column("answer", TEXT, meaning), _COUNTS, _ANSWERED_ON),
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


def _decisions(release: Release) -> Table:
    columns = (
        *(*_which_columns(release), _QUESTION),
        Column("decided", TEXT, "Decided options, joined by ;. Empty where nothing is decided."),
        Column("n_answers", WHOLE, "Answers that count."),
        _N_CANNOT_TELL,
        Column("entropy", REAL, "Entropy of the shares of the options in bits: 0 where all agree."),
        Column("in_subset", WHOLE, "1 for the queries that measures run on, else 0."),
        Column(
            "source", TEXT, "How the label came about, or answers; empty where nothing is decided."
        ),
    )
    rows = (
        (
            *(*about, row.question, row.decided, row.n_answers, row.n_cannot_tell),
            *(_entropy_of(chosen.values()), row.in_subset, row.source),
        )
        for about, row, chosen, _question in _decided(release)
    )
    return Table("decisions", "What is decided on each question.", columns, tuple(rows))


def _soft_labels(release: Release) -> Table:
    columns = (
        *(*_which_columns(release), _QUESTION),
        Column("option", TEXT, "Code of the option."),
        Column("name", TEXT, "What annotators read."),
        Column("n_chosen", WHOLE, "Answers that count with this option."),
        Column("share", REAL, "Their share of the answers that count."),
    )
    rows = (
        (*about, row.question, code, question.labels[code] or code, n, n / row.n_answers)
        for about, row, chosen, question in _decided(release)
        for code, n in chosen.items()
        if row.n_answers
    )
    about = "How often each option was chosen, of every query and question."
    return Table("soft_labels", about, columns, tuple(rows))


def _texts(release: Release) -> Table:
    columns = (
        *(*_which_columns(release), _ANNOTATOR, _KIND),
        Column("question", TEXT, "Name of the question; empty for a comment on a whole task."),
        Column("answer", TEXT, "The option that is commented on; empty for an answer in words."),
        Column("text", TEXT, "What was written. It may hold personal data."),
        _COUNTS,
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


def _which_columns(release: Release) -> tuple[Column, ...]:
    return WHICH_PAIR if release.has_pairs else WHICH


def _which(release: Release, batch: ReleasedBatch, item: str) -> tuple[str, ...]:
    """Cells of these columns about a query or pair, by its id in the batch; empty without one."""
    text = batch.queries[item] if item else ""
    if not release.has_pairs:
        return batch.name, item, text
    ids = split_pair_id(item) if batch.is_of_pairs and item else (item, "")
    return batch.name, *ids, text


def _decided(
    release: Release,
) -> Iterator[tuple[tuple[str, ...], DecisionRow, Mapping[str, int], Question]]:
    """Return each decision with its query, how often each option was chosen, and the question."""
    for batch in release.by_question:
        chosen = {query.qid: query.chosen for query in batch.tables.results.queries}
        for row in batch.tables.decisions:
            which = _which(release, batch, row.qid)
            question = batch.scheme.question(row.question)
            yield which, row, chosen[row.qid][row.question], question


def _entropy_of(counts: Iterable[int]) -> float | None:
    of = [n for n in counts if n]
    return entropy(n / sum(of) for n in of) if of else None


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
    measured = (
        Column("run", TEXT, "Run: the ranked lists of one retrieval model."),
        Column("measure", TEXT, "Measure of bias."),
        Column("magnitude", TEXT, "What stands for a group's words in a document."),
        Column("cutoff", WHOLE, "Ranks that are looked at."),
        Column("value", REAL, "Mean over the queries of the subset."),
        Column("n_queries", WHOLE, "Queries of the mean."),
        Column("n_queries_missing", WHOLE, "Queries that the run does not have."),
        Column("n_docs_missing", WHOLE, "Documents that the collection does not have."),
    )
    rows = (
        (batch.name, *(row[column.name] for column in measured))
        for batch in release.batches
        for row in batch.measures
    )
    subsets = "; ".join(f"{batch.name}: {batch.scheme.subset.words}" for batch in release.batches)
    about = f"Bias of retrieval models over a subset of the queries. {subsets}."
    return Table("measures", about, (Column("batch", TEXT, "Batch."), *measured), tuple(rows))
