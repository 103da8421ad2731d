"""Runs to data frames, in one call."""

from math import isnan, log
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import SCORES, TEXTS

pd = pytest.importorskip("pandas")
COLUMNS = ["run", "measure", "magnitude", "cutoff", "value", "n_queries"]


def test_files_dictionaries_and_texts_give_the_same_values(
    fairpool: ModuleType, study: Path
) -> None:
    files = {name: study / f"{name}.run" for name in SCORES}

    from_files = fairpool.evaluate(files, ["RaB@2", "ARaB@2"], study / "m.parquet")
    from_memory = fairpool.evaluate(SCORES, ["RaB@2", "ARaB@2"], TEXTS)

    pd.testing.assert_frame_equal(from_files, from_memory)
    # q1 of A by hand: d1 has he, his, father and her, mother; d2 has she.
    # male (3 log 2) / 2, female (2 log 2 + log 2) / 2; q2: boy and man in d3, none in d4.
    assert from_files["value"][0] == pytest.approx((0 + 2 * log(2) / 2) / 2)


@pytest.mark.filterwarnings("default")  # ir_datasets'
def test_texts_of_ir_datasets_are_named_by_their_id(fairpool: ModuleType, study: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")
    dataset = ir_datasets.create_dataset(docs_tsv=str(study / "collection.tsv"))
    ir_datasets.registry.register("fairpool-example", dataset)

    frame = fairpool.evaluate(SCORES, ["RaB@2"], "ir_datasets:fairpool-example")

    assert frame.equals(fairpool.evaluate(SCORES, ["RaB@2"], TEXTS))
    with pytest.raises(fairpool.InputError):
        fairpool.evaluate(SCORES, ["RaB@2"], "ir_datasets:there-is-none")


def test_each_measure_takes_its_own_magnitude_unless_one_is_named(fairpool: ModuleType) -> None:
    frame = fairpool.evaluate(SCORES, ["RaB@2", "AWRF@2"], TEXTS)
    named = fairpool.evaluate(SCORES, ["RaB@2", "AWRF@2"], TEXTS, magnitude=["bool"])

    assert frame["magnitude"].tolist() == ["tf", "tc"] * 2
    assert named["magnitude"].tolist() == ["bool"] * 4


def test_values_per_query_are_rows_of_their_own(fairpool: ModuleType) -> None:
    frame = fairpool.evaluate(SCORES, ["RaB@2"], TEXTS, per_query=True)

    assert frame.columns.tolist() == [
        *("run", "qid", "measure", "magnitude", "cutoff", "value", "positive"),
    ]
    assert frame["qid"].tolist() == ["q1", "q2", "q1", "q2"]
    assert frame["value"].tolist() == pytest.approx([0, log(2), 0, log(2)])


def test_queries_that_were_drawn_count_by_the_inverse_of_their_chance(
    fairpool: ModuleType,
) -> None:
    chances = {"q1": 0.25, "q2": 1.0}
    frame = fairpool.evaluate(SCORES, ["RaB@2"], TEXTS, inclusion=chances)

    assert frame.columns.tolist()[-2:] == ["low", "high"]
    # q1 stands for four queries of value 0, q2 for itself.
    assert frame["value"].tolist() == pytest.approx([log(2) / 5] * 2)
    assert frame["low"].isna().all()
    for wrong in ({"inclusion": {"q1": 0.25}}, {"inclusion": chances, "per_query": True}):
        with pytest.raises(fairpool.InputError):
            fairpool.evaluate(SCORES, ["RaB@2"], TEXTS, **wrong)


def test_a_query_without_documents_is_undefined_and_left_out_of_the_mean(
    fairpool: ModuleType,
) -> None:
    asked = ["q1", "q2", "q3"]

    frame = fairpool.evaluate({"A": SCORES["A"]}, ["RaB@2"], TEXTS, queries=asked)
    per_query = fairpool.evaluate(
        {"A": SCORES["A"]}, ["RaB@2"], TEXTS, queries=asked, per_query=True
    )

    assert frame[["n_queries", "n_queries_missing"]].values.tolist() == [[2, 1]]
    assert per_query["value"].isna().tolist() == [False, False, True]


def test_pairs_of_runs_are_tested(fairpool: ModuleType) -> None:
    scores = {
        name: {f"{qid}{n}": docs for qid, docs in run.items() for n in range(5)}
        for name, run in SCORES.items()
    }
    frame = fairpool.evaluate(scores, ["RaB"], TEXTS, cutoffs=[1], per_query=True)

    [row] = fairpool.compare(frame).to_dict("records")

    assert (row["first"], row["second"], row["n"]) == ("A", "B", 10)
    # A: q1 is d1 (3 log 2 - 2 log 2), q2 is d3 (2 log 2); B: d2 (-log 2), d4 (0).
    assert row["difference"] == pytest.approx(2 * log(2))
    assert isnan(row["t_p"])  # every query differs by the same amount


@pytest.mark.long
def test_the_bias_is_drawn(fairpool: ModuleType) -> None:
    pytest.importorskip("matplotlib")

    figure = fairpool.plot_bias(fairpool.evaluate(SCORES, scores=TEXTS))

    assert [axes.get_title() for axes in figure.axes] == ["RaB (TF)", "ARaB (TF)"]
    assert [line.get_label() for line in figure.axes[0].lines][:2] == ["A", "B"]
    assert not figure.axes[0].collections


def test_means_of_values_per_query_are_drawn_with_their_intervals(fairpool: ModuleType) -> None:
    pytest.importorskip("matplotlib")
    queries = {f"q{n}": {f"d{1 + n % 4}": 1.0} for n in range(40)}
    frame = fairpool.evaluate({"A": queries}, scores=TEXTS, cutoffs=[1, 2], per_query=True)

    panel = fairpool.plot_bias(frame).axes[0]

    (bars,) = panel.collections
    values = frame[(frame["measure"] == "RaB") & (frame["cutoff"] == 1)]["value"].to_numpy()
    interval = fairpool.mean_interval(values)
    segment = bars.get_segments()[0]
    assert [y for _, y in segment] == pytest.approx([interval.low, interval.high])
    assert panel.lines[0].get_ydata()[0] == pytest.approx(values.mean())


def test_effectiveness_stands_beside_bias(fairpool: ModuleType, study: Path) -> None:
    pytest.importorskip("ir_measures")

    frame = fairpool.evaluate(
        SCORES, ["RaB@2", "MRR@2"], TEXTS, qrels=study / "qrels.txt"
    ).set_index(["run", "measure"])

    assert frame.loc[("A", "MRR"), "value"] == pytest.approx((1 / 2 + 1) / 2)
    assert frame.loc[("B", "MRR"), "value"] == pytest.approx((1 + 1 / 2) / 2)


def test_labels_of_documents_are_measured_without_any_text(
    fairpool: ModuleType, study: Path
) -> None:
    groups = {"d1": "m", "d2": "f", "d3": {"m": 3.0, "f": 1.0}}
    (study / "labels.csv").write_text("docno,group,weight\nd1,m,1\nd2,f,1\nd3,m,3\nd3,f,1\n")
    measures = ["LabelExposure(group=f)@2", "LabelAWRF@2"]

    of_memory = fairpool.evaluate(SCORES, measures, labels=groups)
    of_file = fairpool.evaluate(SCORES, measures, labels=study / "labels.csv")

    pd.testing.assert_frame_equal(of_memory, of_file)
    # A: q1 is d1, d2 with the exposures 1 and 1 / log2(3); q2 is d3 and d4, which has no label.
    second = log(2) / log(3)
    assert of_memory["value"][0] == pytest.approx((second / (1 + second) + 1 / 4) / 2)


def test_word_categories_are_looked_for_in_the_texts(fairpool: ModuleType, study: Path) -> None:
    (study / "words.dic").write_text("%\n1\tfamily\n%\nfather\t1\nmother\t1\n")
    measure, liwc = ["LIWC(category=family)@2"], study / "words.dic"

    of_texts = fairpool.evaluate(SCORES, measure, TEXTS, liwc=liwc)
    of_file = fairpool.evaluate(SCORES, measure, liwc=liwc, collection=study / "collection.tsv")
    of_one = fairpool.evaluate(
        {"A": SCORES["A"]}, measure, {"d1": TEXTS["d1"], "d2": "She."}, liwc=liwc, queries=["q1"]
    )

    pd.testing.assert_frame_equal(of_texts, of_file)
    # d1 has 2 of 7 words; d2, d3 and d4 none. q1 of A shows d1 and d2.
    assert of_texts["value"][0] == pytest.approx(100 * 2 / 7 / 2 / 2)
    assert of_one["value"][0] == pytest.approx(100 * 2 / 7 / 2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"runs": {}, "scores": TEXTS},
        {"runs": SCORES},
        {"runs": SCORES, "scores": TEXTS, "measures": ["RaB", "Rib"]},
        {"runs": SCORES, "measures": ["LabelAWRF"], "labels": {}},
        {"runs": SCORES, "measures": ["LabelAWRF"], "labels": {"d1": {"a b": 1.0}}},
        {"runs": SCORES, "measures": ["LabelAWRF"], "labels": {"d1": {"m": -1.0}}},
        {"runs": SCORES, "measures": ["LabelAWRF"]},
        {"runs": SCORES, "measures": ["LIWC(category=c)"], "liwc": "w.dic"},
        {"runs": SCORES, "scores": {"d1": "He."}},
        {"runs": SCORES, "scores": {"d1": None}},
        {"runs": {"A": {"q1": {"d1": float("nan")}}}, "scores": TEXTS},
        {"runs": {"A": [1, 2]}, "scores": TEXTS},
    ],
)
def test_whatever_cannot_be_used_is_one_kind_of_error(
    fairpool: ModuleType, arguments: dict[str, object]
) -> None:
    with pytest.raises(fairpool.InputError):
        fairpool.evaluate(**arguments)


def test_an_error_in_a_file_says_where(fairpool: ModuleType, study: Path) -> None:
    path = study / "A.run"
    path.write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d2\n")

    with pytest.raises(fairpool.InputError) as caught:
        fairpool.evaluate({"A": path}, ["RaB"], TEXTS)

    assert (caught.value.path, caught.value.line) == (str(path), 2)
