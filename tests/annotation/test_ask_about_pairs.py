"""Asking a language model about pairs of query and passage: grades, and the gender of passages."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.pages.operations import operations_listed
from annotation.language_models.double import ModelDouble, serving
from annotation.models import ModelRater
from tests.paired import PASSAGES, QUERIES, batch_of_pairs
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def double() -> ModelDouble:
    return ModelDouble()


@pytest.fixture
def address(double: ModelDouble, settings: Any) -> Iterator[str]:
    with serving(double) as served:
        settings.MODEL_KEYS = {served: "sk-test"}
        yield served


@pytest.mark.parametrize("scheme", ["relevance", "passage_gender"])
def test_a_model_reads_the_query_and_the_passage(
    address: str, double: ModelDouble, scheme: str
) -> None:
    batch = batch_of_pairs(scheme)
    code = {"relevance": "2", "passage_gender": "b"}[scheme]
    double.rule = lambda _text, _draw: code
    assert ASK_MODEL in operations_listed(batch)
    done = do(ASK_MODEL, batch, address=address, model="double")
    assert (done.values["labels"], done.values["missing"]) == (6, 0)
    rater = ModelRater.objects.get()
    assert rater.question == scheme
    assert dict(rater.labels.values_list("qid", "category")) == {
        f"{qid} {docno}": code for qid in QUERIES for docno in PASSAGES
    }
    sent = {body["messages"][1]["content"] for body in double.bodies}
    assert sent == {
        f"Query: {query}\nPassage: {passage}"
        for query in QUERIES.values()
        for passage in PASSAGES.values()
    }
