"""The question of the released files, and how files in their layouts write its answers."""

from collections.abc import Iterable

from annotation import schemes
from annotation.schemes import JOINED, About, Question, Scheme
from metrics.vocabulary import CANNOT_TELL_IN_RELEASE, CATEGORY_QUESTION, Category
from metrics.votes.files.options import Options

#: The answer "I cannot tell", which is not a vote for a category.
CANNOT_TELL = CANNOT_TELL_IN_RELEASE
#: The column of the answers.
_COLUMN = "category"


def is_released(question: Question) -> bool:
    """Return whether files have this question: its name, its codes, and who cannot tell."""
    return (
        (question.name, question.codes) == (CATEGORY_QUESTION, tuple(Category))
        and question.is_nominal
        and question.required
        and question.cannot_tell
    )


def has_released_layout(scheme: Scheme) -> bool:
    """Return whether a batch fits into the released files: it asks their question alone."""
    is_about_queries = scheme.about == About.QUERY and not scheme.content_warning
    return is_about_queries and all(map(is_released, scheme.questions))


def released_code(option: str) -> str:
    """Return the code of a stored option of the categories."""
    return CANNOT_TELL if option == schemes.CANNOT_TELL else option


def stored_option(code: str) -> str:
    """Return the option of the categories as it is stored for a code of a file."""
    return schemes.CANNOT_TELL if code == CANNOT_TELL else code


def file_codes(question: Question, options: Iterable[str]) -> str:
    """The options of an answer as pages, calls and files have them, joined."""
    code = released_code if is_released(question) else str
    return JOINED.join(map(code, options))


def options_of(question: Question) -> Options:
    """The options of a question as the readers of files take them."""
    return Options(
        codes=question.codes,
        labels=question.labels,
        grades=question.grades,
        cannot_tell=file_codes(question, [schemes.CANNOT_TELL]),
        name=question.name,
    )


def option_in_file(question: Question, code: str) -> str:
    """Return the option as it is stored for a code in a file of answers to this question."""
    return stored_option(code) if is_released(question) else code


def column_of(question: Question) -> str:
    """The column of the answers to this question in a file of votes."""
    return _COLUMN if is_released(question) else question.name
