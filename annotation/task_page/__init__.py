"""The page that annotators see: its texts, and the reader of what it sends back."""

from annotation.task_page.answers import (
    CANNOT_TELL,
    Answer,
    AnswerError,
    read_answer,
    released_code,
    stored_option,
)
from annotation.task_page.assets import printable
from annotation.task_page.languages import languages
from annotation.task_page.page import PageTexts, inline_hashes, render
from annotation.task_page.scheme_answers import SchemeAnswer, read_scheme_answer, scheme_fields

__all__ = [
    "CANNOT_TELL",
    "Answer",
    "AnswerError",
    "PageTexts",
    "SchemeAnswer",
    "inline_hashes",
    "languages",
    "printable",
    "read_answer",
    "read_scheme_answer",
    "released_code",
    "render",
    "scheme_fields",
    "stored_option",
]
