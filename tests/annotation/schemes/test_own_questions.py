"""A plain question of one's own: saved without a word about measures, and chosen again."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.queries.schemes import own_schemes
from annotation.models import Batch, Membership
from annotation.schemes import (
    About,
    SchemeError,
    built_in_scheme,
    built_in_schemes,
    scheme_from_yaml,
    scheme_to_yaml,
)
from annotation.schemes.kinds import KINDS
from annotation.vocabulary import Role
from tests.annotation.schemes.test_scheme_editor import Editor
from tests.schemed import SCHEME, form_terms, made
from tests.study import stored_pool

pytestmark = pytest.mark.django_db
TYPED = {
    "title": "Sources",
    "q0-text": "Does it name a source?",
    "q0-o0-label": "Yes, definitely",
    "q0-o1-label": "No (not at all)",
}


@pytest.fixture
def batch() -> Any:
    return made(stored_pool(4).belongs.study, scheme="severity")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.has_options])
def test_nothing_but_the_question_and_its_answers_has_to_be_typed(
    kind: str, batch: Any, admin_client: Client
) -> None:
    editor = Editor(admin_client, batch, start="blank")
    assert editor.send(TYPED | {"q0-kind": kind}, save="1").status_code == 302
    scheme = editor.stored
    question = scheme.questions[0]
    assert list(question.labels.values()) == ["Yes, definitely", "No (not at all)"]
    assert scheme.subset.codes_of(question) == [question.codes[0]]
    assert "Yes, definitely" in scheme.subset.words
    again = Editor(admin_client, batch)
    assert again.send({"q0-o0-label": "Of course"}, save="1").status_code == 302
    assert "Of course" in again.stored.subset.words


def test_a_condition_without_a_mark_is_any_answer(batch: Any, admin_client: Client) -> None:
    editor = Editor(admin_client, batch, start="blank")
    editor.send(TYPED, act=":add")
    second = {"q1-text": "Which one?", "q1-kind": "text", "q1-after": "q0"}
    assert editor.send(second, save="1").status_code == 302
    first, which = editor.stored.questions
    assert which.shown_if.any_of == first.codes


def test_what_was_said_about_measures_stays(batch: Any, admin_client: Client) -> None:
    for name, scheme in built_in_schemes().items():
        if scheme.about == About.QUERY:
            editor = Editor(admin_client, batch, start=name, language="en")
            assert editor.send(save="1").status_code == 302
            assert editor.stored == scheme
    own = made(batch.pool.belongs.study, name="own")
    editor = Editor(admin_client, own)
    [details] = editor.page.select("#subset-more")
    assert details.has_attr("open")
    assert editor.send(save="1").status_code == 302
    assert editor.stored == scheme_from_yaml(SCHEME)


def test_yaml_may_leave_it_out_unless_nothing_has_options() -> None:
    scheme = scheme_from_yaml(SCHEME.rpartition("subset:")[0])
    assert scheme.subset.codes_of(scheme.question("named")) == ["no"]
    assert scheme_from_yaml(scheme_to_yaml(scheme)) == scheme
    with pytest.raises(SchemeError) as error:
        scheme_from_yaml("name: a\ntitle: A\nquestions: [{name: q, text: Q, kind: text}]")
    assert error.value.place == "questions"


def test_texts_alone_are_refused_in_words_beside_the_questions(
    batch: Any, admin_client: Client
) -> None:
    editor = Editor(admin_client, batch, start="blank")
    assert editor.send(TYPED | {"q0-kind": "text"}, save="1").status_code == 200
    [problem] = editor.page.select(".notice.error[role=alert]")
    assert "options" in problem.text


def test_a_scheme_made_once_is_offered_for_a_new_batch_and_in_the_editor(
    batch: Any, admin_client: Client
) -> None:
    own = made(batch.pool.belongs.study, name="own")
    key = f"batch-{own.pk}"
    page = BeautifulSoup(admin_client.get(reverse("batch-new")).content, "html.parser")
    assert page.select(f'#id_scheme option[value="{key}"]')
    terms = form_terms(batch.pool.name) | {"name": "again", "scheme": key}
    assert admin_client.post(reverse("batch-store"), terms).status_code == 302
    assert Batch.objects.get(name="again").scheme == scheme_from_yaml(SCHEME)
    editor = Editor(admin_client, batch)
    assert editor.page.select(f'#starts a[href="?start={key}"]')
    editor = Editor(admin_client, batch, start=key)
    assert editor.send(save="1").status_code == 302
    assert editor.stored == scheme_from_yaml(SCHEME)


def test_only_schemes_that_one_may_see_and_each_once_are_offered(
    batch: Any, settings: Settings
) -> None:
    settings.OPEN = False
    study, user = batch.pool.belongs.study, User.objects.create_user("ada")
    first, _twice = made(study, name="own"), made(study, name="twice")
    assert own_schemes(user=user) == {}
    Membership.objects.create(study=study, user=user, role=Role.VIEWER)
    [own] = own_schemes(user=user).values()
    assert (own.batch, own.scheme) == ("own", scheme_from_yaml(SCHEME))
    assert own_schemes(user=user, about=About.PASSAGE) == {}
    assert [one.batch for one in own_schemes(user=user, besides=first).values()] == ["twice"]


def test_known_answers_show_the_options_of_the_chosen_scheme(
    batch: Any, admin_client: Client
) -> None:
    own = made(batch.pool.belongs.study, name="own")
    terms = form_terms(batch.pool.name)
    for scheme, codes in (
        (f"batch-{own.pk}", ["no", "yes", "m", "c", "j", "1", "2", "3"]),
        ("severity", list(built_in_scheme("severity").questions[0].codes)),
    ):
        part = admin_client.post(reverse("batch-new-cost"), terms | {"scheme": scheme})
        [shown] = BeautifulSoup(part.content, "html.parser").select("#known-options")
        assert shown.has_attr("data-hx-swap-oob")
        written = [code.text for code in shown.select("code") if not code.text.endswith("=")]
        assert written[: len(codes)] == codes
    page = BeautifulSoup(admin_client.get(reverse("batch-new")).content, "html.parser")
    assert page.select("#known-options code")
