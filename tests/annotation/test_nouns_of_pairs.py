"""Pages and commands about batches and pools of pairs count pairs, not queries."""

import re
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from annotation.core.counting import about_items
from annotation.labels.operations.decide import batch_label
from annotation.models import Batch
from tests.annotation.test_pages_of_pairs import GENDERS, answered
from tests.commands import run
from tests.paired import batch_of_pairs
from tests.site.every_page import acts_of
from tests.study import addresses, stored_pairs

pytestmark = pytest.mark.django_db

QUERY = re.compile(r"\bquer(?:y|ies)\b", re.IGNORECASE)
#: What a person reads beside the text of a page.
READ_OUT = ("aria-label", "title", "placeholder", "alt")
BLOCKS = (
    *("p", "li", "dt", "dd", "th", "td", "h1", "h2", "h3", "label", "summary", "button", "option"),
    *("figcaption", "legend", "caption", "pre", "text", "title", "small"),
)
#: Sentences that mean the query itself, of a pair or of a file, by what they have in them.
MEANT = (
    # What a pair consists of, and where it comes from.
    "query and passage", "passage to a query", "answer the query", "typed the query",
    "for its query in", "of each query in", "Whole queries", "and not the query",
    "of one query come one after", "each with a passage", "import queries",
    "the collection, the queries and the runs", "--queries QUERIES",
    # Columns of files.
    "qid", "query_id", "with open(",
    # What other batches, files and studies of the same site may have.
    "a collection, queries", "of a query file", "Ranks the queries", "Query likelihood",
    "Documents of each query", "Queries of each list", "queries without a pool", "pools, queries",
    "Queries without a pool", "queries of my own", "Study of these queries", "that a query names",
    "Gender of the query", "Labels of queries", "a file of queries", "one query per line",
    "Language of the queries", "none of these queries yet",
    # Names of numbers in the log, in the order of the database.
    "queries 6",
)  # fmt: skip
#: Texts that are nothing else: the columns of lists, and a kind of file.
WHOLE = {"Query", "Queries"}


def sentences(html: str) -> Iterator[str]:
    """The texts of a page, block by block, and what is read out in place of one."""
    soup = BeautifulSoup(html, "html.parser")
    for part in soup.select("script, style"):
        part.decompose()
    for block in soup.find_all(BLOCKS):
        if not block.find(BLOCKS):
            yield " ".join(block.get_text(" ").split())
    for tag in soup.find_all(True):
        yield from (str(tag[name]) for name in READ_OUT if tag.get(name))


def about_queries(client: Client, address: str) -> set[str]:
    """The sentences of a page that say query or queries."""
    page = client.get(address, follow=True)
    assert page.status_code == 200, address
    return {text for text in sentences(page.content.decode()) if QUERY.search(text)}


def unmeant(found: set[str]) -> set[str]:
    return {text for text in found if text not in WHOLE and not any(part in text for part in MEANT)}


def pages_of(batch: Batch) -> list[str]:
    """Every page of the batch, its pool and its study, and of each act on it."""
    pages = addresses(batch)
    # Of no batch: the signed-in reader, accounts, and a HIT that the batch does not have.
    for name in ("sign-in", "account", "password-change", "batch-try"):
        del pages[name]
    pages["batch-new"] = reverse("batch-new", query={"pool": batch.pool.name if batch.pool else ""})
    return [*pages.values(), *acts_of(batch), reverse("batch-try", args=[batch.pk])]


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "given"), [("relevance", ()), ("passage_gender", GENDERS)])
def test_every_page_of_a_batch_of_pairs_speaks_of_pairs(
    admin_client: Client, scheme: str, given: tuple[str, ...]
) -> None:
    stored_pairs(6)
    draft = batch_of_pairs(scheme, name="draft")
    batch = answered(scheme, *([given] if given else []))
    found: dict[str, tuple[str, str]] = {}
    for step in ("draft", "answered", "labelled"):
        if step == "labelled":
            batch_label(batch=batch, actor="test")
        for address in pages_of(draft if step == "draft" else batch):
            found |= dict.fromkeys(unmeant(about_queries(admin_client, address)), (step, address))
    assert not found, "\n".join(f"{where}: {text}" for text, where in found.items())


def test_commands_count_the_pairs_of_a_batch() -> None:
    stored_pairs(6)
    batch = answered()
    decided = run("label", "decide", batch.name)
    assert "6 pairs labelled" in decided
    for command in (
        ("scheme", "agreement", batch.name),
        ("label", "queue", batch.name),
        ("batch", "create", "--pool", "pairs", "--name", "next", "--scheme", "relevance"),
    ):
        told = run(*command)
        assert "pairs" in told
        assert not QUERY.search(told), told


def test_a_text_that_tells_pairs_from_queries_stays_as_it_is() -> None:
    assert about_items("Queries per HIT", "pair") == "Pairs per HIT"
    assert about_items("Queries per HIT", "query") == "Queries per HIT"
    whole = "Whole queries are for pools of pairs: nDCG needs all passages of a query."
    assert about_items(whole, "pair") == whole
