"""The page of a HIT: one HTML document without network access.

It stands inside an `HTMLQuestion` in Amazon's frame, and works as a plain form without JavaScript
elsewhere. It shows the scheme and the texts of the queries, and nothing that could sway an
annotator: no run, no earlier vote, no gold label; what a model says only where the requester wants
it shown.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from annotation.schemes import Question, Scheme, built_in_scheme
from annotation.task_page.answers import CANNOT_TELL, LONGEST_COMMENT, VERSION
from annotation.task_page.assets import escaped, printable, read, template, within_plane
from annotation.task_page.languages import is_right_to_left, translator
from annotation.task_page.scheme_page import SCRIPT, render_scheme, scheme_style
from annotation.task_page.texts import fixed_texts, script_texts
from metrics.vocabulary import CATEGORY_QUESTION

#: Where the form goes when its frame names no other address.
SUBMIT_URL = "https://www.mturk.com/mturk/externalSubmit"


#: Where the parts of a page that differ between HITs go. No text holds a mark: `printable` takes
#: the zero byte out.
_NUMBER, _QUESTIONS = "\0number\0", "\0questions\0"
_PLACE, _PLACE_TEXT, _QID, _TEXT = "\0place\0", "\0place_text\0", "\0qid\0", "\0text\0"
_SUGGESTION = "\0suggestion\0"


@dataclass(frozen=True)
class PageTexts:
    """Texts of the page of every HIT of a batch, beside its queries.

    `consent` is plain text that workers agree to before the first query, in paragraphs between
    empty lines; `contact` says whom to write to. `suggestions` are the categories that a model
    says, by the query's id, where annotators are to see them.
    """

    scheme: Scheme = field(default_factory=lambda: built_in_scheme(CATEGORY_QUESTION))
    consent: str = ""
    contact: str = ""
    suggestions: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def page(self) -> str:
        """The page with marks for the queries: the same on every HIT, and written once."""
        scheme, asked = self.scheme, self.scheme.questions[0]
        page = template("page.html").substitute(
            {name: html.escape(text) for name, text in fixed_texts(scheme.language).items()},
            language=scheme.language,
            direction="rtl" if is_right_to_left(scheme.language) else "ltr",
            style=read("page.css"),
            script=read("page.js"),
            script_texts=html.escape(_script_texts(scheme.language)),
            introduction_id=_introduction_id(self),
            action=SUBMIT_URL,
            version=VERSION,
            number=_NUMBER,
            longest=LONGEST_COMMENT,
            question=escaped(asked.text),
            instructions=escaped(f"{scheme.instructions} {asked.help}"),
            categories=_categories(asked, scheme.language),
            consent=_consent(self.consent, scheme.language),
            contact=_contact(self.contact, scheme.language),
            questions=_QUESTIONS,
        )
        return within_plane(page)

    @cached_property
    def question(self) -> str:
        """One question with marks for its query and its place."""
        texts, choice = fixed_texts(self.scheme.language), template("choice.html")
        return within_plane(
            template("question.html").substitute(
                place=_PLACE,
                qid=_QID,
                place_text=_PLACE_TEXT,
                text=_TEXT,
                suggestion=_SUGGESTION,
                choices="\n".join(
                    choice.substitute(place=_PLACE, code=code, name=escaped(label))
                    for code, label in self.scheme.questions[0].labels.items()
                ),
                cannot_tell=CANNOT_TELL,
                cannot_tell_text=html.escape(texts["cannot_tell"]),
                comment_text=html.escape(texts["query_comment"]),
                longest=LONGEST_COMMENT,
            )
        )


def render(queries: Sequence[tuple[str, str]], texts: PageTexts | None = None) -> str:
    """The page of one HIT. `queries` are (qid, text) in the order of their places.

    The result is HTML5 whose characters all lie in the basic multilingual plane; others, which
    Amazon refuses, are written as numeric references. Texts are escaped; characters that no page
    may hold are left out.
    """
    texts = texts or PageTexts()
    scheme = texts.scheme
    if not scheme.asks_for_categories:
        return render_scheme(
            scheme,
            queries,
            consent=_consent(texts.consent, scheme.language),
            contact=_contact(texts.contact, scheme.language),
            action=SUBMIT_URL,
        )
    number = len(queries)
    place_text = html.escape(fixed_texts(scheme.language)["query_place"])
    questions = "\n".join(
        texts.question.replace(_PLACE, str(place))
        .replace(_PLACE_TEXT, place_text.format(place=place + 1, number=number))
        .replace(_QID, within_plane(escaped(qid)))
        .replace(_TEXT, within_plane(escaped(text)))
        .replace(_SUGGESTION, _suggestion(texts, qid))
        for place, (qid, text) in enumerate(queries)
    )
    return texts.page.replace(_NUMBER, str(number)).replace(_QUESTIONS, questions)


def inline_hashes() -> dict[str, str]:
    """Sources that a content security policy must allow for the page, by directive."""
    parts = {
        "script-src": (read("page.js"), read(SCRIPT)),
        "style-src": (read("page.css"), scheme_style()),
    }
    return {
        directive: " ".join(f"'sha256-{_digest(text)}'" for text in texts)
        for directive, texts in parts.items()
    }


def _introduction_id(texts: PageTexts) -> str:
    """Tells what a worker has read and agreed to: the scheme and the consent text."""
    text = f"{texts.scheme.digest}\n{texts.consent}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _categories(question: Question, language: str) -> str:
    category = template("category.html")
    return "\n".join(
        category.substitute(
            name=escaped(option.label),
            definition=escaped(option.definition),
            examples="".join(f"<li><q>{escaped(one)}</q></li>" for one in option.examples),
            borderline=_borderline(option.counter_example, option.counter_reason, language),
        )
        for option in question.options
    )


def _borderline(query: str, reason: str, language: str) -> str:
    if not query.strip():
        return ""
    mark = html.escape(fixed_texts(language)["borderline"])
    return f"<li><b>{mark}</b> <q>{escaped(query)}</q> {escaped(reason)}</li>"


def _consent(text: str, language: str) -> str:
    paragraphs = [escaped(part) for part in re.split(r"\n\s*\n", text) if printable(part)]
    if not paragraphs:
        return ""
    texts = fixed_texts(language)
    return template("consent.html").substitute(
        heading=html.escape(texts["consent"]),
        paragraphs="".join(f"<p>{paragraph}</p>" for paragraph in paragraphs),
        agree=html.escape(texts["agree"]),
    )


def _suggestion(texts: PageTexts, qid: str) -> str:
    label = texts.scheme.questions[0].labels.get(texts.suggestions.get(qid, ""))
    if label is None:
        return ""
    words = html.escape(fixed_texts(texts.scheme.language)["suggestion"])
    name = within_plane(escaped(label))
    return f' <span class="place suggestion">{words} <bdi>{name}</bdi></span>'


def _contact(contact: str, language: str) -> str:
    if not printable(contact):
        return ""
    text = html.escape(fixed_texts(language)["contact"])
    return f'<p class="contact">{text} <bdi>{escaped(contact)}</bdi></p>'


@cache
def _script_texts(language: str) -> str:
    return json.dumps(script_texts(translator(language)))


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
