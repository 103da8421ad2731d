"""What a batch would be, before anything is stored."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Count
from hypothesis import given
from hypothesis import strategies as st

from annotation.batches.operations.batches import (
    create_batch,
    request_token,
)
from annotation.batches.operations.planning import (
    BatchPlan,
    PlannedQuery,
    question_of,
    shared_out,
)
from annotation.batches.operations.preflight import cost_to_come
from annotation.core.names import free_name
from annotation.crowd.annotations import requester_annotation
from annotation.crowd.questions import size_in_bytes
from annotation.task_page import PageTexts
from metrics.errors import InputError
from tests.study import a_study


def plan(n: int = 5, **terms: Any) -> BatchPlan:
    queries = [PlannedQuery(f"q{number}", f"text {number}") for number in range(n)]
    return BatchPlan(name="b", **{"queries": queries, "queries_per_hit": 2, **terms})


def test_the_queries_are_cut_into_hits_and_each_is_asked_once() -> None:
    pages = plan().pages
    assert [len(page) for page in pages] == [2, 2, 1]
    assert sorted(query.qid for page in pages for query in page) == ["q0", "q1", "q2", "q3", "q4"]


@given(n=st.integers(0, 200), most=st.integers(1, 60))
def test_queries_are_shared_out_evenly_over_as_few_hits_as_there_can_be(n: int, most: int) -> None:
    pages = shared_out(range(n), most=most)
    sizes = [len(page) for page in pages]
    assert [one for page in pages for one in page] == list(range(n))
    assert len(pages) == -(-n // most)
    assert not sizes or (max(sizes) <= most and max(sizes) - min(sizes) <= 1)


@pytest.mark.django_db
def test_the_forecast_is_what_the_hits_that_are_stored_pay() -> None:
    """Seven queries, three on a HIT at most: HITs of three, two and two, all at one reward."""
    made = plan(7, queries_per_hit=3, reward=Decimal("0.07"), assignments_per_hit=4)
    stored = create_batch(plan=made, environment="local", actor="test", study=a_study("b"))
    hits = stored.hits.annotate(n=Count("places")).order_by("index")
    assert [hit.n for hit in hits] == [3, 2, 2]
    assert made.queries_each == "2 to 3"
    assert sum(hit.max_assignments * hit.unit_cost for hit in hits) == made.cost
    assert sum(hit.max_assignments for hit in hits) * stored.reward == made.rewards
    assert cost_to_come(stored) == made.cost


def test_the_order_depends_on_seed_and_ids_alone() -> None:
    forward, backward = plan(), plan(queries=list(reversed(plan().queries)))
    assert forward.ordered == backward.ordered
    assert forward.ordered != plan(seed=1).ordered
    assert [query.qid for query in plan(50).ordered] != [f"q{number}" for number in range(50)]


def test_the_cost_is_that_of_every_assignment_with_its_fee() -> None:
    made = plan(reward=Decimal("0.05"), assignments_per_hit=3)
    assert (made.n_hits, made.cost, made.rewards) == (3, Decimal("0.54"), Decimal("0.45"))


@pytest.mark.parametrize(
    ("change", "data"),
    [
        ({"queries": []}, ""),
        ({"queries_per_hit": 0}, "0"),
        ({"assignments_per_hit": 0}, "0"),
        ({"queries": [PlannedQuery("1", "a"), PlannedQuery("1", "b")]}, "'1'"),
        ({"queries": [PlannedQuery("1", " \x00 ")]}, "'1'"),
        ({"queries": [PlannedQuery("1", "a", gold="x")]}, "'x'"),
        ({"queries": [PlannedQuery("1" * 201, "a")]}, "200"),
        ({"budget": Decimal(1)}, "1 USD"),
        ({"lifetime_seconds": 29}, "30"),
        ({"duration_seconds": 29}, "30"),
        ({"auto_approval_seconds": 2_592_001}, "30"),
        ({"title": "x" * 129}, "129"),
        ({"title": "\U0001f600"}, ""),
        ({"description": " "}, ""),
        ({"keywords": "x" * 1_001}, "1001"),
        ({"queries": [PlannedQuery("long", "é" * 40_000)]}, "bytes"),
    ],
)
def test_what_the_crowd_would_refuse_is_refused_first(change: dict[str, Any], data: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(**change).check()
    assert data in str(caught.value)


@pytest.mark.parametrize("character", ["x", "&", "'", "é", "\U0010fffd"])
def test_a_page_that_is_too_large_is_found_wherever_it_comes(character: str) -> None:
    """As many characters as fit on a page, and one more."""
    shell, one = (_page_bytes(text) for text in ("", character))
    most = (65_535 - shell) // (one - shell)
    for seed in range(5):
        plan(
            queries=[*plan().queries, _long(character * most)], queries_per_hit=1, seed=seed
        ).check()
        with pytest.raises(InputError, match="bytes"):
            plan(
                queries=[*plan().queries, _long(character * (most + 1))],
                queries_per_hit=1,
                seed=seed,
            ).check()


def _long(text: str) -> PlannedQuery:
    return PlannedQuery("q", text)


def _page_bytes(text: str) -> int:
    return size_in_bytes(question_of([("q", text)], PageTexts()))


def test_a_token_is_the_same_for_the_same_hit_and_differs_for_any_other() -> None:
    uid, other = uuid.UUID(int=1), uuid.UUID(int=2)
    same: dict[str, Any] = {"uid": uid, "index": 3, "question": "<q/>", "attempt": 0}
    tokens = {
        request_token(**same),
        request_token(**{**same, "uid": other}),
        request_token(**{**same, "index": 4}),
        request_token(**{**same, "question": "<r/>"}),
        request_token(**{**same, "attempt": 1}),
    }
    assert len(tokens) == 5
    assert request_token(**same) == request_token(**same)
    assert {len(token) for token in tokens} == {64}
    assert requester_annotation(uid=uid, index=3, attempt=0).isascii()


def test_a_name_that_is_taken_gets_a_number_within_its_length() -> None:
    taken = {"a", "a 2", "b" * 100}
    assert free_name("new", lambda name: name not in taken) == "new"
    assert free_name("a", lambda name: name not in taken) == "a 3"
    assert free_name("b" * 200, lambda name: name not in taken) == "b" * 98 + " 2"
