"""The command comsrb: by hand, and on the published lists of three search engines."""

import csv
import json
from math import sqrt
from pathlib import Path
from urllib.parse import unquote

import pytest

from metrics.errors import InputError
from metrics.results.variants import read_variants
from tests.program import failure, run, run_json


def write_run(path: Path, lists: dict[str, str]) -> Path:
    lines = [
        f"{qid} Q0 {docno} {rank} {100 - rank} A\n"
        for qid, docnos in lists.items()
        for rank, docno in enumerate(docnos.split(), start=1)
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    lists = {"1_N": "a b c d", "1_P": "a b x y", "1_CP": "c z u v"}
    lists |= {"2_N": "a b c d", "2_P": "a x y z", "2_CP": "d c b z"}
    lists |= {"3_N": "a b c d", "3_P": "a b c d", "3_CP": "x"}
    return write_run(tmp_path / "A.run", lists | {"4_N": "a", "4_P": "a"})


def test_mean_test_and_effect_by_hand(run_file: Path, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(
        "neutral,stereotypical,counter,topic\n1_N,1_P,1_CP,work\n2_N,2_P,2_CP,work\n"
        "3_N,3_P,3_CP,home\n4_N,4_P,4_CP,home\n"
    )
    rows = run_json(
        "comsrb", "--run", f"A={run_file}", "--variants", tmp_path / "v.csv", "--cutoff", "4"
    )["rows"]
    (whole,) = [r for r in rows if (r["topic"], r["measure"]) == ("all", "ComSRB-RaB")]
    # The first four of each neutral list: 2/4 - 1/4, 1/4 - 3/4, 4/4 - 0; the last has no variant.
    values = [0.25, -0.5, 1.0]
    mean = sum(values) / 3
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / 2)
    assert whole["value"] == pytest.approx(mean)
    assert whole["effect"] == pytest.approx(mean / deviation)
    # Three queries are too few for a t-test.
    assert (whole["t"], whole["t_p"]) == (None, None)
    assert (whole["n_queries"], whole["n_queries_missing"]) == (3, 1)
    assert [r["topic"] for r in rows[::3]] == ["all", "work", "home"]
    # One query has no spread: nothing to test.
    (home,) = [r for r in rows if (r["topic"], r["measure"]) == ("home", "ComSRB-RaB")]
    assert (home["value"], home["t"], home["effect"]) == (1.0, None, None)


def test_files_of_means_and_of_queries(run_file: Path, tmp_path: Path) -> None:
    table, per_query = tmp_path / "t.csv", tmp_path / "q.csv"
    options = ["--suffixes", "_N,_P,_CP", "--output", table, "--per-query", per_query]
    run("comsrb", "--run", f"A={run_file}", *options, "--cutoff", "2,4")
    with table.open(newline="") as file:
        assert [row["cutoff"] for row in csv.DictReader(file)] == ["2"] * 3 + ["4"] * 3
    with per_query.open(newline="") as file:
        assert {row["qid"] for row in csv.DictReader(file)} == {"1_N", "2_N", "3_N"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--suffixes", "_N,_P"], "_N,_P"),
        (["--suffixes", "_n,_p,_c"], "_n,_p,_c"),
    ],
)
def test_what_makes_no_sense_is_refused(run_file: Path, options: list[str], said: str) -> None:
    assert said in failure("comsrb", "--run", f"A={run_file}", *options)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", None),
        (b"a,b\n", 1),
        (b"a,b,\n", 1),
        (b"a,b,b\n", 1),
        (b"a,b,c\na,d,e\n", 2),
        (b"a,b,c,all\n", 1),
        (b"a,b,\xff\n", 1),
    ],
)
def test_a_damaged_file_of_variants_is_an_error(
    tmp_path: Path, content: bytes, line: int | None
) -> None:
    (tmp_path / "v.csv").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_variants(tmp_path / "v.csv")
    assert caught.value.line == line


@pytest.mark.shared_data
def test_search_engines_have_the_known_values(shared_data: Path, tmp_path: Path) -> None:
    engines: dict[str, list[str]] = {"Google": [], "Bing": [], "DuckDuckGo": []}
    with (shared_data / "comsrb" / "se_results.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            docno = unquote(row["docurl"]).replace(" ", "%20")
            engines[row["tag"]].append(f"{row['qid']} Q0 {docno} {row['rank']} 1 x\n")
    options: list[object] = []
    for name, lines in engines.items():
        (tmp_path / f"{name}.run").write_text("".join(lines))
        options += ["--run", f"{name}={tmp_path / name}.run"]
    printed = run("comsrb", *options, "--suffixes", "_N,_P,_CP", "--format", "json")
    values = [row["value"] for row in json.loads(printed)["rows"]]
    assert values[:3] == pytest.approx([0.437500, 0.568591, 0.502978], abs=1e-6)
    assert values[6:] == pytest.approx([0.162500, 0.271726, 0.217534], abs=1e-6)
    # Bing repeats an address within a list, which counts once in a run; with the repeat: .2125.
    assert values[3] == pytest.approx(0.215625, abs=1e-6)
