"""The form of a new batch: what can be said in it, what it shows first, what it stores."""

import html
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation import task_page
from annotation.batches.operations.terms import (
    AdaptiveParameters,
    ConditionsParameters,
    CreateBatchParameters,
)
from annotation.batches.pages.batch_form import BatchForm
from annotation.batches.pages.batch_sections import SECTIONS
from annotation.core.parameters import fields_of
from annotation.models import Batch, Membership, Study
from annotation.vocabulary import Environment, Role
from tests.study import HOSTILE, stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db

TERMS = {
    "name": "second",
    "pool": "top",
    "reward": "0.25",
    "assignments_per_hit": "3",
    "queries_per_hit": "4",
    "lifetime_seconds": "7",
    "duration_seconds": "30",
    "seed": "0",
}
PASTED = TERMS | {"pool": "", "queries": "1\thow to bake bread\r\n2\tfirst queen\r\n"}


def previewed(client: Client, **terms: Any) -> str:
    """The page of the form after a preview; one that refuses the terms has the status 400."""
    response = client.post(reverse("batch-new"), TERMS | terms)
    assert response.status_code in {200, 400}
    return response.content.decode()


def stored(client: Client, **terms: Any) -> Batch:
    client.post(reverse("batch-store"), TERMS | terms)
    return Batch.objects.get(name="second")


@pytest.mark.parametrize("field", ["pool", "study", "not_from", "scheme", "name"])
def test_a_name_with_nul_is_no_choice_on_any_database(admin_client: Client, field: str) -> None:
    stored_pool(4)
    path = reverse("batch-new")
    assert admin_client.post(path, TERMS | {field: "\0"}).status_code == 400
    assert admin_client.get(path, {field: "\0"}).status_code in {200, 400}
    assert admin_client.get(path, {"name": "x", field: "\0"}).status_code in {200, 400}


def test_whatever_a_batch_can_be_the_form_can_say() -> None:
    fields = set(BatchForm.base_fields)
    # The form says another way round which queries are new.
    elsewhere = {"conditions", "new_only"}
    assert set(fields_of(CreateBatchParameters)) - elsewhere <= fields
    assert set(fields_of(ConditionsParameters)) | set(fields_of(AdaptiveParameters)) <= fields
    assert {name for _, _, names, _ in SECTIONS for name in names} == fields


def test_only_a_name_is_missing_from_the_form(client: Client) -> None:
    stored_pool(8)
    page = client.get(reverse("batch-new"))
    fields = {field.html_name: field.value() for field in page.context["form"]}
    given = {
        name: value for name, value in fields.items() if value is not None and value is not False
    }
    answer = client.post(reverse("batch-store"), given | {"name": "second"})
    assert answer.status_code == 302, answer.context["form"].errors
    batch = Batch.objects.get()
    assert (str(batch.pool), batch.assignments_per_hit, batch.queries.count()) == ("top", 3, 8)


def test_a_batch_is_previewed_before_it_is_stored(client: Client) -> None:
    stored_pool(8)
    shown = previewed(client)
    # 2 HITs of 4 queries, 3 assignments of 0.25 USD with a fee of 0.05 USD each.
    assert "1.80 USD" in shown
    assert "Local crowd service" in shown
    assert not Batch.objects.exists()
    batch = stored(client)
    assert (batch.hits.count(), batch.state, batch.queries.count()) == (2, "draft", 8)


def test_the_preview_holds_the_bytes_of_the_first_hit(client: Client) -> None:
    stored_pool(8)
    response = client.post(reverse("batch-new"), TERMS | {"consent": "We keep no names."})
    page = response.content.decode()
    framed = html.unescape(page.split('srcdoc="')[1].split('"')[0])
    first = stored(client, consent="We keep no names.").hits.get(index=0)
    queries = [(place.query.qid, place.query.text) for place in first.places.order_by("place")]
    assert framed == task_page.render(queries, task_page.PageTexts(consent="We keep no names."))
    assert HOSTILE not in page
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert all(source in policy for source in task_page.inline_hashes().values())


def test_what_was_not_shown_is_not_stored(client: Client) -> None:
    stored_pool(8)
    seen = client.post(reverse("batch-new"), TERMS).context["seen"]
    answer = client.post(reverse("batch-store"), TERMS | {"seen": seen, "reward": "0.50"})
    assert "changed since the preview" in answer.content.decode()
    assert not Batch.objects.exists()
    stored(client, seen=seen)


LONG = "x" * 40_000


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"reward": "0"}, "reward", "greater than or equal to 0.01"),
        ({"reward": "x"}, "reward", "Enter a number"),
        ({"budget": "0.10"}, "budget", "more than its budget"),
        ({"pool": "none"}, "pool", "Select a valid choice"),
        ({"pool": ""}, "queries", "Give a pool or queries"),
        ({"queries": "1\ta"}, "queries", "and not both"),
        ({"name": ""}, "name", "required"),
        ({"queries_per_hit": "0"}, "queries_per_hit", "greater than or equal to 1"),
        ({"pool": "", "queries": "1\ta\n\n1\tb"}, "queries", "Line 3: "),
        ({"pool": "", "queries": "1\n2"}, "queries", "Line 1: "),
        (
            {
                "pool": "",
                "queries": "\n".join(f"{n}\t{LONG}" for n in range(8)),
                "queries_per_hit": "8",
            },
            "queries_per_hit",
            "262,144",
        ),
        ({"pool": "", "queries": f"1\t{LONG}{LONG}"}, "queries", "Line 1: .*65,536"),
        ({"gold": "q1\tz"}, "gold", "Line 1: .*'q1'"),
        ({"gold": "9\tn"}, "gold", "Line 1: .*'9'"),
        ({"comprehension": "1,a,n\n2,b,x"}, "comprehension", "Line 2: .*'x'"),
        ({"locales": "US, usa"}, "locales", "'usa'"),
        ({"lifetime_seconds": "soon"}, "lifetime_seconds", "is not a duration"),
        ({"auto_approval_seconds": "31d"}, "auto_approval_seconds", "to 30 days"),
        ({"most_votes": "2"}, "most_votes", "greater than or equal to 3"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    client: Client, change: dict[str, str], field: str, problem: str
) -> None:
    stored_pool(8)
    for name in ("batch-new", "batch-store"):
        response = client.post(reverse(name), TERMS | change)
        assert re.search(problem, " ".join(response.context["form"].errors[field]))
        assert re.search(problem, html.unescape(response.content.decode()))
    assert not Batch.objects.exists()


def test_a_field_that_the_form_does_not_have_is_refused(client: Client) -> None:
    stored_pool(8)
    response = client.post(reverse("batch-store"), TERMS | {"rewards": "0.50"})
    assert "'reward'" in " ".join(response.context["form"].non_field_errors())
    assert not Batch.objects.exists()


def test_a_name_that_exists_is_refused(client: Client) -> None:
    stored_batch(stored_pool(8), "second")
    response = client.post(reverse("batch-store"), TERMS | {"include_batched": "on"})
    assert "'second' exists" in response.context["form"].errors["name"][0]


def test_queries_can_be_pasted_or_come_as_a_file_that_stays_in_the_form(client: Client) -> None:
    study = Study.objects.create(name="gender")
    file = SimpleUploadedFile("queries.tsv", b"\xef\xbb\xbf1\thow to bake bread\n2\tfirst queen\n")
    shown = previewed(client, **PASTED | {"queries": "", "queries_file": file, "study": study.pk})
    assert ">\n1\thow to bake bread\n2\tfirst queen\n</textarea>" in shown
    batch = stored(client, **PASTED, study=study.pk)
    assert (batch.study, batch.pool) == (study, None)
    assert [query.qid for query in batch.queries.order_by("qid")] == ["1", "2"]


def test_a_file_that_is_no_text_is_told_by_its_line(client: Client) -> None:
    file = SimpleUploadedFile("queries.tsv", b"1\tplain\n2\tcaf\xe9\n")
    response = client.post(reverse("batch-new"), PASTED | {"queries_file": file})
    assert "Line 2 is not text in UTF-8" in response.context["form"].errors["queries"][0]


def test_pasted_queries_of_members_belong_to_a_study_of_theirs(
    client: Client, settings: Settings
) -> None:
    settings.OPEN = False
    mine, other = (Study.objects.create(name=name) for name in ("mine", "other"))
    owner = User.objects.create_user("owner")
    Membership.objects.create(study=mine, user=owner, role=Role.OWNER)
    client.force_login(owner)
    for study in ("", str(other.pk)):
        response = client.post(reverse("batch-store"), PASTED | {"study": study})
        assert response.context["form"].errors["study"]
    assert stored(client, **PASTED, study=mine.pk).study == mine


def test_every_term_reaches_the_batch(client: Client) -> None:
    earlier = with_votes(stored_batch(stored_pool(8), "first"))
    batch = stored(
        client,
        include_batched="on",
        title="Read queries",
        description="Say what they are about.",
        keywords="search",
        consent="We keep no names.\n\nYou may stop at any time.",
        locales="US, CA",
        min_approval="95",
        min_approved="500",
        masters="on",
        share_percent="20",
        not_from=[earlier.name],
        gold="q1\tn",
        comprehension="1,the king of spain,m",
        lifetime_seconds="12h",
        duration_seconds="90s",
        auto_approval_seconds="1",
        budget="100",
    )
    assert (batch.title, batch.description) == ("Read queries", "Say what they are about.")
    assert (batch.keywords, batch.consent[:16]) == ("search", "We keep no names")
    assert batch.conditions == {
        "locales": ["US", "CA"],
        "min_approval": 95,
        "min_approved": 500,
        "masters": True,
        "share_percent": 20,
        "not_from": ["first"],
    }
    assert batch.queries.get(qid="q1").gold == "n"
    assert batch.comprehension == [["the king of spain", "m"]]
    lengths = (batch.lifetime_seconds, batch.duration_seconds, batch.auto_approval_seconds)
    assert lengths == (43_200, 90, 86_400)
    assert batch.budget == Decimal(100)


def test_a_batch_may_ask_adaptively_from_the_start(client: Client) -> None:
    stored_pool(8)
    terms = {"adaptive": "on", "full_share": "25", "most_votes": "7"}
    assert "further votes, where workers differ, cost more" in previewed(client, **terms)
    batch = stored(client, **terms)
    rule = batch.adaptive_policy
    assert (batch.assignments_per_hit, rule.full_share, rule.most_votes) == (2, 0.25, 7)


def test_the_cost_is_told_while_terms_are_typed(client: Client) -> None:
    stored_pool(8)
    address = reverse("batch-new-cost")
    asked = TERMS | {"name": "", "queries_per_hit": "8"}
    assert "0.90 USD" in client.post(address, asked).content.decode()
    unknown = client.post(address, asked | {"reward": "x"}).content.decode()
    assert "not known yet: Enter a number" in unknown


def test_a_batch_that_spends_real_money_needs_a_budget(client: Client, settings: Settings) -> None:
    settings.MTURK_ENVIRONMENT = "production"
    stored_pool(8)
    shown = previewed(client)
    assert "needs a budget; 1.80 USD is the full cost" in shown
    assert "real money" in shown
    assert stored(client, budget="1.80").environment == Environment.PRODUCTION


def test_a_study_leads_to_a_batch_of_queries_of_its_own(client: Client) -> None:
    study = Study.objects.create(name="gender")
    stored_pool(8)
    page = client.get(reverse("study-detail", args=[study.pk])).content.decode()
    address = f"{reverse('batch-new')}?study={study.pk}&pool="
    assert html.escape(address) in page
    form = client.get(address).context["form"]
    assert (form["pool"].value(), form["study"].value()) == ("", str(study.pk))
    assert [part.title for part in form.sections() if part.is_open] == [
        "Queries",
        "Queries without a pool",
        "Work and pay",
    ]


def test_more_queries_than_a_batch_holds_are_refused_in_words(tmp_path: Path) -> None:
    queries = tmp_path / "queries.tsv"
    queries.write_text("".join(f"q{n}\tquery {n}\n" for n in range(50_001)))

    with pytest.raises(CommandError, match="--queries: More than 50,000 queries; make a batch"):
        call_command("batch", "create", "--name", "all", "--queries", queries)


def test_queries_of_an_earlier_batch_are_new_to_another_question(client: Client) -> None:
    stored_batch(stored_pool(8), "earlier")

    assert "An earlier batch asks the same about every query." in previewed(client)
    assert stored(client, scheme="region").queries.count() == 8
    again = previewed(client, name="third", scheme="region")
    assert "An earlier batch asks the same about every query." in again
    assert previewed(client, name="third", scheme="severity").count("An earlier batch") == 0
