"""What others would write to score a collection: the references of the scan."""

import json
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

from metrics.lexicon import read_lexicon
from metrics.tokens import Tokenizer, tokenize

LOOP = "released notebook's loop, 1 process"

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


def notebook(lines: Iterable[bytes], tokenizer: Tokenizer) -> list[list[float]]:
    """The released notebook's loop, written from its description: per document a Counter of all
    tokens, per word of each group a look-up and a logarithm, results in lists.
    """
    pairs = (line.decode().rstrip("\n").split("\t", 1) for line in lines)
    return [magnitudes for _, magnitudes in _loop(pairs, tokenizer)]


def notebook_of_json(lines: Iterable[bytes], tokenizer: Tokenizer) -> list[list[float]]:
    """The same for JSON lines."""
    objects = map(json.loads, lines)
    pairs = ([fields["id"], fields["contents"]] for fields in objects)
    return [magnitudes for _, magnitudes in _loop(pairs, tokenizer)]


def _loop(pairs: Iterable[list[str]], tokenizer: Tokenizer) -> Iterator[tuple[str, list[float]]]:
    lexicon = read_lexicon()
    for docno, text in pairs:
        is_plain = tokenizer == "whitespace"
        tokens = text.lower().split(" ") if is_plain else tokenize(text, tokenizer)
        counts = Counter(tokens)
        magnitudes = []
        for words in lexicon.words:
            magnitude = 0.0
            for word in words:
                if word in counts:
                    magnitude += np.log(1 + counts[word])
            magnitudes.append(magnitude)
        yield docno, magnitudes


def whole_notebook(path: str, tokenizer: Tokenizer, output: str) -> None:
    """The notebook as a program: a file of passages to a pickled dictionary."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        pairs = (line.rstrip("\n").split("\t", 1) for line in file)
        magnitudes = dict(_loop(pairs, tokenizer))
    with Path(output).open("wb") as target:
        pickle.dump(magnitudes, target)


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


if __name__ == "__main__":
    whole_notebook(sys.argv[1], sys.argv[2], sys.argv[3])  # type: ignore[arg-type] # a tokenizer
