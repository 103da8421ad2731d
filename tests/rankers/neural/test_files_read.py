"""Triples and word vectors are read as every other file is: packed, marked, in UTF-16."""

import bz2
import codecs
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from metrics.errors import InputError
from rankers.neural.passages import Passages
from rankers.neural.starting import read_glove
from rankers.neural.triples import Triple, TripleFile
from rankers.neural.vocabulary import Vocabulary

_WRITTEN: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "with a mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
}


@pytest.fixture
def passages(tmp_path: Path) -> Passages:
    collection = tmp_path / "c.tsv"
    collection.write_text("d1\the\nd2\tshe\n")
    return Passages(collection)


@pytest.mark.parametrize("written", _WRITTEN)
@pytest.mark.parametrize("name", ["triples.tsv", "triples.tsv.gz"])
def test_triples_are_the_same_however_the_file_is_written(
    tmp_path: Path, passages: Passages, written: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(_WRITTEN[written]("q1\td1\td2\nq2\td2\td1\n"))

    triples = TripleFile(path, {"q1": "whó", "q2": "what"}, passages)

    drawn = sorted(triples.shuffled(torch.Generator().manual_seed(1)), key=lambda t: t.query)
    assert drawn == [
        Triple("what", "she", "he", "d2", "d1"),
        Triple("whó", "he", "she", "d1", "d2"),
    ]


def test_triples_that_are_no_text_are_refused_where_they_stand(
    tmp_path: Path, passages: Passages
) -> None:
    path = tmp_path / "triples.tsv"
    path.write_bytes(b"who\the\tshe\nwh\xf3\the\tshe\n")

    with pytest.raises(InputError, match=r"triples\.tsv:2: is not UTF-8"):
        TripleFile(path, {}, passages)


@pytest.mark.parametrize("written", _WRITTEN)
@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_word_vectors_are_the_same_however_the_file_is_written(
    tmp_path: Path, written: str, header: str
) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(_WRITTEN[written](f"{header}he 1 2 3\nshe 4 5 6\n"))
    words = ("<padding>", "<unknown>", "he", "she")

    vectors, n_known = read_glove(path, Vocabulary(words, np.ones(4, np.float32)), seed=1)

    assert (n_known, vectors[2:].tolist()) == (2, [[1, 2, 3], [4, 5, 6]])
