"""The page that annotators see, and the reader of what it sends back."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import html5lib
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from annotation.schemes import CANNOT_TELL, built_in_scheme
from annotation.schemes.released import has_released_layout
from annotation.task_page import (
    Answer,
    AnswerError,
    PageTexts,
    inline_hashes,
    languages,
    printable,
    read_answer,
    render,
)
from annotation.vocabulary import Category

GENDER = built_in_scheme("gender")
HOSTILE = [
    "<script>alert(1)</script>",
    "</style></script></fieldset><input name=q-9>",
    "a ]]> b",
    "\U0001f600 emoji \U0001f9d1\u200d\U0001f680",
    "\u202eright \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "=cmd|' /C calc'!A0",
    '" onmouseover="x',
    "AT&T &amp; &#60; $version ${action}",
    "null \x00 bell \x07 escape \x1b[31m c1 \x85 surrogate \ud800 non \ufffe \U0001ffff",
    "line\nbreak\ttab",
    "x" * 10_000,
]


class Page(HTMLParser):
    """What a browser would hold: the texts of the queries, their ids, the form's fields."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.qids: list[str] = []
        self.fields: list[tuple[str, str]] = []
        self.scripts = 0
        self._in_query = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.scripts += tag == "script"
        if tag == "bdi":
            self._in_query = True
            self.texts.append("")
        if tag == "section" and "data-qid" in given:
            self.qids.append(given["data-qid"])
        if tag == "input":
            self.fields.append((given.get("name", ""), given["value"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == "bdi":
            self._in_query = False

    def handle_data(self, data: str) -> None:
        if self._in_query:
            self.texts[-1] += data


def lint(html: str) -> None:
    """Fails on whatever the HTML5 parsing rules call an error."""
    html5lib.HTMLParser(strict=True).parse(html)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_query_is_shown_as_text_and_changes_nothing_else(text: str) -> None:
    html = render([(text, text), ("2", "plain")])
    lint(html)
    page, plain = Page(html), Page(render([("1", "a"), ("2", "plain")]))
    assert page.texts == [printable(text), "plain"]
    assert page.qids == [printable(text), "2"]
    assert page.fields == plain.fields
    assert page.scripts == 1


@pytest.mark.long
@given(st.text())
def test_any_text_survives_except_white_space_and_what_no_page_may_hold(text: str) -> None:
    html = render([("1", text)])
    lint(html)
    assert all(ord(character) <= 0xFFFF for character in html)
    assert Page(html).texts == [printable(text)]


def test_the_page_asks_for_a_category_of_each_query_or_for_i_cannot_tell() -> None:
    fields = Page(render([("a", "one"), ("b", "two")])).fields
    assert fields == [
        ("assignmentId", ""),
        ("v", "2"),
        *[("q-0-gender", code) for code in (*Category.values, CANNOT_TELL)],
        *[("q-1-gender", code) for code in (*Category.values, CANNOT_TELL)],
    ]


def test_the_page_uses_no_network() -> None:
    html = render([("1", "a")])
    assert not re.search(r"""(src|href|url)\s*[=(]|@import|fetch\(|XMLHttp""", html)
    assert re.findall(r"https?://[^\"' ]+", html) == ["https://www.mturk.com/mturk/externalSubmit"]


def test_the_same_queries_give_the_same_bytes() -> None:
    assert render([("1", "a")]) == render([("1", "a")])


def good(**changes: str) -> list[tuple[str, str]]:
    return list({"v": "2", "q-0-gender": "n", "q-1-gender": "o", **changes}.items())


def chosen(answer: Answer) -> list[str]:
    return ["".join(codes["gender"]) for codes in answer.codes]


def test_an_answer_is_read_in_the_order_of_the_places() -> None:
    assert chosen(read_answer(GENDER, reversed(good()), 2)) == ["n", "o"]
    framed = good(assignmentId="3X", hitId="3Y", workerId="A1")
    assert chosen(read_answer(GENDER, framed, 2)) == ["n", "o"]


def test_an_answer_may_say_that_the_worker_cannot_tell_and_why() -> None:
    said = good(**{"q-1-gender": "?", "c-1-gender": " two readings ", "comment": "Nice task."})
    answer = read_answer(GENDER, said, 2)
    assert chosen(answer) == ["n", "?"], "as it is stored"
    assert answer.texts == [{}, {"gender": "two readings"}]
    assert answer.comment == "Nice task."


def test_where_consent_is_asked_for_an_answer_without_it_is_refused() -> None:
    with pytest.raises(AnswerError):
        read_answer(GENDER, good(), 2, needs_consent=True)
    assert chosen(read_answer(GENDER, good(consent="yes"), 2, needs_consent=True)) == ["n", "o"]


@pytest.mark.parametrize(
    ("fields", "data"),
    [
        (good()[:-1], "q-1-gender"),
        (good(**{"q-1-gender": ""}), "q-1-gender"),
        (good(**{"q-1-gender": "x"}), "'x'"),
        (good(**{"q-1-gender": "N"}), "'N'"),
        (good(**{"q-1-gender": " n"}), "' n'"),
        (good(**{"q-1-gender": "n|f"}), "'n|f'"),
        (good(**{"q-2-gender": "n"}), "'q-2-gender'"),
        (good(**{"q-01": "n"}), "'q-01'"),
        ([*good(), ("q-0-gender", "n")], "'q-0-gender'"),
        (good(v="3"), "'3'"),
        (good()[1:], "None"),
        ([], "None"),
    ],
)
def test_what_is_not_an_answer_is_refused_with_its_reason(
    fields: list[tuple[str, str]], data: str
) -> None:
    with pytest.raises(AnswerError, match=re.escape(data)):
        read_answer(GENDER, fields, 2)


@pytest.mark.parametrize("language", languages())
def test_every_language_has_all_four_categories_with_clear_and_borderline_examples(
    language: str,
) -> None:
    scheme = built_in_scheme("gender", language)
    assert has_released_layout(scheme)
    for option in scheme.questions[0].options:
        assert len(option.examples) == 2
        assert option.counter_example
        assert option.counter_reason
    html = render([("1", "a")], PageTexts(scheme))
    lint(html)
    assert f'<html lang="{language}"' in html
    assert printable(scheme.questions[0].text) in html


def test_the_english_categories_are_named_as_in_the_vocabulary() -> None:
    assert built_in_scheme("gender").questions[0].labels == dict(Category.choices)


def test_consent_and_contact_stand_on_the_page_under_their_own_words() -> None:
    html = render([("1", "a")], PageTexts(consent="We keep <no> names.", contact="lab@b.example"))
    lint(html)
    assert "We keep &lt;no&gt; names." in html
    assert ("consent", "yes") in Page(html).fields
    assert "lab@b.example" in html


def test_a_page_of_queries_carries_nothing_for_passages() -> None:
    html = render([(f"q{number}", f"query number {number}") for number in range(10)])
    assert len(html.encode()) < 30_300
    assert "passage" not in html
    assert html.count("<script>") == html.count("<style>") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_passage_is_shown_as_text(text: str) -> None:
    texts = PageTexts(built_in_scheme("relevance"))
    html = render([("q d1", "plain", text), ("q d2", "plain", "short")], texts)
    lint(html)
    soup = BeautifulSoup(html, "html.parser")
    shown, short = soup.select(".passage p")
    assert shown.text == printable(text)
    assert short["dir"] == "auto"
    assert len(soup.select(".fold")) == (len(text) > 900)
    page, plain = Page(html), Page(render([("q d1", "plain", "a"), ("q d2", "plain", "b")], texts))
    named = [field for field in page.fields if field[0]]
    assert (named, page.scripts, page.qids) == (plain.fields, plain.scripts, plain.qids)


@pytest.mark.parametrize("scheme", ["gender", "relevance"])
def test_a_policy_by_hashes_allows_every_script_and_style(scheme: str) -> None:
    html = render([("q d1", "a", "b")], PageTexts(built_in_scheme(scheme)))
    for tag, sources in (("script", "script-src"), ("style", "style-src")):
        for part in BeautifulSoup(html, "html.parser").find_all(tag):
            digest = base64.b64encode(hashlib.sha256(part.text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in inline_hashes()[sources]
