"""The page of a HIT that asks a scheme's questions, of any number and kind.

The form works without JavaScript. With JavaScript, it shows one query at a time, shows a question
once its condition holds, takes answers by key and keeps them.
"""

import hashlib
import html
import json
from collections.abc import Callable, Sequence
from functools import cache

from annotation.schemes import CANNOT_TELL, Kind, Option, Question, Scheme
from annotation.task_page.answers import (
    LONGEST_COMMENT,
    SCHEME_VERSION,
    field_of,
    option_field_of,
    skip_of,
)
from annotation.task_page.assets import escaped, read, template, within_plane
from annotation.task_page.languages import is_right_to_left, translator
from annotation.task_page.texts import fixed_texts

SCRIPT, STYLES = "scheme.js", ("page.css", "scheme.css")
#: Keys for options without one of their own: digits, then letters that do nothing else.
_KEYS = "123456789acdefghijklm"


def scheme_style() -> str:
    return "".join(read(name) for name in STYLES)


def render_scheme(
    scheme: Scheme, queries: Sequence[tuple[str, str]], *, consent: str, contact: str, action: str
) -> str:
    """The page of one HIT; `consent` and `contact` are HTML, `queries` (qid, text) by place."""
    texts, extra = fixed_texts(scheme.language), scheme_texts(scheme.language)
    page = template("scheme_page.html").substitute(
        {name: html.escape(text) for name, text in texts.items()},
        language=scheme.language,
        direction="rtl" if is_right_to_left(scheme.language) else "ltr",
        style=scheme_style(),
        script=read(SCRIPT),
        script_texts=html.escape(json.dumps(extra)),
        introduction_id=_introduction_id(scheme, consent),
        action=action,
        version=SCHEME_VERSION,
        number=len(queries),
        longest=LONGEST_COMMENT,
        title=escaped(scheme.title),
        instructions=escaped(scheme.instructions),
        warning=_warning(scheme, extra["warning"]),
        guide="\n".join(_guide(question, texts) for question in scheme.questions),
        consent=consent,
        contact=contact,
        previous=html.escape(extra["previous"]),
        scheme_keys=html.escape(extra["keys"]),
        items="\n".join(
            _item(scheme, place, len(queries), qid, text)
            for place, (qid, text) in enumerate(queries)
        ),
    )
    return within_plane(page)


@cache
def scheme_texts(language: str) -> dict[str, str]:
    """The texts that only pages of schemes have, by name."""
    _: Callable[[str], str] = translator(language)
    return {
        "warning": _("Content warning"),
        "previous": _("Previous query"),
        "skip": _("Leave out this query"),
        "several": _("Choose all that apply."),
        "optional": _("(optional)"),
        "incomplete": _("Answer the marked question first, or go on once it is answered."),
        "agreeFirst": _("Please agree to take part, or return the task."),
        "skipped": _("left out"),
        "change": _("Change"),
        "sending": _("Sending your answers."),
        "offline": _(
            "There is no connection. Your answers are kept, and sent as soon as it is back. "
            "Leave this page open."
        ),
        "keys": _(
            "Keys: the sign beside an answer chooses it, 0 is “I cannot tell”, Enter goes on, "
            "B goes back, ? shows the definitions."
        ),
    }


def _introduction_id(scheme: Scheme, consent: str) -> str:
    text = f"{scheme.digest}\n{consent}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _warning(scheme: Scheme, heading: str) -> str:
    if not scheme.content_warning:
        return ""
    return (
        f'<p class="content-warning"><b>{html.escape(heading)}.</b> '
        f"{escaped(scheme.content_warning)}</p>"
    )


def _guide(question: Question, texts: dict[str, str]) -> str:
    options = "".join(_defined(option, texts) for option in question.options)
    about = f"<p>{escaped(question.help)}</p>" if question.help else ""
    return f"<h2>{escaped(question.text)}</h2>{about}<dl>{options}</dl>"


def _defined(option: Option, texts: dict[str, str]) -> str:
    if not (option.definition or option.examples or option.counter_example):
        return ""
    examples = "".join(f"<li><q>{escaped(example)}</q></li>" for example in option.examples)
    if option.counter_example:
        mark = html.escape(texts["borderline"])
        examples += (
            f"<li><b>{mark}</b> <q>{escaped(option.counter_example)}</q> "
            f"{escaped(option.counter_reason)}</li>"
        )
    return (
        f"<dt>{escaped(option.label)}</dt><dd>{escaped(option.definition)}<ul>{examples}</ul></dd>"
    )


def _item(scheme: Scheme, place: int, number: int, qid: str, text: str) -> str:
    texts, extra = fixed_texts(scheme.language), scheme_texts(scheme.language)
    at = html.escape(texts["query_place"].format(place=place + 1, number=number))
    skip = (
        f'<label class="skip"><input type="checkbox" name="{skip_of(place)}" value="yes">'
        f"{html.escape(extra['skip'])}</label>"
        if scheme.content_warning
        else ""
    )
    questions = "\n".join(_question(question, place, texts, extra) for question in scheme.questions)
    return (
        f'<section class="item" data-qid="{escaped(qid)}"><h2><span class="place">{at}</span> '
        f'<bdi class="query">{escaped(text)}</bdi></h2>\n{questions}\n{skip}</section>'
    )


def _question(question: Question, place: int, texts: dict[str, str], extra: dict[str, str]) -> str:
    condition = question.shown_if
    shown_if = (
        f' data-if="{escaped(condition.question)}" '
        f'data-codes="{escaped(json.dumps(list(condition.any_of)))}"'
        if condition
        else ""
    )
    needed = ' data-required="1"' if question.required and question.kind != Kind.TEXT else ""
    notes = [extra["several"]] if question.kind == Kind.MULTI else []
    notes += [] if needed else [extra["optional"]]
    note = f' <span class="quiet">{html.escape(" ".join(notes))}</span>' if notes else ""
    return (
        f'<fieldset data-question="{escaped(question.name)}"{shown_if}{needed} '
        f'class="{question.kind}"><legend>{escaped(question.text)}{note}</legend>'
        f"{_controls(question, place, texts)}</fieldset>"
    )


def _controls(question: Question, place: int, texts: dict[str, str]) -> str:
    name = field_of(place, question)
    if question.kind == Kind.TEXT:
        return (
            f'<textarea name="{name}" rows="2" maxlength="{LONGEST_COMMENT}" '
            f'aria-label="{escaped(question.text)}"></textarea>'
        )
    is_multi = question.kind == Kind.MULTI
    kind = "checkbox" if is_multi else "radio"
    own = {option.key for option in question.options}
    free = iter([key for key in _KEYS if key not in own] + [""] * len(question.options))
    labels = [
        (
            option_field_of(place, question, n) if is_multi else name,
            option.code,
            option.label,
            option.key or next(free),
            "",
        )
        for n, option in enumerate(question.options)
    ]
    if question.cannot_tell:
        at = option_field_of(place, question, len(question.options)) if is_multi else name
        labels.append((at, CANNOT_TELL, texts["cannot_tell"], "0", "unsure"))
    return "".join(
        f'<label class="{css}"><input type="{kind}" name="{at}" value="{escaped(code)}">'
        f'<span>{escaped(label)}</span><kbd data-key="{key}">{key}</kbd></label>'
        for at, code, label, key, css in labels
    )
