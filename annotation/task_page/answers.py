"""Answers of the page of a HIT, read place by place and question by question.

Place *i* of a HIT (from 0) has the field `q-i-NAME` for each question with one answer and
`q-i-NAME.n` for the n-th option of one with several; `s-i` leaves the whole query out, where the
page offers it, and `c-i-NAME` is a comment on the answer "I cannot tell". `comment` is the one on
the whole task, `consent` the agreement where the batch asks for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotation import schemes
from annotation.schemes import Question, Scheme
from metrics.io.lines import one_line

#: Version of the fields. A page with no other field than its answers could be sent empty, which
#: Amazon refuses with an error that the annotator sees; so this one is always there.
VERSION = "2"
#: Fields that belong to the frame, not to the answer.
FRAME_FIELDS = frozenset({"assignmentId", "hitId", "workerId", "turkSubmitTo"})
#: Characters of a comment; the rest is cut off.
LONGEST_COMMENT = 2_000

#: The codes and the texts by question.
Place = tuple[dict[str, frozenset[str]], dict[str, str]]


class AnswerError(Exception):
    """An answer that cannot be read as one of everything that is asked at every place."""


@dataclass(frozen=True)
class Answer:
    """For each place the codes by question (none for a query left out), and the free texts.

    The text of a question with options is the comment on its answer.
    """

    codes: list[Mapping[str, frozenset[str]]]
    texts: list[Mapping[str, str]]
    comment: str = ""


def field_of(place: int | str, question: Question) -> str:
    return f"q-{place}-{question.name}"


def option_field_of(place: int | str, question: Question, n: int) -> str:
    return f"{field_of(place, question)}.{n}"


def comment_of(place: int | str, question: Question) -> str:
    return f"c-{place}-{question.name}"


def skip_of(place: int | str) -> str:
    return f"s-{place}"


def scheme_fields(
    scheme: Scheme, place: int, codes: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    """The fields, name and value, that say `codes` by question at a place of the page."""
    for question in scheme.questions:
        known = (*question.codes, schemes.CANNOT_TELL)
        for code in sorted(codes.get(question.name, ())):
            if question.kind.takes_several:
                yield option_field_of(place, question, known.index(code)), code
            else:
                yield field_of(place, question), code


def read_answer(
    scheme: Scheme,
    fields: Iterable[tuple[str, str]],
    n_places: int,
    *,
    needs_consent: bool = False,
    meanings: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """The answer in the (name, value) pairs of a submitted page, place by place.

    Nothing is guessed: a field that the page does not have, one that comes twice, a required
    question without an answer, an unknown option and a missing consent raise `AnswerError`. Answers
    to a question whose condition does not hold are left out: a page without JavaScript shows every
    question. `meanings` says the code of a choice on one line that is not an option, where a person
    knows it.
    """
    values: dict[str, str] = {}
    for name, value in fields:
        if name in FRAME_FIELDS:
            continue
        if name in values:
            raise AnswerError(f"the field {name!r} comes more than once")
        values[name] = value
    if (version := values.pop("v", None)) != VERSION:
        raise AnswerError(f"the page's version is {version!r} instead of {VERSION!r}")
    comment = _text(values, "comment")
    if values.pop("consent", "") != "yes" and needs_consent:
        raise AnswerError("the worker did not agree to the consent text")
    places = [_place(scheme, place, values, meanings) for place in range(n_places)]
    if values:
        raise AnswerError(f"the page has no field {min(values)!r}")
    return Answer([codes for codes, _ in places], [texts for _, texts in places], comment)


def _text(values: dict[str, str], name: str) -> str:
    return values.pop(name, "")[:LONGEST_COMMENT].strip()


def _place(
    scheme: Scheme, place: int, values: dict[str, str], meanings: Mapping[str, str]
) -> Place:
    is_skipped = bool(scheme.content_warning) and values.pop(skip_of(place), "") == "yes"
    codes: dict[str, frozenset[str]] = {}
    texts: dict[str, str] = {}
    for question in scheme.questions:
        if not question.kind.has_options:
            text = _text(values, field_of(place, question))
            if text and not is_skipped and scheme.is_shown(question, codes):
                texts[question.name] = text
            continue
        chosen = _chosen(question, place, values, meanings)
        why = _text(values, comment_of(place, question)) if question.cannot_tell else ""
        if is_skipped or not scheme.is_shown(question, codes):
            continue
        if chosen:
            codes[question.name] = chosen
            texts |= {question.name: why} if why else {}
        elif question.required:
            raise AnswerError(f"{field_of(place, question)} has no answer")
    return codes, texts


def _chosen(
    question: Question, place: int, values: dict[str, str], meanings: Mapping[str, str]
) -> frozenset[str]:
    """The codes at a place, as the page has them or on one line, as pages of 1.0 had them."""
    known = [*question.codes, *([schemes.CANNOT_TELL] if question.cannot_tell else [])]
    if not question.kind.takes_several:
        name = field_of(place, question)
        value = values.pop(name, "")
        code = value if value == schemes.CANNOT_TELL else question.code_in(value)
        code = code or meanings.get(one_line(value))
        if value and code not in known:
            raise AnswerError(f"{name} has the answer {value!r}, which is not an option")
        return frozenset({code} if code else ())
    chosen = set()
    for n, code in enumerate(known):
        name = option_field_of(place, question, n)
        value = values.pop(name, "")
        if value not in {"", code, one_line(code)} and meanings.get(one_line(value)) != code:
            raise AnswerError(f"{name} has the answer {value!r}, which is not its option")
        if value:
            chosen.add(code)
    if not question.may_be_together(chosen):
        alone = "one that excludes the others"
        alone = "“I cannot tell”" if schemes.CANNOT_TELL in chosen else alone
        raise AnswerError(f"{field_of(place, question)} has an answer beside {alone}")
    return frozenset(chosen)
