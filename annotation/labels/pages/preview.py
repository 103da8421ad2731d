"""Preview of an import, before anything is stored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.labels.pages.matching import Matching, field_of
from annotation.schemes import CANNOT_TELL_WORDS, Scheme
from annotation.studies.staged_files import StagedFiles
from annotation.vocabulary import Category, NoVoteReason
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.runs.queries import Queries, read_queries
from metrics.votes.coefficients import krippendorff_alpha
from metrics.votes.files.graded_pairs import are_qrels, qrels_given
from metrics.votes.files.people import NOTHING_CHOSEN, Choice
from metrics.votes.files.reader import VoteTables, read_answers, read_tables, votes_of
from metrics.votes.files.readings import ManyReadingsError
from metrics.votes.table import Votes

_FIRST = 5


@dataclass
class Preview:
    """The staged files and their content: `counts` with their names, `first` lines as cells.

    `matching` is None for labels, which need none. `problem` says why the files cannot be imported
    as matched.
    """

    staged: StagedFiles
    counts: list[tuple[str, int]] = field(default_factory=list)
    first: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    matching: Matching | None = None
    problem: InputError | None = None
    readings: list["ShownReading"] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return self.problem is None and (self.matching is None or self.matching.is_complete)


@dataclass(frozen=True)
class ShownReading:
    """A way to read the files: who voted how often, and how far they agree in words as given."""

    words: str
    people: Sequence[str]
    n_votes: int
    alpha: float | None


def read_labels(staged: StagedFiles) -> Queries:
    """Read the one file of labels; `InputError` for another file, or for several."""
    if len(staged.paths) > 1:
        raise InputError(
            "labels have to be in one file.", remedy="Import each file as its own batch."
        )
    if are_qrels(staged.paths[0]):
        raise qrels_given(staged.paths[0])
    read = read_queries(staged.paths[0], "all")
    if read.layout != "labels":
        raise InputError(
            "holds no labels.",
            path=staged.paths[0],
            remedy="Write one query per line: qid,query,label. If it holds votes, choose that.",
        )
    return read


def preview_labels(staged: StagedFiles) -> Preview:
    """Count the queries by label, and show the first of them."""
    read = read_labels(staged)
    counted = Counter(read.labels.values())
    return Preview(
        staged,
        counts=[
            ("Queries", len(read)),
            *((label, counted[code]) for code, label in Category.choices),
        ],
        first=[
            (qid, text, Category(read.labels[qid]).label)
            for qid, text in list(read.texts.items())[:_FIRST]
        ],
    )


def preview_votes(staged: StagedFiles, values: Mapping[str, Any], scheme: Scheme) -> Preview:
    """Preview the votes with the columns as matched; `InputError` for a file that is not a table.

    The answers are those to the only question of `scheme`, or to that for the categories.
    """
    files, choice = _tables(staged, values)
    matching = Matching(values, files, scheme, choice)
    preview = Preview(staged, matching=matching, problem=matching.problem)
    preview.notes = files.said[1:]
    if matching.answers is None:
        if isinstance(matching.problem, ManyReadingsError):
            preview.readings = [_shown(staged, reading) for reading in matching.problem.remedies]
        return preview
    preview.notes = matching.answers.notes
    preview.first = [
        (answer.qid, answer.text, answer.worker, answer.answer)
        for answer in matching.answers.answers[:_FIRST]
    ]
    preview.counts = [("Answers", len(matching.answers.answers))]
    if matching.is_complete:
        try:
            _count(preview, matching)
        except InputError as error:
            preview.problem = error
    return preview


def _tables(staged: StagedFiles, values: Mapping[str, Any]) -> tuple[VoteTables, Choice]:
    """Read the tables and people as chosen; choices for other files do not apply."""
    layout = str(values.get("layout", ""))
    chosen = {"query_id": str(values.get("column-query_id", ""))}
    files = read_tables(staged.paths, columns=chosen)
    if (reading := _pressed(files, values)) is not None:
        return _as_chosen(staged, reading)
    if layout != files.format.name and layout in {format_.name for format_ in files.possible}:
        files = read_tables(staged.paths, layout, columns=chosen)
    table = files.tables[0]
    known = {*table.people, *table.others}
    if not known or not all(values.get(field_of("shown", name)) for name in known):
        return files, NOTHING_CHOSEN
    # In the order of the columns.
    columns = [*table.people, *table.others]
    people = tuple(name for name in columns if values.get(field_of("person", name)))
    choice = Choice(people, tuple(name for name in columns if name not in people))
    return read_tables(staged.paths, files.format.name, choice, chosen), choice


def _as_chosen(staged: StagedFiles, reading: Remedy) -> tuple[VoteTables, Choice]:
    of: dict[str, Any] = dict(reading.arguments)
    choice = Choice(of.get("people", ()), of.get("ignore", ()))
    return read_tables(staged.paths, of.get("layout", ""), choice), choice


def _pressed(files: VoteTables, values: Mapping[str, Any]) -> Remedy | None:
    """The reading whose button was pressed, if the files have it."""
    problem, number = files.tables[0].problem, str(values.get("reading", ""))
    readings = problem.remedies if isinstance(problem, ManyReadingsError) else ()
    return next((reading for at, reading in enumerate(readings) if str(at) == number), None)


def _shown(staged: StagedFiles, reading: Remedy) -> ShownReading:
    words = reading.words.removeprefix("for ")
    try:
        files, _ = _as_chosen(staged, reading)
        votes = [
            (answer.qid, answer.worker, answer.answer.strip().casefold())
            for answer in read_answers(files, columns={}, gold={}).answers
            if answer.answer.strip()
        ]
        counts = Votes.of(*zip(*votes, strict=True)).counts() if votes else None
    except InputError:  # this reading asks for more
        return ShownReading(words, (), 0, None)
    alpha = None
    if counts is not None:
        alpha = krippendorff_alpha.value_of(counts)
    people = list(dict.fromkeys(worker for _, worker, _ in votes))
    return ShownReading(words, people, len(votes), alpha)


def _count(preview: Preview, matching: Matching) -> None:
    assert matching.answers is not None  # noqa: S101 - told by `is_complete`
    votes = votes_of(matching.answers, options=matching.options, labels=matching.labels)
    gold = sum(bool(vote.gold) for vote in votes.votes)
    apart = Counter(no_vote.reason for no_vote in votes.set_aside)
    apart[NoVoteReason.REPEATED] += len(votes.repeated)
    preview.notes = votes.notes
    preview.counts = [
        ("Queries", len({vote.qid for vote in votes.votes if not vote.gold})),
        ("Workers", len({vote.worker for vote in votes.votes})),
        ("Votes", len(votes.votes) - gold),
        ("Votes on gold questions", gold),
        (CANNOT_TELL_WORDS, len(votes.cannot_tell)),
        *([("Labels of models (no votes)", len(votes.models))] if votes.models else []),
        *((f"No vote: {NoVoteReason(reason).label.lower()}", n) for reason, n in apart.items()),
    ]
