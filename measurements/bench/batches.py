"""`fairpool.score_batch` on rows that are in memory already: alone, and inside two engines."""

import statistics
import time
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from measurements.bench.collections import BODIES, bodies
from measurements.bench.measuring import ROUNDS, say
from metrics.texts.scan.texts import score_batch

#: What stands below the table: the goal, and what the figures hold.
REASONS = """
Goal: 500,000 passages for each second of a core by the call itself. What an engine adds is its own
way of carrying rows.
"""
_PASSAGES, _QUICK_PASSAGES = 1_000_000, 20_000
_SCHEMA = {
    "docno": pl.String, "n_tokens": pl.Int32,
    "f_tc": pl.Int32, "f_tf": pl.Float64, "m_tc": pl.Int32, "m_tf": pl.Float64,
}  # fmt: skip


def run(folder: Path, *, quick: bool = False) -> str:
    """A section in Markdown; nothing is written to `folder`."""
    del folder
    say("batches")
    count = _QUICK_PASSAGES if quick else _PASSAGES
    texts = [body.decode() for body in bodies(min(count, BODIES))]
    rows = pa.table(
        {
            "id": [str(number) for number in range(count)],
            "text": [texts[number % len(texts)] for number in range(count)],
        }
    )
    frame = pl.DataFrame(pl.from_arrow(rows))
    ways = {
        "`score_batch` of an Arrow table": lambda: score_batch(rows),
        "in Polars, `map_batches`": lambda: _in_polars(frame),
        "in DuckDB, from a query to a query": lambda: _in_duckdb(rows),
    }
    lines = [
        "## Rows in memory",
        "",
        f"{count:,} passages, tokenizer `word`; seconds are those of the processor, of all cores.",
        "",
        "| way | passages for each second of a core | least | greatest |",
        "|---|---:|---:|---:|",
    ]
    for name, work in ways.items():
        work()  # loads and compiles
        rates = []
        for _round in range(1 if quick else ROUNDS):
            before = time.process_time()
            work()
            rates.append(count / (time.process_time() - before))
        lines.append(
            f"| {name} | {statistics.median(rates):,.0f} | {min(rates):,.0f} | {max(rates):,.0f} |"
        )
    return "\n".join(lines)


def _in_polars(frame: pl.DataFrame) -> object:
    return (
        frame.lazy()
        .map_batches(lambda part: pl.DataFrame(pl.from_arrow(score_batch(part))), schema=_SCHEMA)
        .select(pl.sum("f_tc"))
        .collect()
    )


def _in_duckdb(rows: pa.Table) -> object:
    with duckdb.connect() as database:
        database.register("passages", rows)
        chosen = database.sql("select id, text from passages").to_arrow_table()
        database.register("scored", score_batch(chosen))
        return database.execute("select sum(f_tc) from scored").fetchall()
