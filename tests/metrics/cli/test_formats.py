"""The ending of an output says its format, for every table and for values per query."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.program import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a collection of two passages and two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.tsv").write_text("d1\tHe left.\nd2\tShe.\n")
    for name, docnos in (("a", ("d1", "d2")), ("b", ("d2", "d1"))):
        lines = [f"q1 Q0 {docno} {rank} {-rank} x\n" for rank, docno in enumerate(docnos, start=1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


MEASURE = ("measure", "--collection", "c.tsv", "--run", "a.run", "--run", "b.run", "--cutoff", 1)
COMPARE = ("compare", "--run", "a.run", "--run", "b.run")


def kind_of(path: Path) -> str:
    """The format of a written table, by its bytes."""
    head = path.read_bytes()[:7]
    marks = {b"PAR1": "parquet", b"{": "json", b"|": "md", b"\\begin": "tex"}
    return next((kind for mark, kind in marks.items() if head.startswith(mark)), "csv")


@pytest.mark.parametrize("command", [MEASURE, COMPARE], ids=["measure", "compare"])
@pytest.mark.parametrize("ending", ["csv", "json", "md", "tex", "parquet"])
def test_the_ending_says_the_format_and_the_file_may_be_written_again(
    folder: Path, command: tuple[object, ...], ending: str
) -> None:
    table = "t.csv" if ending == "parquet" else f"t.{ending}"
    for _ in range(2):
        run(*command, "--output", table, "--per-query", f"v.{ending}")

    assert kind_of(folder / table) == Path(table).suffix[1:]
    assert kind_of(folder / f"v.{ending}") == ending


def test_an_option_is_stronger_than_an_ending(folder: Path) -> None:
    run(*MEASURE, "--output", "t.md", "--format", "csv")

    assert kind_of(folder / "t.md") == "csv"


def test_the_values_are_the_same_in_every_format(folder: Path) -> None:
    for ending in ("json", "parquet"):
        run(*MEASURE, "--per-query", f"v.{ending}")

    rows = json.loads((folder / "v.json").read_text())["rows"]
    assert rows == pq.read_table(folder / "v.parquet").to_pylist()
    assert {row["qid"] for row in rows} == {"q1"}


def test_a_table_of_runs_takes_their_queries_where_none_are_named(folder: Path) -> None:
    (folder / "q.tsv").write_text("q1\twho left\n")
    call = ("table", "--collection", "c.tsv", "--run", "a.run", "--run", "b.run")
    run(*call, "--output", "all")
    run(*call, "--queries", "q.tsv", "--output", "named")

    tables = [(folder / name / "table.csv").read_text() for name in ("all", "named")]
    assert tables[0] == tables[1]
    assert tables[0].count("\n") == 3
