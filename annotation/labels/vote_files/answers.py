"""From the answers of a file to votes: categories mapped, the rest set aside with its reason."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.task_page import CANNOT_TELL
from metrics.errors import InputError

#: Reasons, the codes of `annotation.vocabulary.NoVoteReason`.
BLANK, SEVERAL, LEFT_OUT = "blank", "several", "left out"
REJECTED, SUPERSEDED, REPEATED = "rejected", "superseded", "repeated"

#: Between the values of a checkbox group in Mechanical Turk's results.
_SEPARATOR = "|"
_DECIMAL = re.compile(r"-?\d+\.0")
_WHOLE = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class Answer:
    """One worker's answer about one query, as a file gives it.

    `gold` is the answer expected of a check question, "" for a query of the study. `text` is the
    query's text, or "" where the file has none. `seconds` is the worker's time for the query.
    """

    path: str
    line: int
    qid: str
    worker: str
    answer: str
    text: str = ""
    gold: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class NoVote:
    """An answer that does not count, and why."""

    answer: Answer
    reason: str


@dataclass
class Votes:
    """What a file holds: `votes` count (their `answer` is a category now), `set_aside` do not.

    Of several votes of a worker on a query the first counts; `repeated` holds the later ones,
    mapped as well. `cannot_tell` are paid answers without a category. `notes` say what was
    understood, in words.
    """

    votes: list[Answer] = field(default_factory=list)
    cannot_tell: list[Answer] = field(default_factory=list)
    repeated: list[Answer] = field(default_factory=list)
    set_aside: list[NoVote] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def mapped(
    answers: Iterable[Answer], *, labels: Mapping[str, str], categories: Sequence[str]
) -> Votes:
    """Answers as votes. `labels` maps what the file says to a category, or to "" to leave it out.

    Raises `InputError` with file and line for an answer that is neither mapped nor a category.
    """
    category_of = _category_lookup(labels, [*categories, CANNOT_TELL])
    found = Votes()
    seen: set[tuple[str, str]] = set()
    for one in answers:
        category = category_of(one)
        if category in (BLANK, SEVERAL, LEFT_OUT):
            found.set_aside.append(NoVote(one, category))
            continue
        gold = category_of(replace(one, answer=one.gold)) if one.gold else ""
        vote = replace(one, answer=category, gold=gold)
        first = (one.qid, one.worker) not in seen
        seen.add((one.qid, one.worker))
        if category != CANNOT_TELL:
            (found.votes if first else found.repeated).append(vote)
        elif first:
            found.cannot_tell.append(vote)
        else:
            found.set_aside.append(NoVote(one, REPEATED))
    return found


def _category_lookup(
    labels: Mapping[str, str], categories: Sequence[str]
) -> Callable[[Answer], str]:
    """A function from an answer to its category, or to the reason why it has none."""
    if unknown := sorted({to for to in labels.values() if to and to not in categories}):
        raise InputError(
            f"{unknown[0]!r} is no category.",
            remedy=f"Map labels to {', '.join(categories)}, or to nothing to leave them out.",
        )

    def category_of(one: Answer) -> str:
        answer = one.answer.strip()
        if answer in labels:
            return labels[answer] or LEFT_OUT
        if answer in categories:
            return answer
        if not answer:
            return BLANK
        if _SEPARATOR in answer:
            return SEVERAL
        raise InputError(
            f"the answer {answer[:60]!r} is no category.",
            path=one.path,
            line=one.line,
            remedy=f"Map it, for example --labels '{answer[:20]}={categories[0]}', "
            f"or leave it out: --labels '{answer[:20]}='.",
        )

    return category_of


def whole_numbers(ids: Sequence[str]) -> Callable[[str], str]:
    """How to write the ids of a column: "261.0" is "261" when every id is a whole number.

    A spreadsheet or data frame writes a column of whole numbers with a hole as decimals.
    """
    decimals = any(_DECIMAL.fullmatch(one) for one in ids)
    if decimals and all(_DECIMAL.fullmatch(one) or _WHOLE.fullmatch(one) for one in ids):
        return lambda one: one.removesuffix(".0")
    return str


def with_whole_ids(answers: list[Answer]) -> tuple[list[Answer], list[str]]:
    """The answers with query and worker ids as whole numbers, and a note where that changed any."""
    qid = whole_numbers([one.qid for one in answers])
    worker = whole_numbers([one.worker for one in answers])
    written = [replace(one, qid=qid(one.qid), worker=worker(one.worker)) for one in answers]
    changed = sum(new != old for new, old in zip(written, answers, strict=True))
    if not changed:
        return answers, []
    return written, [f"{changed} answers have ids like 261.0, which were read as whole numbers."]
