"""The editor of a draft's scheme without a script: its fields, its buttons, and its errors."""

from collections.abc import Mapping
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.core.perform import perform_here
from annotation.models import Batch
from annotation.schemes import (
    About,
    built_in_scheme,
    is_blank,
    scheme_from_yaml,
    schemes_about,
)
from tests.paired import batch_of_pairs
from tests.schemed import SCHEME, STAFF, form_terms, made, scheme_fields
from tests.study import stored_pool

pytestmark = pytest.mark.django_db


class Editor:
    """The form as a browser without a script holds it."""

    def __init__(self, client: Client, batch: Batch, **asked: str) -> None:
        self.client, self.batch = client, batch
        self._read(client.get(reverse("batch-scheme", args=[batch.pk], query=asked)))

    def send(self, changes: Mapping[str, Any] | None = None, **button: str) -> Any:
        """Change fields and press a button."""
        sent = {**self.fields, **(changes or {}), **button}
        response = self.client.post(reverse("batch-scheme-save", args=[self.batch.pk]), sent)
        if response.status_code == 200:
            self._read(response)
        return response

    def labels(self, question: str) -> list[str]:
        return [
            value[0]
            for name, value in self.fields.items()
            if name.startswith(f"{question}-o") and name.endswith("-label")
        ]

    def problem(self, field: str) -> str:
        [problem] = self.page.select(f"#id_{field}_error, #{field}")
        return problem.text

    @property
    def focus(self) -> str:
        [control] = self.page.select("[autofocus]")
        return str(control.get("id", control.name))

    @property
    def happened(self) -> str:
        return self.page.select("#happened")[0].text

    @property
    def stored(self) -> Any:
        return Batch.objects.get(pk=self.batch.pk).scheme

    def _read(self, response: Any) -> None:
        text = response.content.decode()
        self.page, self.fields = BeautifulSoup(text, "html.parser"), scheme_fields(text)


@pytest.fixture
def batch() -> Batch:
    return made(stored_pool(4).belongs.study)


@pytest.fixture
def editor(admin_client: Client, batch: Batch) -> Editor:
    return Editor(admin_client, batch)


def test_the_form_says_the_whole_of_every_scheme(admin_client: Client, batch: Batch) -> None:
    for scheme in (scheme_from_yaml(SCHEME), *schemes_about(About.QUERY).values()):
        perform_here(CHANGE_SCHEME, batch, {"scheme": scheme}, STAFF)
        editor, before = Editor(admin_client, batch), batch.scheme_versions.count()
        assert editor.send(save="1").status_code == 302
        assert editor.stored == scheme
        assert batch.scheme_versions.count() == before, "nothing has changed"


def test_a_draft_of_pairs_offers_and_keeps_what_judges_passages(admin_client: Client) -> None:
    batch = batch_of_pairs()
    for name in schemes_about(About.PASSAGE):
        editor = Editor(admin_client, batch, start=name)
        assert editor.send(save="1").status_code == 302
        assert editor.stored == built_in_scheme(name)
    starts = [link.text for link in editor.page.select("#starts li")]
    assert starts == ["Blank", *(one.title for one in schemes_about(About.PASSAGE).values())]
    editor = Editor(admin_client, batch, start="blank")
    typed = {"title": "Sources", "q0-text": "Does it name a source?", "subset-words": "any"}
    options = {"q0-o0-label": "Yes", "q0-o1-label": "No", "subset-any_of": ["q0-o0"]}
    assert editor.send(typed | options, save="1").status_code == 302
    assert editor.stored.about == About.PASSAGE


def test_options_are_added_moved_and_removed_and_what_refers_to_them_goes_along(
    editor: Editor,
) -> None:
    editor.send({"q1-o0-label": "Sikhs"}, act="q1:add")
    assert (editor.happened, editor.focus) == ("Option 4 added.", "id_q1-o3-label")
    editor.send({"q1-o3-label": "Hindus"}, act="q1-o3:up")
    assert (editor.happened, editor.focus) == ("Option “Hindus” is now 3 of 4.", "q1-o3-up")
    editor.send(act="q1-o1:up")
    assert editor.focus == "q1-o1-down", "the first one has nowhere to go up"
    editor.send(act="q1-o0:remove")
    assert (editor.happened, editor.focus) == (
        "Option “Sikhs” removed, 3 left.",
        "id_q1-o3-label",
    )
    assert editor.labels("q1") == ["Christians", "Hindus", "Jews"]
    # The name of a question and the code of an option, to which condition and subset refer.
    changed = {"q0-name": "faith", "q0-o1-code": "it_does", "q0-o0-code": "none"}
    assert editor.send(changed, save="1").status_code == 302
    scheme = editor.stored
    assert scheme.question("groups").shown_if.question == "faith"
    assert scheme.question("groups").shown_if.any_of == ("it_does",)
    assert (scheme.subset.question, scheme.subset.any_of) == ("faith", ("none",))
    assert scheme.question("groups").codes == ("c", "hindus", "j")


def test_questions_are_added_moved_and_removed(editor: Editor) -> None:
    editor.send(act=":add")
    assert (editor.happened, editor.focus) == ("Question 4 added.", "id_q3-text")
    editor.send({"q3-text": "Why?", "q3-kind": "text"}, act="q3:up")
    assert editor.happened == "Question “Why?” is now 3 of 4."
    editor.send(act="q2:remove")
    assert editor.happened == "Question “How harmful would a wrong answer be?” removed, 3 left."
    assert editor.send(save="1").status_code == 302
    names = [question.name for question in editor.stored.questions]
    assert names == ["named", "groups", "why"]


def test_a_condition_goes_with_the_question_that_it_asks_for(editor: Editor) -> None:
    editor.send(act="q0:remove")
    editor.send({"subset-question": "q1", "subset-any_of": ["q1-o0"]}, save="1")
    assert editor.stored.question("groups").shown_if is None
    assert editor.stored.subset.any_of == ("m",)


def test_points_of_a_scale_count_on_by_themselves(editor: Editor) -> None:
    editor.send({"q2-first": "0"}, act="q2:add")
    editor.send(act="q2-o3:up")
    editor.send({"q2-o3-label": "Rather"}, save="1")
    options = editor.stored.question("harm").options
    assert [(option.code, option.label) for option in options] == [
        ("0", "Not at all"),
        ("1", "2"),
        ("2", "Rather"),
        ("3", "Very"),
    ]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"title": ""}, "title", "The text is empty. Write one."),
        ({"title": "x" * 121}, "title", "The text has 121 characters. Use at most 120."),
        ({"name": "Not a name"}, "name", "'Not a name' is not a name."),
        ({"q0-text": ""}, "q0-text", "The text is empty."),
        ({"q0-text": "<b>Which</b>?"}, "q0-text", "The text has markup or control characters."),
        ({"q1-name": "named"}, "q1-name", "The name 'named' comes twice."),
        (
            {"q1-o1-label": "", "q1-o1-code": "", "q1-o2-label": "", "q1-o2-code": ""},
            "q1-options",
            "Several options need at least two. Give 2 to 50.",
        ),
        ({"q1-o0-label": ""}, "q1-o0-label", "The text is empty."),
        ({"q1-o0-code": "c"}, "q1-o1-code", "The code 'c' comes twice."),
        ({"q1-o0-code": "tie"}, "q1-o0-code", "'tie' is not a code"),
        ({"q1-o0-key": "9", "q1-o1-key": "9"}, "q1-o1-key", "The key '9' comes twice."),
        ({"q1-o0-key": "?"}, "q1-o0-key", "Use one of 0 to 9 or a to z."),
        ({"q1-o0-examples": "a\nb\nc\nd\ne\nf"}, "q1-o0-examples", "There are 6 examples."),
        ({"q1-o0-examples": "eid\n&#1;"}, "q1-o0-examples", "Line 2: The text has markup"),
        ({"q2-first": "one"}, "q2-options", "The points of a scale are whole numbers."),
        ({"q0-after": "q1"}, "q0-after", "The conditions go in a circle"),
        ({"q0-after": "q2"}, "q0-after", "The question 'harm' comes later."),
        ({"subset-any_of": []}, "subset-any_of", "Mark at least one answer."),
        (
            {"subset-words": "", "subset-any_of": [], "subset-none_of": ["q0-o0"]},
            "subset-words",
            "The text is empty.",
        ),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_lost(
    editor: Editor, changes: dict[str, str | list[str]], field: str, words: str
) -> None:
    before = editor.fields
    assert editor.send(changes, save="1").status_code == 200
    assert words in editor.problem(field)
    assert "questions[" not in editor.page.text
    typed = before | {n: v if isinstance(v, list) else [v] for n, v in changes.items() if v != []}
    lost = {name for name, value in typed.items() if editor.fields.get(name) != value}
    assert not lost - {
        "csrfmiddlewaretoken",
        *(name for name, value in changes.items() if value == []),
    }
    assert editor.focus == "div", "the list of what is wrong"
    assert editor.stored == scheme_from_yaml(SCHEME)
    for link in editor.page.select("[role=alert] a"):
        assert editor.page.select(f"[id='{str(link['href'])[1:]}']")


def test_the_largest_scheme_fits_into_the_form(editor: Editor) -> None:
    names = ("label", "definition", "examples", "counter_example", "counter_reason", "key", "code")
    empty = {f"q1-o{n}-{name}": "" for n in range(3, 1_000) for name in names}
    assert editor.send(empty, save="1").status_code == 302
    assert editor.stored == scheme_from_yaml(SCHEME)


def test_what_was_wrong_is_checked_again_with_every_change(editor: Editor) -> None:
    editor.send(
        {"q1-o1-label": "", "q1-o1-code": "", "q1-o2-label": "", "q1-o2-code": ""}, save="1"
    )
    editor.send({"q1-o1-label": "Hindus"}, act="q1:add")
    assert not editor.page.select(".problem")


def test_an_act_says_nothing_of_what_is_still_to_be_typed(editor: Editor) -> None:
    editor.send(act=":add")
    assert not editor.page.select(".problem")


@pytest.mark.parametrize(
    "act", ["", "x", "q9:up", "q0-o9:up", "q0:sideways", "q0-o0:up", "q2:down"]
)
def test_a_button_that_is_not_there_changes_nothing(editor: Editor, act: str) -> None:
    before = editor.fields
    assert editor.send(act=act).status_code == 200
    assert editor.fields | {"csrfmiddlewaretoken": before["csrfmiddlewaretoken"]} == before


def test_another_kind_keeps_the_options_that_it_does_not_show(editor: Editor) -> None:
    editor.send({"q1-kind": "text"}, act=":")
    assert editor.labels("q1") == ["Muslims", "Christians", "Jews"]
    editor.send(save="1")
    assert editor.stored.question("groups").options == ()


def test_what_was_typed_stays_where_the_batch_was_published_meanwhile(editor: Editor) -> None:
    Batch.objects.filter(pk=editor.batch.pk).update(state="published")
    for typed in ("", "Is a faith named?"):
        editor.send({"q0-text": typed}, save="1")
        assert editor.fields["q0-text"] == [typed]
    assert "not available for a published batch" in editor.page.text
    assert editor.stored == scheme_from_yaml(SCHEME)


def test_a_preview_is_the_task_page_of_what_was_typed(editor: Editor) -> None:
    page = editor.send({"q0-text": "Is a faith named?"}).content.decode()
    assert "Is a faith named?&lt;/h2&gt;" in page
    assert "It is not saved." in page
    assert editor.stored == scheme_from_yaml(SCHEME)


def test_a_blank_draft_leads_to_its_questions_and_waits_for_them(admin_client: Client) -> None:
    pool = stored_pool(4)
    terms = form_terms(pool.name) | {"scheme": "blank"}
    stored = admin_client.post(reverse("batch-store"), terms)
    batch = Batch.objects.get(name="faith")
    assert is_blank(batch.scheme)
    assert stored["Location"] == reverse("batch-scheme", args=[batch.pk])
    publish = reverse("batch-publish", args=[batch.pk])
    told = admin_client.post(publish, follow=True).content.decode()
    assert "are still to be written" in told
    editor = Editor(admin_client, batch)
    assert editor.labels("q0") == ["", ""]
    typed = {"title": "Tongues", "q0-text": "Which language is it in?", "subset-words": "English"}
    options = {"q0-o0-label": "English", "q0-o1-label": "Another one"}
    editor.send(typed | options, act=":")
    assert editor.send({"subset-any_of": ["q0-o0"]}, save="1").status_code == 302
    assert editor.stored.question("which_language_is_it_in").codes == ("english", "another one")
    assert "are still to be written" not in admin_client.post(publish, follow=True).content.decode()


def test_a_new_batch_may_lead_to_the_questions_of_a_built_in_scheme(admin_client: Client) -> None:
    terms = form_terms(stored_pool(4).name) | {"edit": "1"}
    stored = admin_client.post(reverse("batch-store"), terms)
    batch = Batch.objects.get(name="faith")
    assert stored["Location"] == reverse("batch-scheme", args=[batch.pk])
    assert Editor(admin_client, batch, start="blank").labels("q0") == ["", ""]
    assert Editor(admin_client, batch, start="region").fields["title"] == [
        built_in_scheme("region").title
    ]
