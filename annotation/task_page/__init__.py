"""The page that annotators see: its texts, and the reader of what it sends back."""

from annotation.task_page.answers import (
    CANNOT_TELL,
    Answer,
    AnswerError,
    read_answer,
    released_code,
    scheme_fields,
    stored_option,
)
from annotation.task_page.assets import printable
from annotation.task_page.languages import languages
from annotation.task_page.page import PageTexts, inline_hashes, render

__all__ = [
    "CANNOT_TELL",
    "Answer",
    "AnswerError",
    "PageTexts",
    "inline_hashes",
    "languages",
    "printable",
    "read_answer",
    "released_code",
    "render",
    "scheme_fields",
    "stored_option",
]
