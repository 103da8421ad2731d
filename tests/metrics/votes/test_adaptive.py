from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurements.worker_coverage import Study, adaptive_coverage
from metrics.votes.adaptive import (
    asked_of_everybody,
    gets_all_votes,
    plurality,
    votes_to_ask,
)
from metrics.votes.agreeing import agree
from metrics.votes.table import Votes

orders = st.lists(st.sampled_from("nfmo"), min_size=5, max_size=8)


def asked(arriving: list[str], *, full: bool = False, most: int = 5) -> list[str]:
    """The votes that the strategy asks for, when `arriving` come in this order."""
    votes: list[str] = []
    while more := votes_to_ask(votes, full=full, most=most):
        votes += arriving[len(votes) : len(votes) + more]
    return votes


@given(orders, st.booleans())
def test_the_label_is_that_of_three_fixed_votes_unless_they_tie(
    arriving: list[str], full: bool
) -> None:
    fixed = plurality(arriving[:3])
    found = plurality(asked(arriving, full=full))
    if fixed is not None:
        assert found == fixed


@given(orders, st.booleans(), st.integers(3, 5))
def test_votes_asked_are_bounded_and_decide_wherever_they_can(
    arriving: list[str], full: bool, most: int
) -> None:
    votes = asked(arriving, full=full, most=most)
    assert (3 if full else 2) <= len(votes) <= most
    if len(votes) < most:
        assert plurality(votes) is not None


@given(orders)
def test_a_third_vote_is_asked_only_where_two_differ(arriving: list[str]) -> None:
    assert votes_to_ask(arriving[:2]) == (0 if arriving[0] == arriving[1] else 1)


@given(st.lists(st.sampled_from("nfmo"), max_size=6), st.randoms())
def test_the_order_of_votes_does_not_matter(votes: list[str], random) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    shuffled = random.sample(votes, len(votes))
    assert votes_to_ask(shuffled) == votes_to_ask(votes)
    assert plurality(shuffled) == plurality(votes)


def test_full_queries_are_a_fixed_random_share() -> None:
    chosen = [gets_all_votes(str(n), share=0.2, seed=1) for n in range(5_000)]
    # Five standard deviations of a binomial of 5,000 and 0.2.
    assert sum(chosen) == pytest.approx(1_000, abs=142)
    assert chosen == [gets_all_votes(str(n), share=0.2, seed=1) for n in range(5_000)]
    assert not any(gets_all_votes(str(n), share=0.0, seed=1) for n in range(100))
    assert all(gets_all_votes(str(n), share=1.0, seed=1) for n in range(100))


def table_of(votes: dict[str, str], names: str = "abcde") -> Votes:
    """Votes by query, the first by the first of `names`."""
    rows = [
        (qid, w, v) for qid, given_ in votes.items() for w, v in zip(names, given_, strict=False)
    ]
    return Votes.of(*zip(*rows, strict=True))


def test_two_that_differ_stand_for_the_first_two_where_more_were_asked_for() -> None:
    table = table_of({"q": "nn", "r": "nfn", "s": "nfmn", "t": "nnn", "u": "f"})
    kept = table.kept(asked_of_everybody(table, share=0, seed=1))
    assert kept.counts().sum(axis=1).tolist() == [2, 2, 2, 2, 1]
    # Where a third was asked for, the first two differed.
    assert (kept.counts().max(axis=1) == [2, 1, 1, 2, 1]).all()
    assert asked_of_everybody(table, share=1, seed=1).sum() == 2 + 3 + 3 + 3 + 1


def test_three_that_all_differ_stand_for_the_first_three_where_more_were_asked_for() -> None:
    """A fourth vote of a query that gets three anyway is asked for after three that all differ."""
    table = table_of({f"q{n}": "nfmn" if n % 2 else "nfmnn" for n in range(40)})
    kept = table.kept(asked_of_everybody(table, share=1, seed=1)).counts()
    assert (np.sort(kept, axis=1)[:, -3:] == 1).all()
    as_before = table.kept(asked_of_everybody(table, share=1, seed=1, any_three=True)).counts()
    assert (as_before.max(axis=1) > 1).any()
    assert (as_before.sum(axis=1) == 3).all()


def test_which_votes_stand_depends_on_nobodys_name() -> None:
    rows = {f"q{n}": "nfn" if n % 3 else "mfmf" for n in range(30)}
    kept = [
        asked_of_everybody(table_of(rows, names), share=0, seed=3).tolist()
        for names in ("abcde", "zyxwv")
    ]
    assert kept[0] == kept[1]


def test_agreement_of_an_adaptive_batch_is_of_what_everybody_was_asked_for() -> None:
    rows = {f"q{n}": "nn" if n % 4 else "nfn" for n in range(40)}
    table = table_of(rows)
    found = agree(replace(table, first_round=asked_of_everybody(table, share=0, seed=1)))
    assert found.raw_agreement.value == pytest.approx(0.75)
    assert (found.n_votes, found.ties, found.majority) == (80, 0, {"f": 0, "n": 40})
    assert "asks adaptively" in found.warnings[0]
    # Of all votes a split counts a third, as if two of three agreed there.
    assert agree(table).raw_agreement.value == pytest.approx(0.75 + 0.25 / 3)


def test_intervals_of_adaptive_batches_hold() -> None:
    of_all, of_asked = adaptive_coverage(Study(400, 40, 10), studies=60)
    assert max(of_all["raw agreement"], of_all["AC1"]) < 0.7
    assert np.min([*of_asked.values()]) > 0.86
