import numpy as np
import pytest

from metrics.votes.table import Votes
from metrics.votes.workers import agreement_with_others, worker_pairs, worker_quality

NO_GOLD = Votes.of((), (), (), options=["n", "f"])


def test_pairs_of_workers_are_compared_on_their_common_queries() -> None:
    table = Votes.of("ppqqqrr", "abababc"[:2] + "abcab", "nnnfnff", options=["n", "f"])
    found = {(pair.first, pair.second): pair for pair in worker_pairs(table)}
    # By hand: a and b share p (alike), q (not), r (alike); c meets both on q only.
    assert found["a", "b"].n_common == 3
    assert found["a", "b"].agreement.value == pytest.approx(2 / 3)
    assert found["a", "c"].agreement.value == 1.0
    assert found["b", "c"].agreement.value == 0.0
    assert found["a", "b"].agreement.low == 0.0


def test_pairs_do_not_depend_on_how_many_are_resampled_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    votes = [(q, w, int(rng.integers(2))) for q in range(30) for w in range(4)]
    table = Votes.of(*zip(*votes, strict=True))
    whole = worker_pairs(table, resamples=50)
    monkeypatch.setattr("metrics.votes.workers._CELLS", 100)
    parts = worker_pairs(table, resamples=50)
    assert [pair.agreement.value for pair in whole] == [pair.agreement.value for pair in parts]
    assert len(whole) == 6


def test_agreement_with_one_other_worker_is_cohens_kappa() -> None:
    """Cohen's kappa 0.4: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no.

    The worked example of the English Wikipedia's article "Cohen's kappa".
    """
    first = "y" * 25 + "n" * 25
    second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    queries = list(range(50))
    table = Votes.of(queries * 2, "a" * 50 + "b" * 50, first + second)
    assert agreement_with_others(table) == pytest.approx([0.4, 0.4])


def test_agreement_with_nobody_is_undefined() -> None:
    table = Votes.of("pq", "ab", "nf")
    assert agreement_with_others(table) == [None, None]


def test_a_worker_who_gives_one_label_only_is_remarked_on() -> None:
    rng = np.random.default_rng(0)
    votes = [(q, w, "nf"[rng.integers(2)]) for q in range(40) for w in "abcdefghij"]
    votes += [(q, "lazy", "n") for q in range(40)]
    table = Votes.of(*zip(*votes, strict=True))
    rows = {row.worker: row for row in worker_quality(table, gold_table=NO_GOLD, gold={})}
    assert rows["lazy"].longest_run == 40
    assert rows["lazy"].same_label == 1.0
    assert rows["lazy"].remarks == ("gave one label 40 times in a row",)
    assert not any(
        "in a row" in remark for worker in "abcdefghij" for remark in rows[worker].remarks
    )


def test_accuracy_speed_and_share_are_remarked_on() -> None:
    votes = [(q, "busy", "n") for q in range(20)] + [(0, w, "f") for w in "abc"]
    table = Votes.of(*zip(*votes, strict=True), options=["n", "f"])
    gold_table = Votes.of("ghi", ["busy"] * 3, "nff", options=["n", "f"])
    rows = worker_quality(
        table,
        gold_table=gold_table,
        gold={"g": "f", "h": "n", "i": "f"},
        seconds={"busy": 1.0, "a": 10.0, "b": 12.0},
    )
    assert rows[0].worker == "busy"
    assert rows[0].gold_accuracy.value == pytest.approx(1 / 3)
    assert rows[0].speed == pytest.approx(0.1)
    # By hand: nobody who says only n agrees with those who say only f, and chance is zero too.
    assert rows[0].with_others == 0.0
    assert rows[0].remarks == (
        "right on only 33% of 3 gold questions",
        "takes 10% of the median time",
        "gave 87% of all votes",
    )


def test_nobody_voted_and_nothing_breaks() -> None:
    assert worker_quality(NO_GOLD, gold_table=NO_GOLD, gold={}) == []
    assert worker_pairs(NO_GOLD) == []


def test_who_answers_faster_than_anybody_reads_is_remarked_on_with_the_seconds() -> None:
    table = Votes.of("ab", ["fast", "slow"], "nn", options=["n", "f"])
    none = Votes.of((), (), (), options=["n", "f"])
    rows = worker_quality(table, gold_table=none, gold={}, seconds={"fast": 0.4, "slow": 0.5})
    assert all("far too fast" in row.remarks[0] for row in rows)
    assert "0.4 s" in next(row for row in rows if row.worker == "fast").remarks[0]
