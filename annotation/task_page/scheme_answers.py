"""Answers of the page of a scheme, read place by place and question by question.

Place *i* (from 0) has the field `q-i-NAME` for each question with one answer and `q-i-NAME.n` for
the n-th option of one with several; `s-i` leaves the whole query out, where the page offers it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotation.schemes import CANNOT_TELL, Kind, Question, Scheme
from annotation.task_page.answers import FRAME_FIELDS, LONGEST_COMMENT, AnswerError

#: Version of the fields; those of the categories have others.
SCHEME_VERSION = "s1"


@dataclass(frozen=True)
class SchemeAnswer:
    """For each place the codes by question (none for a query left out), and the free texts."""

    codes: list[Mapping[str, frozenset[str]]]
    texts: list[Mapping[str, str]]
    comment: str = ""


def field_of(place: int, question: Question) -> str:
    return f"q-{place}-{question.name}"


def option_field_of(place: int, question: Question, n: int) -> str:
    return f"{field_of(place, question)}.{n}"


def skip_of(place: int) -> str:
    return f"s-{place}"


def scheme_fields(
    scheme: Scheme, place: int, codes: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    """The fields, name and value, that say `codes` by question at a place of the page."""
    for question in scheme.questions:
        known = (*question.codes, CANNOT_TELL)
        for code in sorted(codes.get(question.name, ())):
            if question.kind == Kind.MULTI:
                yield option_field_of(place, question, known.index(code)), code
            else:
                yield field_of(place, question), code


def read_scheme_answer(
    scheme: Scheme,
    fields: Iterable[tuple[str, str]],
    n_places: int,
    *,
    needs_consent: bool = False,
) -> SchemeAnswer:
    """The answer in the (name, value) pairs of a submitted page.

    A field that the page does not have, one that comes twice, a required question without an
    answer and an unknown option raise `AnswerError`. Answers to a question whose condition does
    not hold are left out: a page without JavaScript shows every question.
    """
    values: dict[str, str] = {}
    for name, value in fields:
        if name in FRAME_FIELDS:
            continue
        if name in values:
            raise AnswerError(f"the field {name!r} comes more than once")
        values[name] = value
    version = values.pop("v", None)
    if version != SCHEME_VERSION:
        raise AnswerError(f"the page's version is {version!r} instead of {SCHEME_VERSION!r}")
    comment = values.pop("comment", "")[:LONGEST_COMMENT].strip()
    if values.pop("consent", "") != "yes" and needs_consent:
        raise AnswerError("the worker did not agree to the consent text")
    places = [_place(scheme, place, values) for place in range(n_places)]
    if values:
        raise AnswerError(f"the page has no field {min(values)!r}")
    return SchemeAnswer([codes for codes, _ in places], [texts for _, texts in places], comment)


def _place(
    scheme: Scheme, place: int, values: dict[str, str]
) -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    is_skipped = bool(scheme.content_warning) and values.pop(skip_of(place), "") == "yes"
    codes: dict[str, frozenset[str]] = {}
    texts: dict[str, str] = {}
    for question in scheme.questions:
        if question.kind == Kind.TEXT:
            text = values.pop(field_of(place, question), "")[:LONGEST_COMMENT].strip()
            if text and not is_skipped and scheme.is_shown(question, codes):
                texts[question.name] = text
            continue
        chosen = _chosen(question, place, values)
        if is_skipped or not scheme.is_shown(question, codes):
            continue
        if chosen:
            codes[question.name] = chosen
        elif question.required:
            raise AnswerError(f"{field_of(place, question)} has no answer")
    return codes, texts


def _chosen(question: Question, place: int, values: dict[str, str]) -> frozenset[str]:
    known = [*question.codes, *([CANNOT_TELL] if question.cannot_tell else [])]
    if question.kind != Kind.MULTI:
        name = field_of(place, question)
        value = values.pop(name, "")
        if value and value not in known:
            raise AnswerError(f"{name} has the answer {value!r}, which is no option")
        return frozenset({value} if value else ())
    chosen = set()
    for n, code in enumerate(known):
        name = option_field_of(place, question, n)
        value = values.pop(name, "")
        if value not in {"", code}:
            raise AnswerError(f"{name} has the answer {value!r}, which is not its option")
        if value:
            chosen.add(value)
    if CANNOT_TELL in chosen and len(chosen) > 1:
        raise AnswerError(f"{field_of(place, question)} has an answer beside “I cannot tell”")
    return frozenset(chosen)
