"""ComSRB by hand, and on the published lists of three search engines."""

import csv
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.measures.comsrb import comsrb


def test_four_documents_by_hand() -> None:
    # p = 1 1 0 0, c = 0 0 1 0: the differences are 1, 1, -1, 0.
    found = comsrb("abcd", "abxy", "czuv", 4)
    weights = 1 / np.log2(np.arange(2, 6))
    assert found.rab == pytest.approx(1 / 4)
    assert found.arab == pytest.approx((1 + 1 + 1 / 3 + 1 / 4) / 4)
    assert found.ndrab == pytest.approx((weights[0] + weights[1] - weights[2]) / weights.sum())


def test_swapping_the_variants_negates() -> None:
    straight, swapped = comsrb("abcd", "abxy", "czuv", 3), comsrb("abcd", "czuv", "abxy", 3)
    assert straight == tuple(-value for value in swapped)


def test_a_neutral_query_without_documents_is_an_error() -> None:
    with pytest.raises(InputError):
        comsrb([], "a", "b", 10)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("google", (0.437500, 0.568591, 0.502978)),
        ("bing", (0.212500, 0.314559, 0.253888)),
        ("duckduckgo", (0.162500, 0.271726, 0.217534)),
    ],
)
def test_three_search_engines_have_the_known_values(
    shared_data: Path, engine: str, expected: tuple[float, float, float]
) -> None:
    lists: dict[str, dict[int, str]] = defaultdict(dict)
    path = shared_data / "comsrb" / "se_results.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            if engine in row["tag"].lower():
                lists[row["qid"]][int(row["rank"])] = unquote(row["docurl"])
    ranked = {qid: [by_rank[rank] for rank in sorted(by_rank)] for qid, by_rank in lists.items()}
    stems = sorted({qid.rpartition("_")[0] for qid in ranked})
    assert len(stems) == 8
    values = [comsrb(ranked[f"{s}_N"], ranked[f"{s}_P"], ranked[f"{s}_CP"], 10) for s in stems]
    assert np.mean(values, axis=0) == pytest.approx(expected, abs=1e-6)
