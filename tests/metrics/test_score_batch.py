"""Tables in memory to the columns of a scored collection, in whatever maps batches."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics import InputError, score_batch, score_collection, score_texts
from metrics.texts.scan import reading

TEXTS = [
    "She said that he, her mother and King's",
    "",
    "Ångström “he” naïve",
    "the daughter-in-law",
]


@pytest.fixture(params=["definition", "kernels"], autouse=True)
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SMALL", 1 << 40 if request.param == "definition" else 0)


def table(n_rows: int = 1_000) -> pa.Table:
    ids = [f"d{i}" for i in range(n_rows)]
    return pa.table({"id": ids, "text": [TEXTS[i % len(TEXTS)] for i in range(n_rows)]})


def stored(source: pa.Table, folder: Path) -> pa.Table:
    """The columns that `score_collection` stores for the same passages."""
    pq.write_table(source, folder / "c.parquet")
    score_collection(folder / "c.parquet", folder / "m.parquet")
    return pq.read_table(folder / "m.parquet")


def test_the_columns_are_those_of_a_scored_collection(tmp_path: Path) -> None:
    expected = stored(table(), tmp_path)
    chunks = pa.concat_tables([table().slice(0, 3), table().slice(3)])

    for source in (table(), chunks, table().to_pandas(), pl.from_arrow(table())):
        scored = score_batch(source)
        assert scored.equals(expected)
        assert scored.schema == expected.schema.remove_metadata()
    [batch] = table().to_batches()
    assert isinstance(score_batch(batch.slice(7)), pa.RecordBatch)
    assert pa.Table.from_batches([score_batch(batch.slice(7))]).equals(expected.slice(7))


def test_names_titles_and_numbers_mean_what_they_mean_in_files() -> None:
    source = pa.table(
        {
            "docno": pa.array([1, 2]),
            "title": ["She", None],
            "contents": pa.array(["said", "he"], pa.large_string()),
        }
    )
    scored = score_batch(source)

    assert scored["docno"].to_pylist() == ["1", "2"]
    assert scored["f_tc"].to_pylist() == [1, 0]
    assert scored["n_tokens"].to_pylist() == [2, 1]
    assert len(score_batch(source.slice(0, 0))) == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pa.table({"id": ["a", "b c"], "text": ["", ""]}), r"2: .*'b c'"),
        (pa.table({"id": ["a", ""], "text": ["", ""]}), "2: the docno is empty"),
        (pa.table({"id": ["a", "b"], "text": ["", None]}), "2: nothing in the column text"),
        (pa.table({"key": ["a"], "text": [""]}), "no column id"),
        (pa.table({"id": ["a"], "text": [7]}), "holds int64"),
        ([("a", "she")], "list is not a table"),
    ],
)
def test_what_is_no_collection_is_refused_with_its_row(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score_batch(source)


def test_polars_maps_batches() -> None:
    frame = pl.DataFrame(pl.from_arrow(table()))
    scored = frame.lazy().map_batches(
        lambda part: pl.DataFrame(pl.from_arrow(score_batch(part))),
        schema={
            "docno": pl.String, "n_tokens": pl.Int32,
            "f_tc": pl.Int32, "f_tf": pl.Float64, "m_tc": pl.Int32, "m_tf": pl.Float64,
        },
    ).collect()  # fmt: skip

    assert scored["f_tc"].sum() == sum(score_batch(table())["f_tc"].to_pylist())


def test_duckdb_reads_batches_and_queries_the_scores() -> None:
    passages = table()
    with duckdb.connect() as database:
        database.register("passages", passages)
        selected = database.sql("select id, text from passages")
        assert selected is not None
        database.register("scored", score_batch(selected.to_arrow_table()))
        [(total,)] = database.execute("select sum(f_tc) from scored").fetchall()

    assert total == score_texts(passages["text"].to_pylist()).tc["f"].sum()


def test_datasets_map_batches() -> None:
    datasets = pytest.importorskip("datasets")
    mapped = datasets.Dataset(table()).with_format("arrow").map(score_batch, batched=True)

    assert sum(mapped["f_tc"].to_pylist()) == sum(score_batch(table())["f_tc"].to_pylist())


@pytest.mark.faults
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's of its own names
def test_ray_data_maps_batches() -> None:
    pytest.importorskip("ray")
    data = pytest.importorskip("ray.data")
    rows = data.from_arrow(table()).map_batches(score_batch, batch_format="pyarrow").take_all()

    assert sum(row["f_tc"] for row in rows) == sum(score_batch(table())["f_tc"].to_pylist())


def test_dask_maps_partitions() -> None:
    dataframe = pytest.importorskip("dask.dataframe", exc_type=ImportError)
    frame = dataframe.from_pandas(table().to_pandas(), npartitions=3)
    meta = score_batch(frame.head(1)).to_pandas()
    scored = frame.map_partitions(lambda part: score_batch(part).to_pandas(), meta=meta).compute()

    assert np.array_equal(scored["f_tc"], score_batch(table())["f_tc"].to_pandas())


@pytest.mark.faults
@pytest.mark.filterwarnings("ignore::FutureWarning")  # Spark's of pandas 3
def test_spark_maps_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").getOrCreate()

    def score(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return map(score_batch, batches)

    schema = "docno string, n_tokens int, f_tc int, f_tf double, m_tc int, m_tf double"
    rows = spark.createDataFrame(pd.DataFrame(table().to_pandas())).mapInArrow(score, schema)
    assert sum(row.f_tc for row in rows.collect()) == sum(score_batch(table())["f_tc"].to_pylist())
