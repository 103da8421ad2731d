"""One query or pair on the page of a HIT, with all questions that a scheme asks about it."""

import html
import json
from collections.abc import Mapping

from annotation.schemes import CANNOT_TELL, About, Question, Scheme
from annotation.schemes.scheme import KEYS
from annotation.task_page.answers import (
    LONGEST_COMMENT,
    comment_of,
    field_of,
    option_field_of,
    skip_of,
)
from annotation.task_page.assets import escaped, printable
from annotation.task_page.texts import fixed_texts

#: Characters of a passage above which it is folded, some ten lines of a wide page.
_FOLDED = 900


def is_sole(scheme: Scheme) -> bool:
    """Return whether a query is done with one choice, so that choosing goes on to the next."""
    first = scheme.questions[0]
    one_choice = first.kind.takes_one and first.required
    return len(scheme.questions) == 1 and one_choice and not scheme.content_warning


def item(scheme: Scheme, place: str, *, place_text: str, qid: str, text: str, passage: str) -> str:
    """The section of the query or pair at `place`; all texts are HTML already."""
    texts = fixed_texts(scheme.language, scheme.about)
    questions = "\n".join(_question(scheme, question, place) for question in scheme.questions)
    skip = ""
    if scheme.content_warning:
        words = html.escape(texts["skip"])
        box = f'<input type="checkbox" name="{skip_of(place)}" value="yes">'
        skip = f'\n<label class="skip">{box}{words}</label>'
    return (
        f'<section class="item" data-qid="{qid}"><h2 id="t-{place}">'
        f'<span class="place">{place_text}</span> <bdi class="query">{text}</bdi></h2>\n'
        f"{passage}{questions}{skip}</section>"
    )


def passage_of(text: str, place: str, texts: Mapping[str, str]) -> str:
    """The passage of the pair at `place`: a long one is folded until its box is ticked.

    The box has no name, so that it is kept with the answers and not sent.
    """
    fold = (
        f'<label class="fold"><input type="checkbox" value="p-{place}">'
        f"{html.escape(texts['whole'])}</label>"
        if len(printable(text)) > _FOLDED
        else ""
    )
    return (
        f'<div class="passage"><h3 class="place">{html.escape(texts["passage"])}</h3>'
        f'<p id="p-{place}" dir="auto">{escaped(text)}</p>{fold}</div>\n'
    )


def _question(scheme: Scheme, question: Question, place: str) -> str:
    texts = fixed_texts(scheme.language, scheme.about)
    condition, title = question.shown_if, f"l-{place}-{escaped(question.name)}"
    shown_if = (
        f' data-if="{escaped(condition.question)}" '
        f'data-codes="{html.escape(json.dumps(list(condition.any_of)))}"'
        if condition
        else ""
    )
    is_needed = question.required and question.kind.has_options
    notes = [texts["several"]] if question.kind.takes_several else []
    notes += [] if is_needed else [texts["optional"]]
    note = f' <span class="quiet">{html.escape(" ".join(notes))}</span>' if notes else ""
    # The title of the page asks the sole question already.
    legend = (
        "" if is_sole(scheme) else f'<legend id="{title}">{escaped(question.text)}{note}</legend>'
    )
    name = f' data-question="{escaped(question.name)}"' if legend else ""
    keys = "".join(key or " " for _, key in question.with_keys).rstrip()
    own_keys = "" if KEYS.startswith(keys) else f' data-keys="{keys}"'
    row = ' class="row"' if question.kind.has_points else ""
    # Whoever listens comes to the choices at once, and hears the passage with the first of them.
    is_first = scheme.about == About.PASSAGE and question == scheme.questions[0]
    passage = f' aria-describedby="p-{place}"' if is_first else ""
    return (
        f"<fieldset{name}{shown_if}{' data-required' if is_needed else ''}{own_keys}{row} "
        f'aria-labelledby="t-{place}{f" {title}" if legend else ""}"{passage}>{legend}'
        f"{_controls(scheme, question, place, texts)}</fieldset>"
    )


def _controls(scheme: Scheme, question: Question, place: str, texts: dict[str, str]) -> str:
    name = field_of(place, question)
    if not question.kind.has_options:
        return (
            f'<textarea name="{name}" rows="2" maxlength="{LONGEST_COMMENT}" '
            f'aria-label="{escaped(question.text)}"></textarea>'
        )
    is_multi = question.kind.takes_several
    kind = "checkbox" if is_multi else "radio"
    alone = " data-alone"
    choices = [
        (option.code, option.label, "", alone if option.alone else "")
        for option in question.options
    ]
    if question.cannot_tell:
        choices.append((CANNOT_TELL, texts["cannot_tell"], ' class="unsure"', ""))
    needed = " required" if is_sole(scheme) else ""  # at one of a group's buttons is at all
    controls = "".join(
        f'<label{css}><input type="{kind}" '
        f'name="{option_field_of(place, question, n) if is_multi else name}" '
        f'value="{html.escape(code)}"{excludes}{"" if n else needed}>{escaped(label)}</label>\n'
        for n, (code, label, css, excludes) in enumerate(choices)
    )
    if not question.cannot_tell:
        return controls
    return (
        f'{controls}<label class="comment">{html.escape(texts["why"])}'
        f'<textarea name="{comment_of(place, question)}" rows="2" maxlength="{LONGEST_COMMENT}">'
        "</textarea></label>"
    )
