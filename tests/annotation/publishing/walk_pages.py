"""Comparison of the numbers on the pages of a study with plain accounts of its rows.

Pages are read by whoever calls: by a client of Django's, or by a browser.
"""

import re
from collections.abc import Callable

from bs4 import BeautifulSoup, Tag
from django.urls import reverse

from tests.annotation.publishing.walk import Account, Walk, standing

#: Return the page at a path.
Read = Callable[[str], BeautifulSoup]
_OUTDATED = "Labels have changed since"


def check_pages(read: Read, walk: Walk) -> None:
    """Compare every page's numbers with the database; an error shows the acts before."""
    accounts = [Account(batch) for batch in walk.study.batches.order_by("-pk")]
    for account in accounts:
        _check_batch(read, account, (walk.seed, walk.done, account.in_words()))
    _check_study(read, walk, accounts, (walk.seed, walk.done))


def _page(read: Read, name: str, number: int) -> BeautifulSoup:
    return read(reverse(name, args=[number]))


def _text(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def _terms(page: BeautifulSoup, selector: str) -> dict[str, str]:
    """The descriptions of a list of terms."""
    return {
        _text(term): _text(term.find_next("dd"))  # type: ignore[arg-type]
        for term in page.select(f"{selector} dt")
    }


def _check_batch(read: Read, account: Account, said: object) -> None:
    batch = account.batch
    page = _page(read, "batch-detail", batch.pk)
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
    costs = _page(read, "batch-costs", batch.pk).select("#account ~ .table-frame tr")
    paid = {_text(row.select("th")[0]): _text(row.select("td")[-1]) for row in costs}
    assert paid["Paid in all"] == f"{account.spent:.2f} USD", said
    assert paid["Held"] == f"{account.held:.2f} USD", said
    assert paid["Committed"] == f"{batch.committed:.2f} USD", said


def _check_labels(read: Read, account: Account, said: object) -> None:
    values = [value for value, _ in standing(account.batch.pk).values()]
    page = _page(read, "batch-labels", account.batch.pk)
    shown = [int(_text(row).split()[-1].replace(",", "")) for row in page.select("ul.counts li")]
    question = account.batch.scheme.subset_question
    if shown:
        assert shown == [values.count(value) for value in (*question.codes, "tie")], said


def _check_study(read: Read, walk: Walk, accounts: list[Account], said: object) -> None:
    page = _page(read, "study-detail", walk.study.pk)
    here = [account for account in accounts if not account.batch.archived_at]
    money = " ".join(_text(line) for line in page.select(".glance .money"))
    spent = sum(account.spent for account in here)
    committed = sum(account.batch.committed for account in here)
    if committed:
        assert f"{spent:.2f} USD spent, of {committed:.2f} USD committed" in money, said
    out = [_text(row) for row in page.select(".glance .awaited")]
    awaited = [
        account for account in here if account.batch.state == "published" and account.n_to_come
    ]
    assert out == [
        f"Answers to {account.batch.name} {account.n_answers} of {account.n_places} answers are in"
        for account in awaited[:3]
    ], said
    sentence = _text(page.select("#labels .summary, #labels .notice")[0])
    if any(account.n_expected for account in here):
        counted = sum(account.votes["counted"] for account in here if account.n_expected)
        expected = sum(account.n_expected for account in here)
        assert f"{counted} of {expected} votes" in sentence, said
    _check_to_do(sentence, here, said)
    for account in here:
        _check_labels(read, account, said)
    _check_reports(read, walk, said)


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


def _check_reports(read: Read, walk: Walk, said: object) -> None:
    page = _page(read, "study-reports", walk.study.pk)
    cards = page.select("ul.cards[aria-label='Bias reports'] > li")
    words = {str(card.select("a")[0]["href"]).split("/")[-2]: _text(card) for card in cards}
    assert {int(number) for number in words} == {*walk.reports}, said
    outdated = {int(number) for number, text in words.items() if _OUTDATED in text}
    assert walk.stale <= outdated <= walk.decided_since, said
