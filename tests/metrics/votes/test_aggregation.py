"""Aggregation, checked against Crowd-Kit 1.4.2 and real votes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MACE, DawidSkene
from hypothesis import given, settings
from hypothesis import strategies as st

from measurements.dawid_skene_convergence import NEAR, compared
from metrics.errors import InputError
from metrics.votes.deciding import METHODS, decide_votes
from metrics.votes.files.options import Options
from metrics.votes.files.reader import read_votes
from metrics.votes.majority import UNDECIDED
from metrics.votes.methods.dawid_skene import dawid_skene
from metrics.votes.methods.gold_weighted import gold_weighted
from metrics.votes.methods.mace import mace
from metrics.votes.methods.posterior import Posterior
from metrics.votes.table import Votes


def dog4(shared_data: Path, file: str) -> tuple[pd.DataFrame, Votes, dict[str, str]]:
    folder = shared_data / "votes" / "dog4"
    votes = pd.read_csv(folder / file, dtype=str)
    truth = pd.read_csv(folder / "truth.csv", dtype=str).set_index("task")["truth"]
    return votes, Votes.of(votes["task"], votes["worker"], votes["label"]), dict(truth)


def n_right(table: Votes, found: Posterior, truth: dict[str, str]) -> int:
    codes = found.codes()
    return sum(
        code != UNDECIDED and table.labels[code] == truth[query]
        for query, code in zip(table.items, codes, strict=True)
    )


@pytest.mark.shared_data
@pytest.mark.parametrize(
    # Crowd-Kit 1.4.2: Dawid-Skene 680 and 620, MACE (variational) 670 and 618 of 807.
    ("file", "model", "right", "within"),
    [
        ("votes.csv", dawid_skene, 680, 0),
        ("votes_first3.csv", dawid_skene, 620, 1),
        ("votes.csv", mace, 670, 4),
        ("votes_first3.csv", mace, 618, 4),
    ],
)
def test_models_are_right_as_often_as_crowd_kits(
    shared_data: Path, file: str, model: Callable[[Votes], Posterior], right: int, within: int
) -> None:
    _, table, truth = dog4(shared_data, file)
    found = model(table)
    assert found.converged
    assert n_right(table, found, truth) == pytest.approx(right, abs=within)


# Crowd-Kit 1.4.2 calls pandas in a way that pandas 3.1 announces to drop.
of_crowd_kit = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


@of_crowd_kit
@pytest.mark.shared_data
def test_dawid_skene_gives_crowd_kits_label_to_every_query(shared_data: Path) -> None:
    votes, table, _ = dog4(shared_data, "votes.csv")
    theirs = DawidSkene(n_iter=200, tol=1e-12).fit_predict(votes)
    ours = [table.labels[code] for code in dawid_skene(table).codes()]
    assert ours == [theirs[query] for query in table.items]


@pytest.mark.long
@of_crowd_kit
@pytest.mark.shared_data
def test_dawid_skene_gives_crowd_kits_label_to_every_query_of_five_language_models(
    shared_data: Path,
) -> None:
    votes = pd.read_csv(shared_data / "gender_queries" / "llm_votes_long.csv", dtype=str)
    table = Votes.of(votes["task"], votes["worker"], votes["label"])
    # Crowd-Kit stops after a round that lowers its likelihood; a negative tolerance goes on.
    theirs = DawidSkene(n_iter=60, tol=-1.0).fit_predict(votes)
    ours = [table.labels[code] for code in dawid_skene(table).codes()]
    assert ours == [theirs[query] for query in table.items]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    # Plain expectation-maximisation, written out: 2,969 rounds to the first; after 3,999 it was at
    # -9,688.3314 on the way to the second. Stopping when the likelihood per vote gains less than
    # 1e-7 gave -1,879.1036 and -9,689.0844.
    ("file", "likelihood"),
    [
        ("votes/dog4/votes_first3.csv", -1_879.1002),
        pytest.param("mturk_results/hw7_data.csv", -9_688.3301, marks=pytest.mark.long),
    ],
)
def test_dawid_skene_does_not_stop_on_a_plateau(
    shared_data: Path, file: str, likelihood: float
) -> None:
    found = read_votes(
        [shared_data / file],
        options=Options(codes=("0", "1", "2", "3", "Yes", "No", "Naa")),
        columns={} if "hw7" in file else {"query_id": "task"},
        labels={},
        gold={},
    )
    rows = [(one.qid, one.worker, one.answer) for one in found.votes]
    posterior = dawid_skene(Votes.of(*zip(*rows, strict=True)))
    assert posterior.converged
    assert posterior.log_likelihood == pytest.approx(likelihood, abs=2e-4)


def test_where_dawid_skene_stops_another_round_moves_nothing() -> None:
    """The definition in loops: shares and confusions from the posteriors, and back."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, 80)
    votes = [
        (query, worker, int(true if rng.random() < 0.4 + 0.1 * worker else rng.integers(3)))
        for query, true in enumerate(truth)
        for worker in range(4)
    ]
    table = Votes.of(*zip(*votes, strict=True))
    found = dawid_skene(table)
    assert found.converged
    prior = found.probabilities.mean(axis=0)
    errors = np.zeros((3, 4, 3))
    for query, worker, label in votes:
        errors[:, worker, label] += found.probabilities[query]
    errors /= errors.sum(axis=2, keepdims=True)
    again = np.tile(prior, (80, 1))
    for query, worker, label in votes:
        again[query] *= errors[:, worker, label]
    again /= again.sum(axis=1, keepdims=True)
    assert np.abs(again - found.probabilities).max() < 1e-4


@pytest.mark.soak
def test_with_good_workers_dawid_skene_ends_where_plain_rounds_end() -> None:
    found = compared("good", studies=20)
    assert all(end.likelihood - ours.likelihood <= NEAR for _, end, ours in found)


def test_too_few_rounds_are_said_to_be_too_few() -> None:
    rng = np.random.default_rng(11)
    votes = [(query, worker, rng.integers(3)) for query in range(60) for worker in range(3)]
    table = Votes.of(*zip(*votes, strict=True))
    found = dawid_skene(table, max_iterations=5)
    assert not found.converged
    assert found.iterations <= 5


@pytest.mark.long
@of_crowd_kit
@pytest.mark.shared_data
def test_mace_gives_crowd_kits_label_to_nearly_every_query(shared_data: Path) -> None:
    votes, table, _ = dog4(shared_data, "votes.csv")
    theirs = MACE(n_restarts=3, n_iter=50, random_state=0).fit_predict(votes)
    ours = [table.labels[code] for code in mace(table).codes()]
    # Their restarts are drawn otherwise; 799 of 807 agree.
    assert sum(a == theirs[query] for a, query in zip(ours, table.items, strict=True)) >= 790


@pytest.mark.shared_data
@pytest.mark.parametrize(
    # Crowd-Kit 1.4.2's majority vote on the same queries.
    ("file", "right", "decided"),
    [("votes.csv", 639, 757), ("votes_first3.csv", 614, 793)],
)
def test_majority_is_right_as_often_as_measured(
    shared_data: Path, file: str, right: int, decided: int
) -> None:
    _, table, truth = dog4(shared_data, file)
    found = [one for one in decide_votes(table).rows if one.label is not None]
    assert (sum(one.label == truth[one.item] for one in found), len(found)) == (right, decided)


def test_a_spammer_is_seen_through() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    votes = [
        (query, worker, true if rng.random() < 0.9 else 1 - true)
        for query, true in enumerate(truth)
        for worker in ("a", "b")
    ]
    # Two who always say 0: half of the ones are tied.
    votes += [(query, worker, 0) for query in range(200) for worker in ("s", "t")]
    table = Votes.of(*zip(*votes, strict=True))
    for model in (dawid_skene, mace):
        found = model(table)
        right = sum(found.codes() == truth)
        assert right >= 170
        trusted = dict(zip(table.workers, found.worker_accuracy, strict=True))
        assert min(trusted["a"], trusted["b"]) > max(trusted["s"], trusted["t"])


@pytest.mark.parametrize("model", [dawid_skene, mace])
def test_a_category_that_nobody_chose_is_never_the_label(
    model: Callable[[Votes], Posterior],
) -> None:
    rng = np.random.default_rng(8)
    votes = [(q, w, "nf"[rng.integers(2)]) for q in range(60) for w in range(3)]
    found = model(Votes.of(*zip(*votes, strict=True), options=["n", "f", "m", "o"]))
    assert set(found.codes().tolist()) <= {UNDECIDED, 0, 1}


def test_gold_accuracy_weighs_votes() -> None:
    """By hand: a is right 9 of 10 times, b and c 1 of 10; a outweighs both."""
    table = Votes.of("qqq", "abc", "nff", options=["n", "f"])
    gold = {str(number): "n" for number in range(10)}
    gold_table = Votes.of(
        [n for n in gold for _ in "abc"],
        [w for _ in gold for w in "abc"],
        [("n" if (w == "a") == (n != "0") else "f") for n in gold for w in "abc"],
    )
    found = gold_weighted(table, gold_table=gold_table, gold=gold)
    assert found.worker_accuracy == pytest.approx([10 / 12, 2 / 12, 2 / 12])
    # odds n : f = (10/2) * (10/2) * (10/2)
    assert found.probabilities[0] == pytest.approx([125 / 126, 1 / 126])


def test_weighing_with_gold_needs_gold() -> None:
    table = Votes.of("q", "a", "n", options=["n", "f"])
    with pytest.raises(InputError):
        decide_votes(table, method="gold_weighted")


@pytest.mark.parametrize("method", ["majority", "dawid_skene", "mace"])
def test_queries_without_votes_have_no_decision(method: str) -> None:
    table = Votes.of("ppq", "aba", "nnf", options=["n", "f"], items=["p", "none", "q"])
    found = decide_votes(table, method=method)
    assert [one.item for one in found.rows] == ["p", "q"]
    assert found.without_votes == 1
    empty = decide_votes(Votes.of((), (), (), options=["n", "f"], items=["p"]), method=method)
    assert empty.rows == []


def test_equally_probable_labels_are_a_tie() -> None:
    table = Votes.of("qq", "ab", "nf", options=["n", "f"])
    assert decide_votes(table, method="dawid_skene").rows[0].label is None


votes = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 4), st.integers(0, 2)),
    min_size=1,
    max_size=40,
    unique_by=lambda vote: vote[:2],
)


@given(votes, st.sampled_from(["dawid_skene", "mace"]))
def test_posteriors_are_probabilities(given_votes: list[tuple[int, int, int]], method: str) -> None:
    table = Votes.of(*zip(*given_votes, strict=True), options=["0", "1", "2"])
    found = dawid_skene(table) if method == "dawid_skene" else mace(table, restarts=2)
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(len(table.items)))
    assert (found.probabilities >= 0).all()


def decided(table: Votes, method: str) -> dict[str, str | None]:
    gold = {str(number): label for number, label in enumerate("012" * 3)}
    answers = [(q, w, "012"[(int(q) + (int(q) % (2 + place) == 0)) % 3]) for q in gold
               for place, w in enumerate("01234")]  # fmt: skip
    gold_table = Votes.of(*zip(*answers, strict=True))
    found = decide_votes(table, method=method, gold=gold_table, known=gold)
    return {one.item: one.label for one in found.rows}


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(given_votes=votes, order=st.permutations(range(3)), seed=st.integers(0, 99))
def test_no_method_prefers_a_category_or_a_worker(
    method: str, given_votes: list[tuple[int, int, int]], order: list[int], seed: int
) -> None:
    """Categories are swapped and votes, and so workers, stand in another order: as decided."""
    rows = [(str(query), str(worker), str(label)) for query, worker, label in given_votes]
    labels = ["0", "1", "2"]
    plain = decided(Votes.of(*zip(*rows, strict=True), options=labels), method)
    if method == "gold_weighted":
        order = [0, 1, 2]  # its known answers name categories
    np.random.default_rng(seed).shuffle(rows)
    swapped = [(query, worker, str(order[int(label)])) for query, worker, label in rows]
    other = decided(Votes.of(*zip(*swapped, strict=True), options=labels), method)
    assert other == {
        query: None if label is None else str(order[int(label)]) for query, label in plain.items()
    }


@pytest.mark.parametrize("method", ["majority", "dawid_skene", "mace"])
def test_votes_that_leave_two_categories_alike_are_a_tie(method: str) -> None:
    # Both agree on an f and on an m, and differ on a third: nothing tells who is right.
    rows = [*("1af", "1bm", "2af", "2bf", "3am", "3bm")]
    for seed in range(5):
        table = Votes.of(*zip(*rows, strict=True))
        found = {one.item: one.label for one in decide_votes(table, method=method, seed=seed).rows}
        assert found == {"1": None, "2": "f", "3": "m"}


def test_the_same_seed_gives_the_same_mace() -> None:
    table = Votes.of("ppqqrr", "abacbc", "nfnnff")
    first, second = mace(table, seed=4), mace(table, seed=4)
    assert (first.probabilities == second.probabilities).all()


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(InputError, match="'coin'"):
        decide_votes(Votes.of("q", "a", "n"), method="coin")
    assert "majority" in METHODS
