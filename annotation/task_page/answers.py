"""Answers of the page of a HIT, read place by place.

Place *i* of a HIT (from 0) is the radio group `q-i`; its value is a category code, or `u` for
"I cannot tell". `c-i` is the optional comment on such an answer, `comment` the one on the whole
task, `consent` the agreement where the batch asks for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation import schemes
from metrics.vocabulary import CATEGORIES

#: Version of the fields. A page with no other field than its answers could be sent empty, which
#: Amazon refuses with an error that the annotator sees; so this one is always there.
VERSION = "2"
#: Fields that belong to the frame, not to the answer.
FRAME_FIELDS = frozenset({"assignmentId", "hitId", "workerId", "turkSubmitTo"})
#: The answer "I cannot tell" on the page of the categories and in files of their votes: it fills an
#: assignment and is paid, and is no vote for a category. It is stored as for every scheme.
CANNOT_TELL = "u"
#: Characters of a comment; the rest is cut off.
LONGEST_COMMENT = 2_000


class AnswerError(Exception):
    """An answer that cannot be read as one choice for every query of its HIT."""


@dataclass(frozen=True)
class Answer:
    """A worker's answer: choice and comment of each place, and a comment on the whole task."""

    choices: list[str]
    comments: list[str]
    comment: str = ""


def read_answer(
    fields: Iterable[tuple[str, str]], n_places: int, *, needs_consent: bool = False
) -> Answer:
    """The answer in the (name, value) pairs of a submitted page, place by place.

    Nothing is guessed: a field that the page does not have, one that comes twice, a place without
    a choice, a value that is no choice and a missing consent raise `AnswerError`.
    """
    values: dict[str, str] = {}
    for name, value in fields:
        if name in FRAME_FIELDS:
            continue
        if name in values:
            raise AnswerError(f"the field {name!r} comes more than once")
        values[name] = value
    version = values.pop("v", None)
    if version != VERSION:
        raise AnswerError(f"the page's version is {version!r} instead of {VERSION!r}")
    answer = Answer(
        choices=[_choice(f"q-{n}", values.pop(f"q-{n}", "")) for n in range(n_places)],
        comments=[values.pop(f"c-{n}", "")[:LONGEST_COMMENT].strip() for n in range(n_places)],
        comment=values.pop("comment", "")[:LONGEST_COMMENT].strip(),
    )
    consent = values.pop("consent", "")
    if needs_consent and consent != "yes":
        raise AnswerError("the worker did not agree to the consent text")
    if values:
        raise AnswerError(f"the page has no field {min(values)!r}")
    return answer


def released_code(option: str) -> str:
    """Return the code of a stored option of the categories as the page and files have it."""
    return CANNOT_TELL if option == schemes.CANNOT_TELL else option


def stored_option(code: str) -> str:
    """Return the option as it is stored for a code of the page or of a file of votes."""
    return schemes.CANNOT_TELL if code == CANNOT_TELL else code


def _choice(name: str, value: str) -> str:
    if not value:
        raise AnswerError(f"{name} has no answer")
    if value not in {*CATEGORIES, CANNOT_TELL}:
        raise AnswerError(f"{name} has the answer {value!r}, which is no category")
    return value
