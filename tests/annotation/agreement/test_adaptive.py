import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.adaptive import gets_all_votes, plurality, votes_to_ask

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
