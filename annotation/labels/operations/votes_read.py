"""Votes of files as answers to a question: of a scheme, or in words of their own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.labels.operations.import_report import known_models
from annotation.labels.operations.own_words import USUAL_QUESTION, known_words, own_question
from annotation.schemes import About, Question, Scheme, built_in_scheme
from annotation.schemes.released import options_of
from annotation.vocabulary import CATEGORY_QUESTION, LONGEST_ID
from metrics.errors import InputError
from metrics.remedies import Remedy
from metrics.votes.files.answers import (
    Answer,
    GivenLabel,
    UnclearAnswerError,
    Votes,
    say_yes_or_no,
)
from metrics.votes.files.graded_pairs import are_qrels
from metrics.votes.files.people import NOTHING_CHOSEN, Choice
from metrics.votes.files.reader import (
    FileAnswers,
    VoteTables,
    read_answers,
    read_tables,
    votes_of,
)


@dataclass(frozen=True, kw_only=True)
class VoteReading:
    """A way to read files of votes: see `read_votes` for the names.

    `own` is a question in words, whose options are the answers of the files. `is_more` where the
    scheme's batch has such answers already: words are the options that they were there.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, str] = field(default_factory=dict)
    layout: str = ""
    choice: Choice = NOTHING_CHOSEN
    own: str = ""
    is_more: bool = False


def votes_in(
    paths: Sequence[str | Path], scheme: Scheme | None, reading: VoteReading
) -> tuple[Votes, Scheme | None]:
    """The votes of files, and the scheme that they answer: `scheme`, or that of their own words.

    `InputError` with file and line for what is none, or cannot be stored.
    """
    _, answers = answers_in(paths, reading)
    words: Mapping[str, str] = reading.labels
    if reading.own:
        if scheme is not None:
            raise InputError("a scheme and a question of its own are two questions.")
        scheme, words = own_question(reading.own, [*answers.answers, *answers.models], words)
    question = asked_question(scheme)
    if reading.is_more:
        words = known_words(question, answers.answers) | dict(words)
    try:
        read = votes_of(
            answers,
            options=options_of(question),
            labels=words_of(scheme) | dict(words),
        )
    except UnclearAnswerError as error:
        if scheme is not None:
            raise
        raise _or_own_question(error, answers.answers) from error
    if read.models and not question.is_nominal:
        read.models = []
        left_out = f"Labels of models are left out: “{question.title}” has options in an order."
        read.notes = [*read.notes, left_out]
    votes = [*read.votes, *read.cannot_tell]
    _check_lengths(votes)
    _check_names(Path(paths[0]), known_models(read))
    _check_about(votes, scheme)
    return read, scheme


def _or_own_question(error: InputError, answers: Sequence[Answer]) -> InputError:
    """The error with one remedy more: the answers are the options of a question of their own."""
    own = Remedy("if they answer a question of their own", {"question": USUAL_QUESTION})
    # Yes and no are seldom words for a category.
    ways = [own, *error.remedies] if say_yes_or_no(answers) else [*error.remedies, own]
    return error.with_advice(error.remedy, ways)


def answers_in(paths: Sequence[str | Path], reading: VoteReading) -> tuple[VoteTables, FileAnswers]:
    """The tables of files, and the answers in them, as the files have them."""
    try:
        choice = reading.choice._replace(words=frozenset(reading.labels))
        tables = read_tables(paths, reading.layout, choice, reading.columns)
        return tables, read_answers(tables, columns=reading.columns, gold=reading.gold)
    except InputError as error:
        if error.path is None or not are_qrels(error.path):
            raise
        qrels = "Relevance judgments (qrels) go into a batch of pairs: label import-qrels."
        remedy = f"{error.remedy} {qrels}".strip()
        raise error.with_advice(remedy, error.remedies) from error


def asked_question(scheme: Scheme | None) -> Question:
    """The only question of the scheme, that for the categories without one; else `InputError`."""
    scheme = scheme or built_in_scheme(CATEGORY_QUESTION)
    if not asks_one_question(scheme):
        raise InputError(
            f"the scheme {scheme.name!r} asks more than one question with one answer.",
            remedy="Files of votes have one answer a line: give a scheme with that question alone.",
        )
    return scheme.questions[0]


def asks_one_question(scheme: Scheme) -> bool:
    """Return whether files of votes can answer the scheme: one question, one answer to it."""
    return len(scheme.questions) == 1 and scheme.questions[0].kind.takes_one


def words_of(scheme: Scheme | None) -> dict[str, str]:
    """The code of each label of a scheme's options, as it is written and in small letters."""
    options = scheme.questions[0].options if scheme else ()
    words = [
        (word, option.code) for option in options for word in (option.label, option.label.lower())
    ]
    codes = {option.code for option in options}
    return {word: code for word, code in words if word and word not in codes}


def _check_lengths(votes: Iterable[Answer]) -> None:
    for vote in votes:
        if len(vote.qid) > LONGEST_ID or len(vote.worker) > LONGEST_ID:
            raise vote.error(f"an id is longer than {LONGEST_ID} characters.")


def _check_about(votes: Iterable[Answer], scheme: Scheme | None) -> None:
    """`InputError` for votes on pairs where the scheme is about queries, and the reverse."""
    about = scheme.about if scheme else About.QUERY
    for vote in votes:
        if vote.docno and about == About.QUERY:
            raise vote.error(
                f"the vote is on the passage {vote.docno!r}, and the scheme asks about queries.",
                "Name a scheme about passages, as --scheme relevance.",
            )
        if not vote.docno and about == About.PASSAGE:
            raise vote.error(
                "the vote names no passage, and the scheme asks about passages.",
                "Votes on pairs have the columns docno and passage.",
            )


def _check_names(path: Path, labels: Iterable[GivenLabel]) -> None:
    for label in labels:
        if len(label.model) > LONGEST_ID:
            raise InputError(
                f"the name of the model {label.model[:20]!r}... has over {LONGEST_ID} characters.",
                path=path,
                line=label.place,
                remedy="Give it a shorter name.",
            )
