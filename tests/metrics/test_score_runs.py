"""measure as its users call it: formats, sidecars, and every refusal."""

import csv
import io
import json
from pathlib import Path

import pytest

from metrics.results.scored_runs import COLUMNS
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from tests.program import failure, run, run_json


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    (tmp_path / "collection.tsv").write_text("a\tshe saw him and him\nb\ther\n", encoding="utf-8")
    score_collection(tmp_path / "collection.tsv", tmp_path / "m.parquet", lexicon=read_lexicon())
    (tmp_path / "one.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", encoding="utf-8")
    options = ["--run", f"A_1={tmp_path / 'one.run'}", "--cutoff", "1,2", "--magnitude", "tc"]
    return ["measure", "--scores", tmp_path / "m.parquet", "--measure", "RaB", *options]


def test_csv_goes_to_standard_output(arguments: list[object]) -> None:
    rows = list(csv.reader(io.StringIO(run(*arguments))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1:] == [
        ["A_1", "RaB", "tc", "1", "1.0", "1", "0", "0", "run", "male"],
        ["A_1", "RaB", "tc", "2", "0.0", "1", "0", "0", "run", "male"],
    ]


def test_json_is_one_object_with_its_origin(arguments: list[object], tmp_path: Path) -> None:
    printed = run_json(*arguments)
    run(*arguments, "--format", "json", "--output", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == printed
    assert [row["value"] for row in printed["rows"]] == [1.0, 0.0]
    assert set(printed["runs"]) == {"A_1"}


@pytest.mark.parametrize(
    ("format_", "line"),
    [
        ("md", "| A\\_1 | RaB | tc | 1 | 1.0000 | 1 | 0 | 0 | run | male |"),
        ("latex", "A\\_1 & RaB & tc & 1 & 1.0000 & 1 & 0 & 0 & run & male \\\\"),
    ],
)
def test_tables_for_people_have_a_sidecar(
    arguments: list[object], tmp_path: Path, format_: str, line: str
) -> None:
    run(*arguments, "--format", format_, "--output", tmp_path / "out")
    assert line in (tmp_path / "out").read_text().splitlines()
    assert json.loads((tmp_path / "out.meta.json").read_text())["missing"] == "error"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--measure", "Bias"], "unknown measure 'Bias'"),
        (["--magnitude", "idf"], "no magnitude 'idf'"),
        (["--run", "A_1=x.run"], "are both named 'A_1'"),
        (["--run", "x.run"], "x.run: no such file"),
        (["--run", "x*.run"], "--run x*.run: there is no run at this path"),
        (["--run", "B="], "no NAME=PATH"),
        (["--run", "a:b=x.run"], "cannot name a run"),
        (["--run", "a b=x.run"], "cannot name a run"),
        (["--run", "B=absent.run"], "absent.run: no such file"),
        (["--queries", "absent.tsv"], "absent.tsv: no such file"),
        (["--scores", "absent.parquet"], "absent.parquet: no such file"),
        (["--measure", "nDCG"], "--qrels"),
        (["--measure", "NFaiRR"], "background"),
        (["--measure", "RaB(female=x)"], "no group 'x'"),
    ],
)
def test_what_cannot_be_done_is_one_plain_line_and_leaves_nothing(
    arguments: list[object], tmp_path: Path, options: list[str], said: str
) -> None:
    before = sorted(tmp_path.iterdir())
    message = failure(*arguments, "--output", tmp_path / "out.csv", *options)
    assert said in message
    assert "\n" not in message
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--cutoff", text) for text in ("0", "ten", "", "5,0")),
        ("--measure", ","),
        ("--magnitude", ""),
    ],
)
def test_an_empty_list_and_a_cutoff_that_is_no_rank_are_wrong_calls(
    arguments: list[object], option: str, value: str
) -> None:
    assert option in failure(*arguments, option, value, status=2)


def test_a_folder_that_does_not_exist_is_an_error(arguments: list[object], tmp_path: Path) -> None:
    assert "the folder does not exist" in failure(*arguments, "--output", tmp_path / "no" / "out")


def test_of_several_files_all_appear_or_none(arguments: list[object], tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    per_query = ["--per-query", tmp_path / "q.parquet"]
    failure(*arguments, *per_query, "--output", tmp_path / "no" / "out.csv")
    assert sorted(tmp_path.iterdir()) == before
    run(*arguments, *per_query, "--output", tmp_path / "out.csv")
    made = {path.name for path in tmp_path.iterdir()} - {path.name for path in before}
    assert made == {"q.parquet", "out.csv", "out.csv.meta.json"}


def test_oddities_of_a_run_are_told_on_standard_error(
    arguments: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n", encoding="utf-8")
    run(*arguments)
    assert "one.run:1: ranks and scores contradict each other in 1 query" in capsys.readouterr().err
