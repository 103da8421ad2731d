"""The page of a HIT: one HTML document without network access.

It stands inside an `HTMLQuestion` in Amazon's frame, and works as a plain form without JavaScript
elsewhere. It shows the scheme and the texts of the queries, and nothing that could sway an
annotator: no run, no earlier vote, no gold label; what a model says only where the requester wants
it shown. With JavaScript, it shows one query at a time, shows a question once its condition holds,
takes answers by key and keeps them.
"""

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from annotation.schemes import About, Option, Question, Scheme, built_in_scheme
from annotation.schemes.scheme import KEYS
from annotation.task_page.answers import LONGEST_COMMENT, VERSION
from annotation.task_page.assets import escaped, printable, script, style, template, within_plane
from annotation.task_page.item import is_sole, item, passage_of
from annotation.task_page.languages import is_right_to_left
from annotation.task_page.texts import fixed_texts, script_texts
from metrics.vocabulary import CATEGORY_QUESTION

#: Where the form goes when its frame names no other address.
SUBMIT_URL = "https://www.mturk.com/mturk/externalSubmit"


#: Where the parts of a page that differ between HITs go. No text holds a mark: `printable` takes
#: the zero byte out.
_NUMBER, _ITEMS = "\0number\0", "\0items\0"
_PLACE, _PLACE_TEXT, _QID, _TEXT = "\0place\0", "\0place_text\0", "\0qid\0", "\0text\0"
_PASSAGE = "\0passage\0"


@dataclass(frozen=True)
class PageTexts:
    """Texts of the page of every HIT of a batch, beside its queries.

    `consent` is plain text that workers agree to before the first query, in paragraphs between
    empty lines; `contact` says whom to write to. `suggestions` are the options of the first
    question that a model says, by the query's id, where annotators are to see them.
    """

    scheme: Scheme = field(default_factory=lambda: built_in_scheme(CATEGORY_QUESTION))
    consent: str = ""
    contact: str = ""
    suggestions: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def page(self) -> str:
        """The page with marks for the queries: the same on every HIT, and written once."""
        scheme = self.scheme
        sole = scheme.questions[0] if is_sole(scheme) else None
        texts = fixed_texts(scheme.language, scheme.about)
        if not any(question.cannot_tell for question in scheme.closed):
            texts = {**texts, "keys": texts["keys_without_doubt"]}
        page = template("page.html").substitute(
            {name: html.escape(text) for name, text in texts.items()},
            language=scheme.language,
            direction="rtl" if is_right_to_left(scheme.language) else "ltr",
            style="</style>\n<style>".join(_styles(scheme.about)),
            script="</script>\n<script>".join(_scripts(scheme.about)),
            script_texts=html.escape(script_texts(scheme.language, scheme.about)),
            introduction_id=_introduction_id(self),
            option_keys=KEYS,
            action=SUBMIT_URL,
            version=VERSION,
            number=_NUMBER,
            longest=LONGEST_COMMENT,
            sole=' class="sole"' if sole else "",
            title=escaped(sole.text if sole else scheme.title),
            warning=_warning(scheme, texts["warning"]),
            instructions=escaped(f"{scheme.instructions} {sole.help if sole else ''}"),
            guide=_defined(sole, texts) if sole else _guide(scheme, texts),
            consent=_consent(self.consent, texts),
            contact=_contact(self.contact, texts),
            items=_ITEMS,
        )
        return within_plane(page)

    @cached_property
    def item(self) -> str:
        """One query or pair and its questions, with marks for its texts and its place."""
        passage = _PASSAGE if self.scheme.about == About.PASSAGE else ""
        texts = {"place_text": _PLACE_TEXT, "qid": _QID, "text": _TEXT, "passage": passage}
        return within_plane(item(self.scheme, _PLACE, **texts))


#: A query as (qid, text), or a pair of query and passage as (id, text, passage).
Shown = tuple[str, str] | tuple[str, str, str]


def render(queries: Sequence[Shown], texts: PageTexts | None = None) -> str:
    """The page of one HIT, of queries or pairs in the order of their places.

    The result is HTML5 whose characters all lie in the basic multilingual plane; others, which
    Amazon refuses, are written as numeric references. Texts are escaped; characters that no page
    may hold are left out.
    """
    texts = texts or PageTexts()
    number = len(queries)
    place_text = html.escape(fixed_texts(texts.scheme.language, texts.scheme.about)["query_place"])
    items = "\n".join(
        texts.item.replace(_PLACE, str(place))
        .replace(_PLACE_TEXT, place_text.format(place=place + 1, number=number))
        .replace(_QID, within_plane(escaped(qid)))
        .replace(f"{_TEXT}</bdi>", f"{within_plane(escaped(text))}</bdi>{_suggestion(texts, qid)}")
        .replace(_PASSAGE, _passage(texts, place, *passage))
        for place, (qid, text, *passage) in enumerate(queries)
    )
    return texts.page.replace(_NUMBER, str(number)).replace(_ITEMS, items)


def inline_hashes() -> dict[str, str]:
    """Sources that a content security policy must allow for every page, by directive."""
    parts = {"script-src": _scripts(About.PASSAGE), "style-src": _styles(About.PASSAGE)}
    return {
        directive: " ".join(f"'sha256-{_digest(text)}'" for text in texts)
        for directive, texts in parts.items()
    }


def _scripts(about: About) -> list[str]:
    return [script(f"{name}.js") for name in _parts(about)]


def _styles(about: About) -> list[str]:
    return [style(f"{name}.css") for name in _parts(about)]


def _parts(about: About) -> tuple[str, ...]:
    """The names of scripts and styles; only pages with passages carry those for passages."""
    return ("page", "passage") if about == About.PASSAGE else ("page",)


def _introduction_id(texts: PageTexts) -> str:
    """Tells what a worker has read and agreed to: the scheme and the consent text."""
    text = f"{texts.scheme.digest}\n{texts.consent}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _warning(scheme: Scheme, heading: str) -> str:
    if not scheme.content_warning:
        return ""
    return (
        f'<p class="content-warning"><b>{html.escape(heading)}.</b> '
        f"{escaped(scheme.content_warning)}</p>"
    )


def _guide(scheme: Scheme, texts: Mapping[str, str]) -> str:
    return "\n".join(
        f"<h2>{escaped(question.text)}</h2>"
        + (f"<p>{escaped(question.help)}</p>" if question.help else "")
        + _defined(question, texts)
        for question in scheme.questions
    )


def _defined(question: Question, texts: Mapping[str, str]) -> str:
    options = "\n".join(
        f"<dt>{escaped(option.label)}</dt>\n<dd>{escaped(option.definition)}{examples}</dd>"
        for option in question.options
        if (examples := _examples(option, texts)) or option.definition
    )
    return f"<dl>\n{options}\n</dl>" if options else ""


def _examples(option: Option, texts: Mapping[str, str]) -> str:
    lines = [f"<li><q>{escaped(example)}</q></li>" for example in option.examples]
    if option.counter_example.strip():
        query, reason = escaped(option.counter_example), escaped(option.counter_reason)
        mark = html.escape(texts["borderline"])
        lines.append(f"<li><b>{mark}</b> <q>{query}</q> {reason}</li>")
    return f"<ul>{''.join(lines)}</ul>" if lines else ""


def _consent(text: str, texts: Mapping[str, str]) -> str:
    paragraphs = [escaped(part) for part in re.split(r"\n\s*\n", text) if printable(part)]
    if not paragraphs:
        return ""
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


def _passage(texts: PageTexts, place: int, passage: str = "") -> str:
    scheme = texts.scheme
    if scheme.about == About.QUERY:
        return ""
    fixed = fixed_texts(scheme.language, scheme.about)
    return within_plane(passage_of(passage, str(place), fixed))


def _contact(contact: str, texts: Mapping[str, str]) -> str:
    if not printable(contact):
        return ""
    text = html.escape(texts["contact"])
    return f'<p class="contact">{text} <bdi>{escaped(contact)}</bdi></p>'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
