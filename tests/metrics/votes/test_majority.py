"""Which labels by majority further votes could change, against trying all of them."""

from itertools import combinations_with_replacement, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metrics.votes.majority import majority, majority_may_change

_FEW = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@given(_FEW.filter(any), st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(0, 2))
def test_a_label_may_change_where_some_of_the_votes_that_are_out_change_it(
    counts: list[int], waiting: list[int], free: int
) -> None:
    for strict in (False, True):
        [now] = majority(np.array([counts]), strict=strict)
        final = [
            [n + more + any_label.count(label) for label, (n, more) in enumerate(pairs)]
            for added in product(*(range(number + 1) for number in waiting))
            for size in range(free + 1)
            for any_label in combinations_with_replacement(range(3), size)
            for pairs in [list(zip(counts, added, strict=True))]
        ]
        changes = bool((majority(np.array(final), strict=strict) != now).any())
        assert majority_may_change(counts, waiting, free, strict=strict) == changes
