"""Conversion of a file's answers to votes: categories mapped, the rest set aside with a reason."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from ...errors import InputError
from ...io.pair_ids import pair_id
from ...remedies import Remedy
from .meanings import suggested_category
from .options import Options

#: Reasons, the codes of `annotation.vocabulary.NoVoteReason`.
BLANK, SEVERAL, LEFT_OUT = "blank", "several", "left out"
REJECTED, SUPERSEDED, REPEATED = "rejected", "superseded", "repeated"

#: Between the values of a checkbox group in Mechanical Turk's results.
_SEPARATOR = "|"
_DECIMAL = re.compile(r"-?\d+\.0")
_WHOLE = re.compile(r"-?\d+")
#: Words of programs for a missing answer; some people use them for a category.
_MISSING = frozenset(
    ("none", "nan", "null", "na", "n/a", "#n/a", "<na>", "nil", "nat", "missing", "-", "--", ".")
)
#: Answers that mean nothing without their question.
_YES_OR_NO = frozenset(("", *"10yn", "1.0", "0.0", "yes", "no", "true", "false", "on", "off"))
_SHOWN, _LONGEST_LABEL, _MOST_MAPPED = 60, 200, 20


@dataclass(frozen=True, slots=True)
class Answer:
    """One worker's answer about one query, as a file gives it.

    `gold` is the known answer of a gold question, "" for a query of the study. `text` is the
    query's text, or "" where the file has none. `seconds` is the worker's time for the query, and
    `answered_at` when it was given. `record` counts the records of a file that may have several on
    a line. `score` is a model's score of its own answer. `docno` and `passage` are id and text of
    the passage of a pair. `written` is the query's id as it stands in the file where that is not
    `qid`, and `hit` the HIT that asked, where the file says so.
    """

    path: str
    line: int
    qid: str
    worker: str
    answer: str
    text: str = ""
    gold: str = ""
    seconds: float | None = None
    answered_at: datetime | None = None
    record: int = 0
    score: str = ""
    docno: str = ""
    passage: str = ""
    written: str = ""
    hit: str = ""

    def error(
        self,
        message: str,
        remedy: str = "",
        *,
        remedies: Iterable[Remedy] = (),
        kind: type[InputError] = InputError,
    ) -> InputError:
        """The error that names the place of this answer."""
        error = error_at(self.path, self.line, self.record, message, kind)
        return error.with_advice(remedy, remedies)


def error_at(
    path: str, line: int, record: int, message: str, kind: type[InputError] = InputError
) -> InputError:
    """An error of one place; a `record` other than 0 is named beside the line."""
    if record:
        message = f"record {record}: {message}"
    return kind(message, path=path, line=line)


class UnclearAnswerError(InputError):
    """An answer that is not a category, in a word that may mean any."""


class GivenLabel(NamedTuple):
    """A model's label of a query: a category or None, and its probability where one is given.

    `place` is the line, from 1.
    """

    model: str
    qid: str
    category: str | None
    belief: float | None
    place: int


@dataclass(frozen=True, slots=True)
class NoVote:
    """An answer that does not count, and why."""

    answer: Answer
    reason: str


@dataclass
class Votes:
    """Answers of a file: `votes` count (their `answer` is a category now), `set_aside` do not.

    Of several votes of a worker on a query the first counts; `repeated` holds the later ones,
    mapped as well. `cannot_tell` are paid answers without a category. `models` are labels of
    programs, which are not votes. `notes` say how the file was read.
    """

    votes: list[Answer] = field(default_factory=list)
    cannot_tell: list[Answer] = field(default_factory=list)
    repeated: list[Answer] = field(default_factory=list)
    set_aside: list[NoVote] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    models: list[GivenLabel] = field(default_factory=list)


def mapped(answers: Iterable[Answer], *, labels: Mapping[str, str], options: Options) -> Votes:
    """Answers as votes. `labels` maps what the file says to a category, or to "" to leave it out.

    Raises `InputError` with file and line for an answer that is neither mapped nor a category.
    """
    answers = list(answers)
    category_of = category_lookup(labels, options, answers)
    votes = Votes()
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        category = category_of(answer)
        if category in (BLANK, SEVERAL, LEFT_OUT):
            votes.set_aside.append(NoVote(answer, category))
            continue
        gold = category_of(replace(answer, answer=answer.gold)) if answer.gold else ""
        vote = replace(answer, answer=category, gold=gold)
        first = (answer.qid, answer.worker) not in seen
        seen.add((answer.qid, answer.worker))
        if category != options.cannot_tell:
            (votes.votes if first else votes.repeated).append(vote)
        elif first:
            votes.cannot_tell.append(vote)
        else:
            votes.set_aside.append(NoVote(answer, REPEATED))
    return votes


def category_lookup(
    labels: Mapping[str, str], options: Options, answers: Sequence[Answer]
) -> Callable[[Answer], str]:
    """A function from an answer to its category, or to the reason why it has none.

    A whole number equals the same with decimals: a data frame writes 1 as 1.0. The error of an
    answer without a category suggests a mapping for `answers`.
    """
    categories = options.answers
    if unknown := sorted({to for to in labels.values() if to and to not in categories}):
        raise InputError(
            f"{unknown[0]!r} is not a category.",
            remedy=f"Map labels to {', '.join(categories)}, or to nothing to leave them out.",
        )
    whole = {name.removesuffix(".0"): to for name, to in labels.items() if _DECIMAL.fullmatch(name)}
    known = whole | dict(labels)

    def category_of(vote: Answer) -> str:
        answer = vote.answer.strip()
        if answer not in known and _DECIMAL.fullmatch(answer):
            answer = answer.removesuffix(".0")
        if answer in known:
            return known[answer] or LEFT_OUT
        if answer in categories:
            return answer
        if not answer:
            return BLANK
        if says_several(answer):
            return SEVERAL
        message = f"the answer {answer[:_SHOWN]!r} is not a category."
        if len(answer) > _LONGEST_LABEL or answer.startswith(("{", "[")):
            raise vote.error(
                message, "The label is the column with the answers to one question with choices."
            )
        remedies = _what_to_map(answer, answers, known, categories)
        kind = UnclearAnswerError if len(remedies) > 1 else InputError
        raise vote.error(message, remedies=remedies, kind=kind)

    return category_of


def _what_to_map(
    answer: str, answers: Sequence[Answer], known: Mapping[str, str], categories: Sequence[str]
) -> list[Remedy]:
    """Return what maps an answer, and others that mean a category."""

    def mapping(words: str, labels: Mapping[str, str]) -> Remedy:
        return Remedy(words, {"labels": labels})

    if is_missing(answer):
        return [mapping("to leave it out, if nobody chose it", {answer: ""})]
    words = dict.fromkeys([answer, *(other.answer.strip() for other in answers)])
    meant = {
        word: code
        for word in words
        if word not in known
        and word not in categories
        and (code := suggested_category(word)) in categories
    }
    if answer in meant:
        labels = dict(islice(meant.items(), _MOST_MAPPED))
        return [mapping("to say what the answers mean", labels)]
    return [
        *(mapping("to say what it means", {answer: code}) for code in categories),
        mapping("to leave it out", {answer: ""}),
    ]


def say_yes_or_no(answers: Iterable[Answer]) -> bool:
    """Return whether the answers mean nothing without their question."""
    words = {answer.answer.strip() for answer in answers}
    return {word.casefold() for word in words if not is_missing(word)} <= _YES_OR_NO


def is_missing(word: str) -> bool:
    """Return whether programs write the word for a missing answer."""
    return word.casefold() in _MISSING


def says_several(word: str) -> bool:
    """Return whether an answer is several, as those of a group of boxes."""
    return _SEPARATOR in word


def whole_numbers(ids: Sequence[str]) -> Callable[[str], str]:
    """Return the function that writes ids: "261.0" as "261" if every id is a whole number.

    Spreadsheets and data frames write a column of whole numbers with gaps as decimals.
    """
    decimals = any(_DECIMAL.fullmatch(text) for text in ids)
    if decimals and all(_DECIMAL.fullmatch(text) or _WHOLE.fullmatch(text) for text in ids):
        return lambda text: text.removesuffix(".0")
    return str


def with_whole_ids(answers: list[Answer]) -> tuple[list[Answer], list[str]]:
    """The answers with query and worker ids as whole numbers, and a note where that changed any."""
    qid = whole_numbers([answer.qid for answer in answers])
    worker = whole_numbers([answer.worker for answer in answers])
    whole = [
        replace(
            answer,
            qid=qid(answer.qid),
            worker=worker(answer.worker),
            written=answer.qid if qid(answer.qid) != answer.qid else "",
        )
        for answer in answers
    ]
    changed = sum(new != old for new, old in zip(whole, answers, strict=True))
    if not changed:
        return answers, []
    return whole, [f"{changed} answers have ids like 261.0, which were read as whole numbers."]


def with_pair_ids(answers: Iterable[Answer]) -> list[Answer]:
    """The answers with the ids of pairs; `InputError` for one that names half of a passage."""
    paired = []
    for answer in answers:
        if bool(answer.docno) != bool(answer.passage):
            lacking = "text" if answer.docno else "id"
            raise answer.error(
                f"the passage of the query {answer.qid!r} has no {lacking}.",
                "Votes on pairs have both, in the columns docno and passage.",
            )
        paired.append(
            replace(answer, qid=pair_id(answer.qid, answer.docno)) if answer.docno else answer
        )
    return paired
