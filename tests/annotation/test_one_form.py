"""What is typed in a form is what its button does, whatever was shown before."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.budget import BUDGET
from tests.annotation.test_corrected_figures import labelled
from tests.annotation.test_samples import draw, rated
from tests.browserless import press
from tests.page_parts import has_alert
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db


def test_labels_are_downloaded_as_chosen_without_a_preview(admin_client: Client) -> None:
    batch = stored_study(8)
    page = reverse("batch-labels", args=[batch.pk])
    file = press(admin_client, page, "Download", {"layout": "tsv", "category": "all"})
    read = b"".join(file.streaming_content)
    direct: Any = admin_client.get(
        reverse("batch-export", args=[batch.pk]), {"layout": "tsv", "category": "all"}
    )
    assert read == b"".join(direct.streaming_content)
    assert b"\t" in read
    assert "attachment" in file.headers["Content-Disposition"]


def test_a_choice_that_no_file_can_have_is_told_on_the_page(admin_client: Client) -> None:
    batch = stored_study(8)
    query = batch.queries.order_by("pk")[0]
    query.text = "with a\nline"
    query.save()
    page = reverse("batch-labels", args=[batch.pk])
    chosen = {"layout": "tsv", "category": "all"}
    told = press(admin_client, page, "Download", chosen, follow=True)
    assert urlsplit(told.redirect_chain[-1][0]).path == page
    assert has_alert(told.content.decode())
    assert told.context["form"]["layout"].value() == "tsv"


def test_figures_are_downloaded_as_chosen_without_showing_them(admin_client: Client) -> None:
    pool = stored_pool(60)
    rated(pool.belongs.study)
    batch = labelled(draw(pool, size=30).pool)
    page = reverse("batch-figures", args=[batch.pk])
    file = press(admin_client, page, "CSV", {"baseline": "LSA"})
    asked: Any = admin_client.get(
        reverse("batch-figures-file", args=[batch.pk]), {"baseline": "LSA"}
    )
    usual: Any = admin_client.get(reverse("batch-figures-file", args=[batch.pk]))
    read = b"".join(file.streaming_content)
    assert read == b"".join(asked.streaming_content) != b"".join(usual.streaming_content)


def test_an_operation_does_what_is_typed_and_looking_does_nothing(admin_client: Client) -> None:
    batch = stored_batch(stored_pool(8))
    page = reverse("batch-act", args=[batch.pk, "budget"])
    typed = {"budget": "600"}
    looked = press(admin_client, f"{page}?budget=500", "Show what it costs", typed, follow=True)
    assert looked.context["form"]["budget"].value() == "600"
    batch.refresh_from_db()
    before = batch.budget
    press(admin_client, f"{page}?budget=500", BUDGET.button, {"budget": "700"})
    batch.refresh_from_db()
    assert (before, batch.budget) == (Decimal(10_000), Decimal(700))
