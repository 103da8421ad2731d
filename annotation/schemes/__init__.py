"""Schemes of labels as data: the questions that annotators answer about a query. Pure."""

from annotation.schemes.blank import BLANK, blank_scheme, is_blank
from annotation.schemes.built_in import (
    built_in_languages,
    built_in_scheme,
    built_in_schemes,
    in_language,
    schemes_about,
)
from annotation.schemes.codes import ALL, LONGEST_NAME, LONGEST_SCHEME
from annotation.schemes.kind import Kind
from annotation.schemes.known import (
    KNOWN_ANSWERS,
    known_answers,
    known_text,
    question_named,
)
from annotation.schemes.scheme import (
    CANNOT_TELL_WORDS,
    About,
    Condition,
    Option,
    Question,
    Scheme,
    Subset,
)
from annotation.schemes.texts import (
    scheme_from_json,
    scheme_from_yaml,
    scheme_to_yaml,
    scheme_unchecked,
)
from annotation.schemes.validation import (
    SchemeError,
    check_answer,
    check_scheme,
    scheme_problems,
)
from metrics.vocabulary import CANNOT_TELL, JOINED, Level

__all__ = [
    "ALL",
    "BLANK",
    "CANNOT_TELL",
    "CANNOT_TELL_WORDS",
    "JOINED",
    "KNOWN_ANSWERS",
    "LONGEST_NAME",
    "LONGEST_SCHEME",
    "About",
    "Condition",
    "Kind",
    "Level",
    "Option",
    "Question",
    "Scheme",
    "SchemeError",
    "Subset",
    "blank_scheme",
    "built_in_languages",
    "built_in_scheme",
    "built_in_schemes",
    "check_answer",
    "check_scheme",
    "in_language",
    "is_blank",
    "known_answers",
    "known_text",
    "question_named",
    "scheme_from_json",
    "scheme_from_yaml",
    "scheme_problems",
    "scheme_to_yaml",
    "scheme_unchecked",
    "schemes_about",
]
