"""Prolific's Task Builder: a scheme as the layout of a batch there, which shows it by itself.

https://docs.prolific.com, Task Builder: a data set with a schema (version 4), `task_details` that a
participant reads first, and `batch_items`, the page that is shown for each item of the data set.
Responses name what was chosen by its value: ours are question and code, `gender=f`, so that they
are read without the layout.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from annotation.schemes.scheme import CANNOT_TELL_WORDS, About, Option, Question, Scheme
from annotation.schemes.validation import SchemeError
from metrics.vocabulary import CANNOT_TELL
from metrics.votes.files.formats.task_builder import IS, ITEM

#: Columns of the data set beside the id, which comes back: what is shown, and what one person does.
QUERY, PASSAGE, GROUP = "query", "passage", "group"


def write(scheme: Scheme) -> str:
    """The layout as JSON: `schema` of the data set, `task_details`, `batch_items`.

    Raises `SchemeError` for what the Task Builder cannot ask.
    """
    return layout_text(layout_of(scheme))


def layout_text(layout: dict[str, Any]) -> str:
    """The layout as JSON."""
    return json.dumps(layout, ensure_ascii=False, indent=2) + "\n"


def layout_of(
    scheme: Scheme, *, is_grouped: bool = False, notices: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The members of data set and batch; with `is_grouped` a column says what one person does.

    `notices` are read before the first task, after the scheme's own instructions.
    """
    texts = [QUERY, PASSAGE] if scheme.about == About.PASSAGE else [QUERY]
    kinds = dict.fromkeys(texts, "text") | {ITEM: "metadata"}
    if is_grouped:
        kinds[GROUP] = "task_group_id"
    fields = [[{"type": "dataset_field", "field": name}] for name in texts]
    questions = [[*_items(question)] for question in scheme.questions]
    return {
        "schema": {"strict": True, "fields": {name: {"type": of} for name, of in kinds.items()}},
        "task_details": {
            "task_name": scheme.hit_title or scheme.title,
            "task_introduction": _paragraphs(scheme.content_warning, scheme.instructions, *notices)
            or _paragraphs(scheme.title),
            "task_steps": _list(question.text for question in scheme.questions),
        },
        "batch_items": [{"rows": [{"columns": [{"items": of}]} for of in (*fields, *questions)]}],
    }


def not_shown(scheme: Scheme) -> list[str]:
    """Parts of the scheme that the layout leaves out, in words."""
    notes = []
    if scheme.about == About.PASSAGE:
        notes.append("Participants cannot mark the query's words in the passage.")
    if scheme.content_warning:
        notes.append("Participants cannot leave out an item that the content warning is about.")
    return notes + [
        f"{question.name}: options that exclude others can be chosen with others; such an answer "
        "is unreadable."
        for question in scheme.questions
        if any(option.alone for option in question.options)
    ]


def _items(question: Question) -> Iterator[dict[str, Any]]:
    """The definitions of the options, and the question itself."""
    if question.shown_if:
        raise SchemeError(
            question.name,
            "it is shown under a condition, which the Task Builder cannot do.",
            remedy="Ask it always, or leave it out.",
        )
    described = [
        f"<strong>{escape(option.label or option.code)}</strong>: {escape(meaning)}"
        for option in question.options
        if (meaning := " ".join(filter(None, [option.definition, *_examples(option)])))
    ]
    if described:
        items = "".join(f"<li>{line}</li>" for line in described)
        yield {"type": "rich_text", "content": f"<ul>{items}</ul>"}
    words = {"description": question.text}
    if question.help:
        words["helper_text"] = question.help
    if not question.kind.has_options:
        yield {"type": "free_text", **words}
        return
    codes = question.labels | ({CANNOT_TELL: CANNOT_TELL_WORDS} if question.cannot_tell else {})
    yield {
        "type": "multiple_choice",
        **words,
        "answer_limit": len(codes) if question.kind.takes_several else 1,
        "options": [
            {"label": label or code, "value": f"{question.name}{IS}{code}"}
            for code, label in codes.items()
        ],
    }


def _examples(option: Option) -> Iterator[str]:
    if option.examples:
        yield f"Such as: {'; '.join(option.examples)}."
    if option.counter_example.strip():
        yield f"Borderline: {option.counter_example}. {option.counter_reason}"


def _paragraphs(*texts: str) -> str:
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def _list(texts: Iterator[str]) -> str:
    return f"<ol>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ol>"
