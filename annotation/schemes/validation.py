"""Validation of schemes: the place of an error, what is wrong there, and what to do."""

import re
from collections.abc import Collection, Iterator, Sequence

from annotation.schemes.codes import CODE_WORDS, LONGEST_NAME, is_code
from annotation.schemes.scheme import CANNOT_TELL_KEY, Option, Question, Scheme
from annotation.schemes.subsets import LONGEST_WORDS
from metrics.errors import InputError
from metrics.vocabulary import TIE

MOST_QUESTIONS = 20
MOST_EXAMPLES = 5

_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{LONGEST_NAME - 1}}}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_MARKUP = re.compile(r"<\s*[a-zA-Z/!?]|&#|javascript:", re.IGNORECASE)
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
#: Characters of each text.
_SCHEME_TEXTS = {
    "title": 120,
    "instructions": 2_000,
    "content_warning": 500,
    "source": 500,
    "hit_title": 120,
    "hit_description": 2_000,
    "hit_keywords": 500,
}
_QUESTION_TEXTS = {"text": 200, "help": 500}
LONGEST_LABEL = 80
_OPTION_TEXTS = {
    "label": LONGEST_LABEL,
    "definition": 500,
    "counter_example": 200,
    "counter_reason": 300,
}
_EXAMPLE = 200
_NEEDED = frozenset({"title", "text", "label", "words"})


class SchemeError(InputError):
    """A scheme that cannot be used; `place` says where in it, as `questions[2].options[1].code`.

    `wrong` is the message without the place, for whoever shows it there.
    """

    def __init__(self, place: str, message: str, *, remedy: str) -> None:
        self.place, self.wrong = place, message
        super().__init__(f"{place}: {message}" if place else message, remedy=remedy)


def check_scheme(scheme: Scheme) -> None:
    """Raise `SchemeError` for the first thing that is wrong with `scheme`."""
    for problem in scheme_problems(scheme):
        raise problem


def scheme_problems(scheme: Scheme) -> Iterator[SchemeError]:
    """Everything that is wrong with `scheme`, in the order of its parts."""
    yield from _name_problems("name", scheme.name)
    yield from _text_problems("", scheme, _SCHEME_TEXTS)
    if not _LANGUAGE.fullmatch(scheme.language):
        yield SchemeError(
            "language",
            f"{scheme.language[:40]!r} is not a code of a language.",
            remedy="Write one such as en or de.",
        )
    if not 1 <= len(scheme.questions) <= MOST_QUESTIONS:
        yield SchemeError(
            "questions",
            f"there are {len(scheme.questions)} questions.",
            remedy=f"Ask 1 to {MOST_QUESTIONS}.",
        )
    yield from _repeats("questions", "name", [question.name for question in scheme.questions])
    for n, question in enumerate(scheme.questions):
        yield from _question_problems(f"questions[{n + 1}]", question)
    yield from _condition_problems(scheme)
    yield from _subset_problems(scheme)


def check_answer(question: Question, codes: Collection[str]) -> None:
    """Raise `InputError` unless `codes` can stand as the answer to the question.

    "I cannot tell" is not an answer here, since it leaves the question open.
    """
    if not question.kind.has_options:
        raise InputError(f"{question.name!r} takes free text, which cannot decide anything.")
    known = ", ".join(question.codes)
    for code in codes:
        if code not in question.codes:
            raise InputError(
                f"{question.name!r} has no option {code!r}.", remedy=f"Its options are {known}."
            )
    if not question.may_be_together(codes):
        alone = ", ".join(option.code for option in question.options if option.alone)
        raise InputError(
            f"{question.name!r} takes {alone} alone.", remedy="Choose it, or the other options."
        )
    if not codes or (question.kind.takes_one and len(codes) > 1):
        takes = "exactly one option" if question.kind.takes_one else "at least one option"
        raise InputError(f"{question.name!r} takes {takes}.", remedy=f"Its options are {known}.")


def _question_problems(place: str, question: Question) -> Iterator[SchemeError]:
    yield from _name_problems(f"{place}.name", question.name)
    yield from _text_problems(place, question, _QUESTION_TEXTS)
    kind = question.kind
    if question.level not in kind.levels:
        known = " or ".join(kind.levels)
        yield SchemeError(
            f"{place}.level",
            f"a question of kind {kind} cannot be {question.level}.",
            remedy=f"Write {known}, or leave it out.",
        )
    n_options = len(question.options)
    if not kind.fewest <= n_options <= kind.most:
        yield SchemeError(
            f"{place}.options",
            f"{kind.too_few}." if n_options < kind.fewest else f"there are {n_options} options.",
            remedy=f"Give {kind.fewest} to {kind.most}."
            if kind.has_options
            else "Leave them out: answers are free.",
        )
    yield from _repeats(f"{place}.options", "code", question.codes)
    keys = [option.key for option in question.options if option.key]
    yield from _repeats(f"{place}.options", "key", keys)
    for n, option in enumerate(question.options):
        yield from _option_problems(f"{place}.options[{n + 1}]", option)
        if option.alone and not kind.takes_several:
            yield SchemeError(
                f"{place}.options[{n + 1}].alone",
                "here nobody can choose an option with others.",
                remedy="Leave it out.",
            )
        if question.cannot_tell and option.key == CANNOT_TELL_KEY:
            yield SchemeError(
                f"{place}.options[{n + 1}].key",
                f"{CANNOT_TELL_KEY} is the key of “I cannot tell”.",
                remedy="Use another key, or do not offer that answer.",
            )
    if kind.has_points:
        yield from _point_problems(f"{place}.options", question)


def _option_problems(place: str, option: Option) -> Iterator[SchemeError]:
    if not is_code(option.code):
        yield SchemeError(
            f"{place}.code", f"{option.code[:LONGEST_NAME]!r} is not a code.", remedy=CODE_WORDS
        )
    elif option.code == TIE:
        yield SchemeError(
            f"{place}.code",
            f"{TIE!r} is not a code: it means a label without a decision.",
            remedy="Use another code.",
        )
    yield from _text_problems(place, option, _OPTION_TEXTS)
    if len(option.examples) > MOST_EXAMPLES:
        yield SchemeError(
            f"{place}.examples",
            f"there are {len(option.examples)} examples.",
            remedy=f"Keep at most {MOST_EXAMPLES}.",
        )
    for n, example in enumerate(option.examples):
        yield from _one_text_problems(f"{place}.examples[{n + 1}]", example, _EXAMPLE, needed=True)
    if option.key and not re.fullmatch(r"[0-9a-z]", option.key):
        yield SchemeError(
            f"{place}.key", f"{option.key!r} is not a key.", remedy="Use one of 0 to 9 or a to z."
        )


def _point_problems(place: str, question: Question) -> Iterator[SchemeError]:
    codes = question.codes
    if not codes or not all(re.fullmatch(r"\d{1,3}", code) for code in codes):
        wrong = "the points of a scale are whole numbers."
    elif [int(code) for code in codes] != list(range(int(codes[0]), int(codes[0]) + len(codes))):
        wrong = f"the points {', '.join(codes)} are not consecutive."
    else:
        return
    yield SchemeError(place, wrong, remedy="Give the points the codes 1, 2, 3 and so on.")


def _condition_problems(scheme: Scheme) -> Iterator[SchemeError]:
    by_name = {question.name: question for question in scheme.questions}
    known: set[str] = set()
    for n, question in enumerate(scheme.questions):
        condition = question.shown_if
        if condition is not None:
            place = f"questions[{n + 1}].shown_if"
            if condition.question not in by_name:
                yield SchemeError(
                    place,
                    f"there is no question {condition.question!r}.",
                    remedy=f"Name one of {', '.join(by_name)}.",
                )
            elif condition.question not in known:
                circle = _circle(question, by_name)
                yield SchemeError(
                    place,
                    f"the conditions go in a circle: {' -> '.join(circle)}."
                    if circle
                    else f"the question {condition.question!r} comes later.",
                    remedy="Let it depend on a question before it.",
                )
            else:
                yield from _code_problems(
                    f"{place}.any_of", by_name[condition.question], condition.any_of
                )
                if not condition.any_of:
                    yield SchemeError(
                        f"{place}.any_of", "it names no answer.", remedy="Give at least one."
                    )
        known.add(question.name)


def _circle(question: Question, by_name: dict[str, Question]) -> list[str]:
    """The names from `question` back to itself along its conditions; empty without a circle."""
    names = [question.name]
    while question.shown_if is not None and question.shown_if.question in by_name:
        question = by_name[question.shown_if.question]
        names.append(question.name)
        if names[-1] == names[0]:
            return names
        if len(names) > len(by_name):
            break
    return []


def _subset_problems(scheme: Scheme) -> Iterator[SchemeError]:
    subset = scheme.subset
    if not any(question.kind.has_options for question in scheme.questions):
        yield SchemeError(
            "questions",
            "none has options to choose from.",
            remedy="Ask one question with options: texts alone decide nothing.",
        )
        return
    yield from _one_text_problems("subset.words", subset.words, LONGEST_WORDS, needed=True)
    question = next(
        (candidate for candidate in scheme.questions if candidate.name == subset.question), None
    )
    if question is None:
        names = ", ".join(candidate.name for candidate in scheme.questions)
        yield SchemeError(
            "subset.question",
            f"there is no question {subset.question!r}.",
            remedy=f"Name one of {names}: its answers choose the queries that measures run on.",
        )
        return
    by_points = subset.at_least is not None or subset.at_most is not None
    if not (subset.any_of or subset.none_of or by_points) or not question.kind.has_options:
        yield SchemeError(
            "subset",
            "it names no answer that makes the subset.",
            remedy="Give any_of or none_of with codes of a closed question, or at_least or "
            "at_most with points of a scale.",
        )
    if by_points and not question.kind.has_points:
        yield SchemeError(
            "subset", f"{question.name} has no points.", remedy="Give any_of or none_of."
        )
    yield from _code_problems("subset.any_of", question, subset.any_of)
    yield from _code_problems("subset.none_of", question, subset.none_of)


def _code_problems(place: str, question: Question, codes: Sequence[str]) -> Iterator[SchemeError]:
    for code in codes:
        if code not in question.codes:
            known = ", ".join(question.codes) or "none"
            yield SchemeError(
                place,
                f"the question {question.name!r} has no option {code!r}.",
                remedy=f"Its options are {known}.",
            )


def _name_problems(place: str, name: str) -> Iterator[SchemeError]:
    if not _NAME.fullmatch(name):
        yield SchemeError(
            place,
            f"{name[:LONGEST_NAME]!r} is not a name.",
            remedy=f"Use up to {LONGEST_NAME} small letters, digits and _, with a letter first.",
        )


def _repeats(place: str, what: str, values: Sequence[str]) -> Iterator[SchemeError]:
    seen: set[str] = set()
    for n, value in enumerate(values):
        if value in seen:
            yield SchemeError(
                f"{place}[{n + 1}].{what}",
                f"the {what} {value!r} comes twice.",
                remedy=f"Give each its own {what}.",
            )
        seen.add(value)


def _text_problems(place: str, part: object, limits: dict[str, int]) -> Iterator[SchemeError]:
    for name, limit in limits.items():
        at = f"{place}.{name}" if place else name
        yield from _one_text_problems(at, getattr(part, name), limit, needed=name in _NEEDED)


def _one_text_problems(place: str, text: str, limit: int, *, needed: bool) -> Iterator[SchemeError]:
    if needed and not text.strip():
        yield SchemeError(place, "the text is empty.", remedy="Write one.")
    if len(text) > limit:
        yield SchemeError(
            place,
            f"the text has {len(text):,} characters.",
            remedy=f"Use at most {limit:,}.",
        )
    if _MARKUP.search(text) or _CONTROL.search(text):
        yield SchemeError(
            place,
            "the text has markup or control characters.",
            remedy="Write plain text: it is shown as it stands.",
        )
