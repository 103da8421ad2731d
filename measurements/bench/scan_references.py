"""References of the scan: programs that others would write to score a collection."""

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

from metrics.texts.lexicon import read_lexicon

# One row for each word and passage, then one for each passage and group.
_SQL = """
with found as (
    select row, word, count(*) as n
    from (select row, unnest(string_split(lower(text), ' ')) as word from passages)
    where word in (select word from lexicon) group by row, word
)
select row, "group", sum(ln(1 + n)) as tf from found join lexicon using (word)
group by row, "group"
"""


def count_vectorizer(lines: Sequence[bytes]) -> object:
    """scikit-learn counting the words of the lexicon."""
    vectorizer = CountVectorizer(
        vocabulary=[word for words in read_lexicon().words for word in words],
        tokenizer=lambda text: text.split(" "),
        token_pattern=None,
    )
    return vectorizer.transform(line.decode().split("\t", 1)[1] for line in lines)


def with_polars(lines: Sequence[bytes]) -> Callable[[], float]:
    """polars on a column in memory, its cores all in use; gives the sum of all magnitudes."""
    texts = pl.Series("text", _texts(lines))
    lexicon = _lexicon_table()
    patterns = [f" {word} " for word in lexicon["word"]]
    words = pl.DataFrame({"found": patterns, **lexicon})

    def score() -> float:
        spaced = pl.concat_str(pl.lit(" "), pl.col("text").str.to_lowercase(), pl.lit(" "))
        counts = (
            pl.DataFrame(texts)
            .with_row_index("row")
            .lazy()
            .select(
                "row", found=spaced.str.extract_many(words["found"].to_list(), overlapping=True)
            )
            .explode("found")
            .drop_nulls()
            .group_by("row", "found")
            .len()
            .join(words.lazy(), on="found")
            .group_by("row", "group")
            .agg(tf=(1 + pl.col("len")).log().sum())
        )
        return float(counts.collect()["tf"].sum())

    return score


def with_duckdb(lines: Sequence[bytes]) -> Callable[[], float]:
    """duckdb on a table in memory, its cores all in use; gives the sum of all magnitudes."""
    connection = duckdb.connect()
    texts = _texts(lines)
    tables = {
        "passages": pa.table({"row": np.arange(len(texts)), "text": texts}),
        "lexicon": pa.table(_lexicon_table()),
    }
    for name, table in tables.items():
        connection.register(f"{name}_given", table)
        connection.execute(f"create table {name} as select * from {name}_given")  # noqa: S608 - ours

    def score() -> float:
        rows: Any = connection.sql(_SQL).to_arrow_table()
        return float(rows["tf"].to_numpy().sum())

    return score


def _texts(lines: Sequence[bytes]) -> list[str]:
    return [line.decode().rstrip("\n").split("\t", 1)[1] for line in lines]


def _lexicon_table() -> dict[str, list[str]]:
    lexicon = read_lexicon()
    pairs = [(w, g) for g, words in zip(lexicon.groups, lexicon.words, strict=True) for w in words]
    return {"word": [word for word, _ in pairs], "group": [group for _, group in pairs]}
