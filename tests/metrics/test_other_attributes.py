"""Measures of what is not a gender word: word categories, and labels of documents."""

import csv
import json
from math import log2
from pathlib import Path

import pytest

import metrics
from config.program import main

TEXTS = {"d1": "happy he", "d2": "friends she met today", "d3": "nothing at all", "d4": "they"}
DIC = "%\n1\taffect\n2\tsocial\n%\nhappy\t1\nfriend*\t1\t2\nthey\t2\n"
SHARES = ("LabelExposure", "LabelShare")
LABELS = "docno,group,weight\nd1,north\nd2,south\nd4,north,3\nd4,south,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.tsv").write_text("".join(f"{d}\t{t}\n" for d, t in TEXTS.items()))
    (tmp_path / "words.dic").write_text(DIC)
    (tmp_path / "labels.csv").write_text(LABELS)
    ranking = {"q1": ["d1", "d2", "d3", "d4"], "q2": ["d3"]}
    lines = [
        f"{qid} Q0 {docno} {rank} {9 - rank} A\n"
        for qid, docnos in ranking.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    (tmp_path / "A.run").write_text("".join(lines))
    (tmp_path / "queries.txt").write_text("q1\nq2\n")
    return tmp_path


def measured(folder: Path, *options: str) -> dict[str, dict[str, object]]:
    output = folder / "out.json"
    arguments = ["measure", "--run", f"A={folder / 'A.run'}", "--cutoff", "4", *options]
    assert main([*arguments, "--format", "json", "--output", str(output), "--quiet"]) == 0
    return {row["measure"]: row for row in json.loads(output.read_text())["rows"]}


def test_word_categories_need_no_scored_collection(folder: Path) -> None:
    options = ("--liwc", str(folder / "words.dic"), "--collection", str(folder / "c.tsv"))
    names = "LIWC(category=affect),LIWC(category=social)"
    rows = measured(folder, *options, "--measure", names)
    assert list(rows) == ["LIWC(category=affect)", "LIWC(category=social)"]
    # q1: affect 50, 25, 0, 0; social 0, 25, 0, 100. q2: nothing.
    assert rows["LIWC(category=affect)"]["value"] == pytest.approx((75 / 4 + 0) / 2)
    assert rows["LIWC(category=social)"]["value"] == pytest.approx((125 / 4 + 0) / 2)
    name = "LIWC(category=affect,minus=social)"
    difference = measured(folder, *options, "--measure", name)[name]
    assert difference["value"] == pytest.approx((75 - 125) / 4 / 2)


def test_exposure_of_labels_by_hand(folder: Path) -> None:
    rows = measured(folder, "--labels", str(folder / "labels.csv"), "--measure", "all")
    weights = [1 / log2(rank + 1) for rank in range(1, 5)]
    north, south = weights[0] + 0.75 * weights[3], weights[1] + 0.25 * weights[3]
    share = north / (north + south)
    assert rows["LabelExposure(group=north)"]["value"] == pytest.approx(share)
    assert rows["LabelExposure(group=south)"]["value"] == pytest.approx(1 - share)
    # q2 has no labelled document: no share, and a distance of 0.
    assert rows["LabelExposure(group=north)"]["n_queries_missing"] == 1
    assert rows["LabelExposure(group=north)"]["n_docs_missing"] == 2
    assert rows["LabelAWRF"]["value"] == pytest.approx((2 * abs(share - 0.5) + 0) / 2)
    # Three documents have a label, the last of them one of both.
    assert rows["LabelShare(group=north)"]["value"] == pytest.approx((1 + 0.75) / 3)


def test_a_share_without_a_group_is_of_each(folder: Path) -> None:
    labels = ("--labels", str(folder / "labels.csv"))
    rows = measured(folder, *labels, "--measure", "LabelExposure,LabelShare@2,LabelAWRF")
    names = [f"{name}(group={group})" for name in SHARES for group in ("north", "south")]
    assert list(rows) == [*names, "LabelAWRF"]
    for name in SHARES:
        of_groups = [float(str(rows[each]["value"])) for each in names if each.startswith(name)]
        assert sum(of_groups) == pytest.approx(1)
    assert rows["LabelShare(group=north)"]["cutoff"] == 2
    table = metrics.evaluate(
        {"q1": ["d1", "d2"]}, "LabelShare@2", labels={"d1": "north", "d2": "south"}
    )
    assert table["value"].tolist() == [0.5, 0.5]


def test_what_is_not_given_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["measure", "--run", f"A={folder / 'A.run'}", "--quiet"]
    labels = ["--labels", str(folder / "labels.csv")]
    liwc = ["--liwc", str(folder / "words.dic")]
    for options, named in (
        (["--measure", "RaB"], "--scores"),
        (["--measure", "LIWC(category=affect)"], "--liwc"),
        (["--measure", "LabelAWRF"], "--labels"),
        (["--measure", "LabelExposure(group=west)", *labels], "north, south"),
        (["--measure", "LabelAWRF(target=north:1)", *labels], "north, south"),
        (["--measure", "LIWC", *liwc, "--collection", str(folder / "c.tsv")], "affect, social"),
        (["--measure", "LIWC(category=affect)", *liwc], "--collection"),
    ):
        assert main([*run, *options]) == 1
        assert named in capsys.readouterr().err


def test_the_field_table_has_a_column_for_each(folder: Path) -> None:
    scored, table = folder / "m.parquet", folder / "table"
    assert main(["score", str(folder / "c.tsv"), "--output", str(scored), "--quiet"]) == 0
    options = ["--run", str(folder / "*.run"), "--scores", str(scored), "--quiet"]
    options += ["--queries", str(folder / "queries.txt"), "--output", str(table)]
    options += ["--liwc", str(folder / "words.dic"), "--collection", str(folder / "c.tsv")]
    options += ["--labels", str(folder / "labels.csv")]
    assert main(["table", *options]) == 0
    with (table / "table.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["LIWC_affect@10"]) == pytest.approx(75 / 4 / 2)
    assert float(row["LabelExposure_north@10"]) + float(row["LabelExposure_south@10"]) == 1
    assert float(row["LabelAWRF@10"]) > 0
    origin = json.loads((table / "table.json").read_text())
    assert origin["categories"]["file"] == "words.dic"
    assert origin["labels"]["digest"]
