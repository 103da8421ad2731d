"""Tables made at random are read as they were made, or a person is asked; never in silence else."""

from collections import Counter

import pytest

from tests.annotation.vote_files.made_tables import outcomes

#: Of the tables that are made, how many may need a person's word: of two hundred, by chance more.
MOST_ASKED = {2_000: 0.15, 200: 0.2}


def check(n_tables: int) -> None:
    found = [(seed, result, table.what) for seed, result, table in outcomes(range(n_tables))]
    counts = Counter(result for _, result, _ in found)
    assert [one for one in found if one[1] not in {"right", "asked"}] == []
    assert counts["asked"] <= MOST_ASKED[n_tables] * n_tables
    assert counts["right"]


def test_of_two_hundred_tables_none_is_wrong_in_silence() -> None:
    check(200)


@pytest.mark.long
def test_of_two_thousand_tables_none_is_wrong_in_silence() -> None:
    check(2_000)
