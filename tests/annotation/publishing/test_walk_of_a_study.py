"""Whatever is done in a study, in whatever order, every page says what the rows have."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from django.test import Client
from django.urls import reverse

from tests.annotation.publishing.walk import Account, Walk, standing

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Acts of a walk; of the one that every run of the tests takes.
_STEPS, _FEW = 25, 10


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 21))]
)
def test_every_page_says_what_the_rows_have_after_every_act(
    crowd: str, admin_client: Client, tmp_path: Path, seed: int
) -> None:
    walk = Walk(seed, tmp_path)
    done = []
    for _ in range(_STEPS if seed else _FEW):
        done.append(walk.step())
        accounts = [Account(batch) for batch in walk.study.batches.order_by("-pk")]
        for account in accounts:
            said = (seed, done, account.in_words())
            _check_batch(admin_client, account, said)
        _check_study(admin_client, walk, accounts, (seed, done))


def _page(client: Client, name: str, number: int) -> BeautifulSoup:
    return BeautifulSoup(client.get(reverse(name, args=[number])).content, "html.parser")


def _text(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def _terms(page: BeautifulSoup, selector: str) -> dict[str, str]:
    """The descriptions of a list of terms."""
    return {
        _text(term): _text(term.find_next("dd"))  # type: ignore[arg-type]
        for term in page.select(f"{selector} dt")
    }


def _check_batch(client: Client, account: Account, said: object) -> None:
    batch = account.batch
    page = _page(client, "batch-detail", batch.pk)
    strip, facts = _terms(page, "dl.strip"), _terms(page, "dl.facts")
    of = f" of {account.n_expected}" if account.n_expected else ""
    assert strip["Votes"].startswith(f"{account.votes['counted']}{of}"), said
    heading = page.select_one('[aria-label="Next step"] h2')
    assert (_text(heading) if heading else "") == account.next, said
    if batch.environment == "imported":
        return
    assert strip["Answers"].startswith(f"{account.n_answers} of {account.n_places}"), said
    assert strip["Spent"].startswith(f"{account.spent:.2f} USD"), said
    assert facts["Held"].startswith(f"{account.held:.2f} USD"), said
    unused = facts.get("Not used", "0.00 USD")
    assert unused.startswith(f"{account.unused:.2f} USD"), said
    assert account.spent + account.held + account.unused == batch.committed, said
    costs = _page(client, "batch-costs", batch.pk).select("#account ~ .table-frame tr")
    paid = {_text(row.select("th")[0]): _text(row.select("td")[-1]) for row in costs}
    assert paid["Paid in all"] == f"{account.spent:.2f} USD", said
    assert paid["Held"] == f"{account.held:.2f} USD", said
    assert paid["Committed"] == f"{batch.committed:.2f} USD", said


def _check_labels(client: Client, account: Account, said: object) -> None:
    values = [value for value, _ in standing(account.batch.pk).values()]
    page = _page(client, "batch-labels", account.batch.pk)
    shown = [int(_text(row).split()[-1].replace(",", "")) for row in page.select("ul.counts li")]
    question = account.batch.scheme.subset_question
    if shown:
        assert shown == [values.count(value) for value in (*question.codes, "tie")], said


def _check_study(client: Client, walk: Walk, accounts: list[Account], said: object) -> None:
    page = _page(client, "study-detail", walk.study.pk)
    here = [account for account in accounts if not account.batch.archived_at]
    money = _text(page.select("ul.glance > li")[3])
    spent = sum(account.spent for account in here)
    committed = sum(account.batch.committed for account in here)
    assert f"{spent:.2f} USD spent, of {committed:.2f} USD committed" in money, said
    out = [_text(row) for row in page.select("ul.glance > li")[4].select("p.quiet")]
    awaited = [
        account for account in here if account.batch.state == "published" and account.n_to_come
    ]
    assert out == [
        f"{account.n_answers} of {account.n_places} answers are in" for account in awaited[:3]
    ] or (not awaited and out == ["No batch waits for answers."]), said
    sentence = _text(page.select("#labels .summary, #labels .notice")[0])
    if any(account.n_expected for account in here):
        counted = sum(account.votes["counted"] for account in here if account.n_expected)
        expected = sum(account.n_expected for account in here)
        assert f"{counted} of {expected} votes" in sentence, said
    _check_to_do(sentence, here, said)
    for account in here:
        _check_labels(client, account, said)
    _check_reports(page, client, walk, said)


def _check_to_do(sentence: str, accounts: list[Account], said: object) -> None:
    """The study leads to the first of its batches, the latest first, that waits for somebody."""
    for account in accounts:
        name = account.batch.name
        words = {
            "Next: another round": f"The next round of {name} is to ask about {account.n_to_ask} ",
            "Next: missing answers": f"{account.n_missing} answer",
            "Next: labels": f"Labels of {name} can be decided.",
            "Next: ties": f"{account.n_ties} tie",
        }
        if account.next in words:
            of = re.escape(words[account.next])
            assert re.search(rf"(^|[ .]){of}", sentence), (sentence, *said)  # type: ignore[misc]
            assert name in sentence, said
            return


def _check_reports(page: BeautifulSoup, client: Client, walk: Walk, said: object) -> None:
    del page
    listed = client.get(reverse("study-reports", args=[walk.study.pk])).context["reports"]
    outdated = {row.report.pk for row in listed if row.is_outdated}
    assert walk.stale <= outdated <= walk.decided_since, said
