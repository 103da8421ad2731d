"""Parts that all formats of schemes share: names and codes that fit ours, and a first subset."""

import re
from collections.abc import Sequence

from annotation.schemes.codes import (
    LONGEST_NAME,
    LONGEST_SCHEME,
    RESERVED,
    distinct,
    is_code,
    option_codes,
)
from annotation.schemes.kinds.scale import SCALE
from annotation.schemes.scheme import About, Option, Question, Scheme
from annotation.schemes.subsets import usual_subset
from annotation.schemes.validation import SchemeError, check_scheme
from metrics.io.lines import one_line


def check_length(text: str) -> None:
    if len(text) > LONGEST_SCHEME:
        raise SchemeError(
            "",
            f"the scheme has {len(text):,} characters.",
            remedy=f"Keep it under {LONGEST_SCHEME:,}.",
        )


def name_of(text: str) -> str:
    """A name of a question or scheme made of `text`, as of `Gender Q` gender_q."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return (name if name[:1].isalpha() else f"q_{name}")[:LONGEST_NAME].rstrip("_")


def names_of(texts: Sequence[str]) -> list[str]:
    """A name of each question of a file, made of what the file calls it; no two are the same."""
    return distinct([""] * len(texts), [name_of(text) for text in texts])


def codes_of(texts: Sequence[str]) -> list[str]:
    """A code of each option of a file: the text itself where it is one, else made of it."""
    lines = [one_line(text) for text in texts]
    typed = [line if is_code(line) and line not in RESERVED else "" for line in lines]
    return option_codes(typed, lines)


def points(number: str, place: str, ends: tuple[str, str] = ("", "")) -> tuple[Option, ...]:
    """The points from 1 to a number in a file, whose ends may have labels."""
    if number not in map(str, range(SCALE.fewest, SCALE.most + 1)):
        raise SchemeError(
            place,
            f"{number[:LONGEST_NAME]!r} points are not a scale.",
            remedy=f"Give {SCALE.fewest} to {SCALE.most}.",
        )
    n = int(number)
    labels = {1: ends[0], n: ends[1]}
    numbers = range(1, n + 1)
    return tuple(
        Option(code=str(point), label=labels.get(point) or str(point)) for point in numbers
    )


def n_points(question: Question, program: str) -> int:
    """Return the number of points of a scale that begins at 1; `SchemeError` for another."""
    n = len(question.options)
    if question.codes != tuple(str(point) for point in range(1, n + 1)):
        raise SchemeError(
            question.name,
            f"its points are {question.codes[0]} to {question.codes[-1]}, and {program}'s begin "
            "at 1.",
            remedy="Number the points from 1.",
        )
    return n


def scheme_of(questions: Sequence[Question], name: str, title: str) -> Scheme:
    """A checked scheme with the usual subset, as other programs know none."""
    subset = usual_subset(questions, About.QUERY)
    if subset is None:
        raise SchemeError(
            "questions", "none has options to choose from.", remedy="Ask one closed question."
        )
    scheme = Scheme(name=name, title=title, questions=tuple(questions), subset=subset)
    check_scheme(scheme)
    return scheme
