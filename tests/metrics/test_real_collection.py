"""Real passages, both released word lists. The reference was computed with the released code."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from metrics.texts.collection import read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude import score_texts
from metrics.texts.magnitude_store import Magnitudes, open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.vocabulary import TOKENIZERS, Tokenizer

pytestmark = pytest.mark.shared_data
LISTS = {
    "sigir20_32": "wordlist_genderspecific.sigir20.txt",
    "sigir21_163": "wordlist_gender_representative.sigir21.txt",
}


@pytest.fixture(scope="module", params=LISTS)
def word_list(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def magnitudes(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory, word_list: str
) -> Magnitudes:
    output = tmp_path_factory.mktemp("scored") / "m.parquet"
    score_collection(
        shared_data / "msmarco_dl19" / "collection.tsv",
        output,
        lexicon=read_lexicon(shared_data / "wordlists" / LISTS[word_list]),
        tokenizer="whitespace",
    )
    return open_magnitudes(output)


@pytest.mark.long
def test_all_passages_are_scored(shared_data: Path, magnitudes: Magnitudes) -> None:
    path = shared_data / "msmarco_dl19" / "collection.tsv"

    # README of the collection: 14,581 passages, some with U+0085 inside.
    assert magnitudes.n_documents == path.read_bytes().count(b"\n") == 14_581
    assert magnitudes.find(magnitudes.docnos).tolist() == list(range(14_581))


@pytest.mark.long
def test_counts_and_magnitudes_give_the_reference_values_at_rank_10(
    shared_data: Path, magnitudes: Magnitudes, word_list: str
) -> None:
    folder = shared_data / "msmarco_dl19"
    difference = {
        measure: magnitudes.magnitude(name, "m") - magnitudes.magnitude(name, "f")
        for measure, name in {"RaB_tc": "tc", "RaB_tf": "logtc", "RaB_bool": "bool"}.items()
    }
    top: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted((folder / "runs").iterdir()):
        for line in path.read_text().splitlines():
            qid, _, docno, rank, *_ = line.split()
            if int(rank) <= 10:
                top[f"dl19.{path.stem}", qid].append(docno)

    compared = 0
    with (folder / "reference_per_query.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            docnos = top.get((row["run"], row["qid"]))
            if (row["tokenizer"], row["wordlist"]) != ("split_space", word_list) or not docnos:
                continue
            rows = magnitudes.find(docnos)
            assert (rows >= 0).all()
            for measure, values in difference.items():
                assert values[rows].mean() == pytest.approx(float(row[measure]), abs=1e-6)
                compared += 1
    assert compared >= 4 * 43 * 3


@pytest.mark.long
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_the_command_and_the_definition_agree_to_the_last_bit(
    shared_data: Path, tmp_path: Path, tokenizer: Tokenizer
) -> None:
    path = shared_data / "msmarco_dl19" / "collection.tsv"
    score_collection(path, tmp_path / "m.parquet", lexicon=read_lexicon(), tokenizer=tokenizer)
    scored = open_magnitudes(tmp_path / "m.parquet")

    passages = dict(read_collection(path))
    expected = score_texts(passages.values(), read_lexicon(), tokenizer)

    assert scored.docnos == list(passages)
    assert np.array_equal(scored.n_tokens, expected.n_tokens)
    for group in scored.groups:
        assert np.array_equal(scored.tc[group], expected.tc[group])
        assert scored.tf[group].tobytes() == expected.tf[group].tobytes()
