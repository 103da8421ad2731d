"""Re-ranking for balance: each objective by hand, the run it writes, and the front."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

from measurements import balance_table
from metrics.errors import InputError
from metrics.measures import ted
from metrics.mitigation import reorder, reranked
from metrics.mitigation.objectives import _exposure_imbalance
from metrics.mitigation.rerank import join_for_reranking
from metrics.mitigation.sweep import exact_permutation_p, sweep
from metrics.runs import read_run
from metrics.runs.sidecar import model_sizes, sidecar_text
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.vocabulary import BALANCE_METHODS, BalanceMethod
from tests.program import failure, run

SCORES = np.array([4.0, 3.0, 2.0, 0.0])
FEMALE = np.array([0.0, 0.0, 2.0, 0.0])
MALE = np.array([2.0, 2.0, 0.0, 0.0])
LENGTHS = np.full(4, 10.0)


def order(method: BalanceMethod, strength: float) -> list[int]:
    places = reorder(method, SCORES, FEMALE, MALE, LENGTHS, strength=strength)
    return [int(place) for place in places]


@pytest.mark.parametrize("method", BALANCE_METHODS)
def test_strength_zero_keeps_the_order_of_the_run(method: BalanceMethod) -> None:
    assert order(method, 0) == [0, 1, 2, 3]


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan")])
def test_a_strength_outside_zero_to_one_is_refused(strength: float) -> None:
    with pytest.raises(InputError):
        order("mmr", strength)


def test_interpolation_moves_neutral_documents_up() -> None:
    # Relevance 1, .75, .5, 0 and neutrality 0, 0, 0, 1: at s = .45 the last document has .45, the
    # others .55, .4125, .275.
    assert order("interpolate", 0.45) == [0, 3, 1, 2]
    assert order("interpolate", 1) == [3, 0, 1, 2]


def test_mmr_answers_a_male_document_with_a_female_one() -> None:
    # s = .45, first rank: .55 - .45, .4125 - .45, .275 - .45, 0: the first document. Second:
    # .4125 - .45, .275 - 0, 0 - .45 / 2: the female one.
    assert order("mmr", 0.45) == [0, 2, 1, 3]


def test_exposure_prefers_the_list_whose_groups_get_equal_attention() -> None:
    # s = .6, first rank: .4 - .6, .3 - .6, .2 - .6, 0: the neutral document. Then all three make a
    # list of one group, .4 wins. Third: male again .3 - .6; female .2 - .6 x |e_m - e_f|, where
    # e_m = .2 / log2(3) = .1262, e_f = .2 / log2(4) = .1: .2 - .6 x .1158 = .1305 > -.3.
    assert order("exposure", 0.6) == [3, 0, 2, 1]


def test_a_running_count_answers_two_male_documents_with_a_female_one() -> None:
    # s = .35: .65 - .35, .4875 - .35, .325 - .35, 0: the first. Then .4875 - .35, .325 and
    # 0 - .175: the female one. Then male .4875 - .35 / 3 against neutral 0.
    assert order("count", 0.35) == [0, 2, 1, 3]


def test_deterministic_greedy_keeps_the_shares_of_both_groups_within_their_bounds() -> None:
    # Shares 3/8, 3/8 and 1/4. At s = 1 no second male document may come among the first two
    # (ceil(3/8 x 2) = 1), at s = .5 it may (ceil(3/4 x 2) = 2).
    assert order("detgreedy", 1) == [0, 2, 1, 3]
    assert order("detgreedy", 0.5) == [0, 1, 2, 3]


@pytest.mark.parametrize("method", BALANCE_METHODS)
@pytest.mark.parametrize("strength", [0.1, 0.5, 1.0])
def test_every_order_is_a_permutation(method: BalanceMethod, strength: float) -> None:
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 3, (3, 30)) * 1.0
    places = reorder(method, rng.normal(size=30), *counts, strength=strength)
    assert sorted(places.tolist()) == list(range(30))


def test_equal_scores_keep_the_order_of_the_run() -> None:
    zeros = np.zeros(5)
    for method in BALANCE_METHODS:
        assert reorder(method, zeros, zeros, zeros, zeros, strength=0.5).tolist() == [0, 1, 2, 3, 4]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    texts = {"a": "he and him", "b": "his son", "c": "her mother", "d": "rain", "e": "he"}
    collection = "".join(f"{docno}\t{text}\n" for docno, text in texts.items())
    (tmp_path / "c.tsv").write_text(collection, encoding="utf-8")
    score_collection(tmp_path / "c.tsv", tmp_path / "m.parquet", lexicon=read_lexicon())
    lines = [f"q{q} Q0 {docno} {r} {9 - r} t\n" for q in "12" for r, docno in enumerate("abcde")]
    (tmp_path / "x.run").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "qrels").write_text("q1 0 c 1\nq2 0 a 1\n", encoding="utf-8")
    return tmp_path


def call(files: Path, *more: object) -> list[object]:
    given = ["--run", files / "x.run", "--scores", files / "m.parquet"]
    return ["balance", *given, *more]


def test_the_written_run_reads_back_in_its_order_and_keeps_what_is_below_the_depth(
    files: Path,
) -> None:
    run(*call(files, "--method", "mmr", "--strength", 1, "--depth", 4, "--output", files / "y.run"))

    again = read_run(files / "y.run")

    magnitudes = open_magnitudes(files / "m.parquet")
    joined = join_for_reranking(read_run(files / "x.run"), magnitudes, 4)
    assert again.documents("q1") == reranked(joined, "mmr", 1, "n").documents("q1")
    assert again.documents("q1")[0] == "d"
    assert again.documents("q1")[-1] == "e"
    assert not again.notices


def test_a_sweep_starts_at_the_run_and_ends_in_balance(files: Path) -> None:
    magnitudes = open_magnitudes(files / "m.parquet")
    joined = join_for_reranking(read_run(files / "x.run"), magnitudes, 100)
    qrels = {"q1": {"c": 1}, "q2": {"a": 1}}

    front = sweep(joined, magnitudes, BALANCE_METHODS, [0.0, 1.0], cutoff=3, qrels=qrels)

    assert front.columns[-5:] == ("permutation_p", "abs_ARaB", "nDCG_low", "nDCG_high", "t_p")
    first, last = (
        [row for row in front.rows if row["strength"] == strength] for strength in (0.0, 1.0)
    )
    assert len({row["nDCG"] for row in first}) == 1
    for before, after in zip(first, last, strict=True):
        assert float(str(after["abs_ARaB"])) < float(str(before["abs_ARaB"]))
        assert float(str(after["NFaiRR"])) >= float(str(before["NFaiRR"]))
        # Two queries: too few for a t-test, but the signs of their differences can be flipped.
        assert (before["permutation_p"], before["t_p"]) == (1.0, None)
        assert after["permutation_p"] in {0.5, 1.0}
        assert after["t_p"] is None


def test_the_exact_p_counts_every_flip_of_the_queries_that_differ() -> None:
    rng = np.random.default_rng(4)
    differences = rng.normal(0.4, 1, size=14)
    before = rng.random(43)
    after = before.copy()
    after[20:34] += differences

    signs = np.array(list(itertools.product((-1, 1), repeat=14)))
    far = np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9
    assert exact_permutation_p(after, before) == pytest.approx(far.mean())
    assert exact_permutation_p(before, before) == 1
    assert exact_permutation_p([], []) is None


def test_the_imbalance_of_exposure_is_ted_without_its_discounting_factor() -> None:
    rng = np.random.default_rng(3)
    female, male = rng.integers(0, 4, (2, 6)).astype(np.float64)
    lengths = rng.integers(5, 12, 6).astype(np.float64)

    imbalance = _exposure_imbalance(female, male, lengths)(list(range(5)))[5]

    counts, sizes = [female[None], male[None]], lengths[None]
    assert imbalance == pytest.approx(float(ted(counts, sizes, 6, rbdf=False)[0]))


def test_the_command_writes_the_front_and_its_figure(files: Path) -> None:
    methods = itertools.chain.from_iterable(("--method", method) for method in BALANCE_METHODS)
    run(*call(files, *methods, "--sweep", files / "front.csv", "--qrels", files / "qrels"))

    with (files / "front.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["strength"]) for row in rows[:2]] == [
        ("interpolate", "0.0"),
        ("interpolate", "0.1"),
    ]
    assert len(rows) == 11 * len(BALANCE_METHODS)
    assert (files / "front.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "mmr"],
        ["--method", "mmr", "--output", "y.run"],
        ["--method", "mmr", "--method", "exposure", "--strength", "1", "--output", "y.run"],
    ],
)
def test_what_cannot_be_written_is_refused(files: Path, options: list[str]) -> None:
    assert failure(*call(files, *options))
    assert not Path("y.run").exists()


@pytest.mark.long
@pytest.mark.shared_data
def test_real_rankings_get_fair_at_a_small_price(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "msmarco_dl19"
    score_collection(folder / "collection.tsv", tmp_path / "m.parquet", lexicon=read_lexicon())
    magnitudes = open_magnitudes(tmp_path / "m.parquet")
    joined = join_for_reranking(read_run(folder / "runs" / "BM25.run"), magnitudes, 100)

    first, middle = sweep(joined, magnitudes, ["exposure"], [0.0, 0.5]).rows

    assert float(str(first["abs_ARaB"])) > 0.05
    assert float(str(middle["abs_ARaB"])) < 0.01
    assert float(str(middle["TExFAIR"])) > 0.98


@pytest.mark.long
@pytest.mark.shared_data
def test_the_documented_settings_are_those_that_the_command_prints(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "rankers.md"
    table = "\n".join(balance_table.lines(balance_table.rows(tmp_path)))

    assert table in page.read_text(encoding="utf-8")


def test_the_number_of_parameters_goes_on_to_the_re_ranked_run(files: Path) -> None:
    again = call(files, "--method", "mmr", "--strength", 1, "--output", files / "y.run")
    card = sidecar_text(model="m", sizes={"n_parameters": 7})
    Path(f"{files / 'x.run'}.meta.json").write_text(card, encoding="utf-8")

    run(*again)
    assert model_sizes(files / "y.run") == {"n_parameters": 7}

    Path(f"{files / 'x.run'}.meta.json").unlink()
    run(*again)
    assert model_sizes(files / "y.run") == {}
