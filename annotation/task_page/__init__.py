"""The page that annotators see: its texts, and the reader of what it sends back."""

from annotation.task_page.answers import (
    VERSION,
    Answer,
    AnswerError,
    field_of,
    read_answer,
    scheme_fields,
)
from annotation.task_page.assets import printable
from annotation.task_page.languages import languages
from annotation.task_page.page import PageTexts, Shown, inline_hashes, render

__all__ = [
    "VERSION",
    "Answer",
    "AnswerError",
    "PageTexts",
    "Shown",
    "field_of",
    "inline_hashes",
    "languages",
    "printable",
    "read_answer",
    "render",
    "scheme_fields",
]
