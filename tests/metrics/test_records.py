"""Runs and judgments in Parquet and JSON lines, as data sets are published."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics import InputError, evaluate, read_qrels, read_run
from metrics.results.value_files import read_values

Columns = Mapping[str, Sequence[object]]
ROWS: Columns = {"query_id": [1, 1, 2], "doc_id": ["d1", "d2", "d1"], "score": [2.5, 1.0, 3.0]}
GRADES: Columns = {"query-id": ["1", "2"], "corpus-id": ["d2", "d1"], "score": [2.0, 1.0]}


def written(path: Path, columns: Columns) -> Path:
    frame = pd.DataFrame(dict(columns))
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    return path


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_run_is_read_by_the_names_of_its_columns(tmp_path: Path, ending: str) -> None:
    run = read_run(written(tmp_path / f"BM25.{ending}", ROWS))

    assert run.name == "BM25"
    assert run.digest
    assert run.to_dict() == {"1": {"d1": 2.5, "d2": 1.0}, "2": {"d1": 3.0}}


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_run_may_have_ranks_alone(tmp_path: Path, ending: str) -> None:
    columns: Columns = {"qid": ["q", "q"], "docno": ["d2", "d1"], "rank": [2, 1]}

    run = read_run(written(tmp_path / f"run.{ending}", columns))

    assert run.documents("q") == ["d1", "d2"]


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_judgments_are_read_by_the_names_of_their_columns(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / f"qrels.{ending}", GRADES)

    assert read_qrels(path) == {"1": {"d2": 2}, "2": {"d1": 1}}
    run = written(tmp_path / f"run.{ending}", ROWS)
    assert evaluate(run, "MRR@10", qrels=path)["value"].tolist() == [0.75]


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"qid": ["q"], "docno": ["d"], "note": ["x"]}, "score"),
        ({"qid": ["q"], "text": ["d"], "score": [1.0]}, None),
        ({"qid": ["q"], "docno": [None], "score": [1.0]}, "None"),
        ({"qid": ["q"], "docno": ["d e"], "score": [1.0]}, "d e"),
    ],
)
def test_a_run_that_lacks_something_is_refused(
    tmp_path: Path, ending: str, columns: Columns, problem: str | None
) -> None:
    with pytest.raises(InputError, match=problem):
        read_run(written(tmp_path / f"run.{ending}", columns))


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_judgments_are_checked_as_those_of_lines(tmp_path: Path, ending: str) -> None:
    for grades in ([1.5, 1], [1, 1]):
        columns = {"query_id": ["q", "q"], "doc_id": ["d", "d"], "relevance": grades}
        with pytest.raises(InputError, match=r"grade|again"):
            read_qrels(written(tmp_path / f"qrels.{ending}", columns))


@pytest.mark.parametrize("read", [read_run, read_qrels, read_values])
def test_a_small_file_that_grows_out_of_proportion_is_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    ids = pa.array(["x" * 100_000]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), ids.dictionary)
    names = ("qid", "docno", "score", "grade", "run", "measure", "magnitude", "cutoff", "value")
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table(dict.fromkeys(names, column)), path)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="MB when it is read"):
        read(path)


def test_columns_that_no_run_has_are_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "run.parquet", {**ROWS, "terms": [["a"], ["b"], []]})
    assert read_run(path).to_dict() == {"1": {"d1": 2.5, "d2": 1.0}, "2": {"d1": 3.0}}


def test_the_row_of_an_id_that_is_none_is_named(tmp_path: Path) -> None:
    docnos = [*map(str, range(5_000)), None]
    columns: Columns = {"qid": ["q"] * 5_001, "docno": docnos, "score": [1.0] * 5_001}
    with pytest.raises(InputError, match=r"run\.parquet:5001: None is neither an id"):
        read_run(written(tmp_path / "run.parquet", columns))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(b"PAR1 and nothing else")

    for read in (read_run, read_qrels):
        with pytest.raises(InputError, match=r"run\.parquet"):
            read(path)


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "qrels.jsonl"
    path.write_text('{"query_id": "q", "doc_id": "d", "relevance": 1}\n[1]\n')

    with pytest.raises(InputError, match=r"qrels\.jsonl:2"):
        read_qrels(path)
