"""The table of papers on neural rankers, and the pictures of seeds and judges."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metrics import InputError, evaluate, plot_judges, plot_repeats
from tests.latex import CLASSES, compile_latex
from tests.program import failure, run_json

PATTERN = r"bert_(?P<system>.+)_seed\d+"
WORDS = ("he", "his", "she", "road", "tree")
DOCNOS = [f"d{number:02}" for number in range(60)]
QIDS = [f"q{number:02}" for number in range(40)]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods with three seeds on 40 queries, a collection and judgments."""
    folder = tmp_path_factory.mktemp("neural")
    random = np.random.default_rng(8)
    texts = {docno: " ".join(random.choice(WORDS, 6)) for docno in DOCNOS}
    (folder / "c.tsv").write_text("".join(f"{docno}\t{text}\n" for docno, text in texts.items()))
    qrels = {qid: {docno: int(random.integers(2)) for docno in DOCNOS} for qid in QIDS}
    (folder / "qrels").write_text(
        "".join(f"{q} 0 {d} {grade}\n" for q, of in qrels.items() for d, grade in of.items())
    )
    for method, strength in (("plain", 1.5), ("fair", 1.0)):
        for seed in range(3):
            lines = [
                f"{qid} Q0 {docno} 0 {strength * grade + random.normal():.6f} x\n"
                for qid, grades in qrels.items()
                for docno, grade in grades.items()
            ]
            (folder / f"bert_{method}_seed{seed}.run").write_text("".join(lines))
    return folder


def _call(study: Path, output: Path) -> list[object]:
    return [
        *("table", "--run", study / "*.run", "--collection", study / "c.tsv"),
        *("--qrels", study / "qrels", "--repeats", PATTERN, "--output", output),
    ]


@pytest.fixture(scope="module")
def table(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the preset, with the plain method as the baseline."""
    output = tmp_path_factory.mktemp("tables") / "neural"
    run_json(*_call(study, output), "--preset", "neural-bias", "--baseline", "plain")
    return output


def test_each_value_is_the_mean_over_seeds_with_its_deviation(study: Path, table: Path) -> None:
    with (table / "table.csv").open(newline="") as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"plain", "fair"}
    seeds = evaluate(
        str(study / "bert_fair_*.run"),
        ["nDCG@10", "ARaB(magnitude=logtc)@50", "NFaiRR@20"],
        study / "c.tsv",
        qrels=study / "qrels",
        background="collection",
    )
    for ours, theirs in (("nDCG", "nDCG@10"), ("ARaB", "ARaB_tf@50"), ("NFaiRR", "NFaiRR@20")):
        values = seeds[seeds["measure"] == ours]["value"]
        assert float(rows["fair"][theirs]) == pytest.approx(values.mean())
        assert float(rows["fair"][f"{theirs}_deviation"]) == pytest.approx(values.std())
    cutoffs = {name.partition("@")[2] for name in rows["fair"] if name.startswith("NFaiRR@")}
    assert {name.partition("_")[0] for name in cutoffs} == {"5", "10", "20", "50"}


def test_latex_prints_them_as_papers_do_and_says_which_tf_it_is(table: Path) -> None:
    text = (table / "neural_bias.tex").read_text()
    with (table / "table.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["run"] == "fair")
    value, deviation = (float(row[name]) for name in ("nDCG@10", "nDCG@10_deviation"))
    # In every part of a table that is split by groups of columns.
    assert text.count(rf"{value:.4f} & ~$\pm$ {deviation:.4f}") == text.count(r"\begin{table*}")
    assert "logtc" in text


@pytest.mark.long
@pytest.mark.parametrize("document_class", CLASSES.values())
def test_the_tables_fit_a_paper(table: Path, tmp_path: Path, document_class: str) -> None:
    texts = [(table / name).read_text() for name in ("neural_bias.tex", "repetitions.tex")]
    compile_latex(texts, tmp_path, document_class)


def test_without_repetitions_runs_stand_by_themselves(study: Path, tmp_path: Path) -> None:
    call = ["table", "--run", study / "bert_fair_seed0.run", "--collection", study / "c.tsv"]
    made = run_json(*call, "--preset", "neural-bias", "--output", tmp_path / "t")
    (row,) = made["rows"]
    assert row["ARaB_tc@5_deviation"] is None
    assert "nDCG@10" not in row
    assert "--measure" in failure(
        *call, "--preset", "neural-bias", "--measure", "NDKL", "--output", tmp_path / "u"
    )


def test_the_usual_table_has_one_of_systems_beside_it(study: Path, tmp_path: Path) -> None:
    made = run_json(*_call(study, tmp_path / "t"), "--baseline", "plain")
    assert len(made["rows"]) == 6
    with (tmp_path / "t" / "repetitions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = evaluate(
        str(study / "*.run"), "nDCG@10", qrels=study / "qrels", repeats=PATTERN
    ).set_index("run")
    for row in rows:
        if row["measure"] == "nDCG@10":
            assert float(row["low"]) == pytest.approx(expected.loc[row["run"], "low"])
    assert (tmp_path / "t" / "repetitions_figure.svg").stat().st_size > 1_000


@pytest.mark.long
def test_a_report_has_the_tables_and_pictures_of_systems_and_judges(
    study: Path, tmp_path: Path
) -> None:
    random = np.random.default_rng(9)
    (tmp_path / "queries").write_text("".join(f"{qid}\n" for qid in QIDS))
    judges: list[object] = []
    for judge in ("gpt", "qwen", "llama"):
        (tmp_path / judge).write_text(
            "".join(f"{q} 0 {d} {random.integers(2)}\n" for q in QIDS for d in DOCNOS)
        )
        judges += ["--judge-qrels", f"{judge}={tmp_path / judge}"]
    made = run_json(
        *("report", "--run", study / "*.run", "--collection", study / "c.tsv"),
        *("--queries", tmp_path / "queries", "--cutoff", "10", "--repeats", PATTERN),
        *judges,
        *("--output", tmp_path / "report"),
    )
    stems = ("repetitions.csv", "repetitions_figure.svg", "judges.csv", "judges_figure.svg")
    assert {*stems} <= set(made["files"])
    assert len(set(made["files"])) == len(made["files"])
    with (tmp_path / "report" / "judges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["judge"] for row in rows} == {"gpt", "qwen", "llama", ""}
    with (tmp_path / "report" / "repetitions.csv").open(newline="") as file:
        systems = {row["run"]: row for row in csv.DictReader(file) if "NFaiRR" in row["measure"]}
    assert {name: row["n_repetitions"] for name, row in systems.items()} == {
        "plain": "3",
        "fair": "3",
    }


def test_the_picture_of_seeds_has_a_dot_for_each(study: Path) -> None:
    per_query = evaluate(
        str(study / "*.run"), "nDCG@10", qrels=study / "qrels", repeats=PATTERN, per_query=True
    )
    panel = plot_repeats(per_query).axes[0]
    dots = [line for line in panel.lines if line.get_marker() == "o"]
    assert [len(np.atleast_1d(line.get_ydata())) for line in dots] == [3, 3]
    means = per_query[per_query["system"] == "fair"].groupby("run")["value"].mean()
    drawn = {round(float(y), 8) for line in dots for y in np.atleast_1d(line.get_ydata())}
    assert {round(float(mean), 8) for mean in means} <= drawn


def test_the_picture_of_judges_has_a_line_for_each_run() -> None:
    runs = {"a": {"q": {"d": 2.0, "e": 1.0}}, "b": {"q": {"d": 1.0, "e": 2.0}}}
    judges = {"gpt": {"q": {"d": 1, "e": 0}}, "qwen": {"q": {"d": 0, "e": 1}}}
    frame = evaluate(runs, "MRR@10", judge_qrels=judges)
    lines = plot_judges(frame).axes[0].lines
    assert [list(map(float, np.atleast_1d(line.get_ydata()))) for line in lines] == [
        [1.0, 0.5],
        [0.5, 1.0],
    ]


@pytest.mark.parametrize("plot", [plot_repeats, plot_judges])
def test_a_picture_of_another_table_is_refused(plot: object) -> None:
    with pytest.raises(InputError, match="no column"):
        plot(pd.DataFrame({"run": ["a"]}))  # type: ignore[operator]
