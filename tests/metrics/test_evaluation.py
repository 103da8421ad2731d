"""Requests, results and the tables made of them. Expected values were computed by hand."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.results.evaluation import depth_of, requests_of
from metrics.results.scored_runs import COLUMNS, score_runs
from metrics.results.stored import open_results, write_per_query
from metrics.runs.queries import read_queries
from metrics.texts.magnitude_store import Magnitudes

ONE = "1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n2 Q0 c 1 1 t\n3 Q0 x 1 1 t\n"
TWO = "1 Q0 d 1 9 t\n"


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "one.run").write_text(ONE, encoding="utf-8")
    (tmp_path / "two.run").write_text(TWO, encoding="utf-8")
    return {"one": tmp_path / "one.run", "two": tmp_path / "two.run"}


def test_requests_are_measures_then_magnitudes_then_cutoffs() -> None:
    requests = requests_of(["ARaB", "RaB(magnitude=tc)@3"], ["tf", "bool"], [10, 5, 10])
    assert [(r.label, r.magnitude, r.cutoffs) for r in requests] == [
        ("ARaB", "tf", (10, 5)),
        ("ARaB", "bool", (10, 5)),
        ("RaB", "tc", (3,)),
    ]
    assert depth_of(requests) == 10


def test_a_request_that_comes_twice_counts_once() -> None:
    assert len(requests_of(["RaB", "RaB(magnitude=tf)"], ["tf", "tf"])) == 1


@pytest.mark.parametrize(
    ("measure", "magnitude", "cutoff", "said"),
    [
        ("RaB", "tf", 0, "0"),
        ("RaB", "idf", 10, "'idf'"),
        ("Bias", "tf", 10, "'Bias'"),
    ],
)
def test_what_cannot_be_measured_is_an_error(
    measure: str, magnitude: str, cutoff: int, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        requests_of([measure], [magnitude], [cutoff])


def test_rows_average_over_the_queries_that_have_documents(
    paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    scored = score_runs(paths, magnitudes, requests_of(["RaB"], ["tc"], [1, 2]), missing="skip")
    rows = [tuple(row.values()) for row in scored.rows()]
    assert tuple(scored.rows()[0]) == COLUMNS
    assert rows == [
        # Query 1: -1, then (-1 + 3) / 2; query 2: 0; query 3 has only a missing document.
        ("one", "RaB", "tc", 1, -0.5, 2, 1, 1, "run", "male"),
        ("one", "RaB", "tc", 2, 0.5, 2, 1, 1, "run", "male"),
        # The other run has query 1 only: 2 male words, 1 female.
        ("two", "RaB", "tc", 1, 1.0, 1, 0, 0, "run", "male"),
        ("two", "RaB", "tc", 2, 1.0, 1, 0, 0, "run", "male"),
    ]


def test_the_queries_of_a_file_decide(
    tmp_path: Path, paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    (tmp_path / "queries").write_text("1\n4\n", encoding="utf-8")
    queries = read_queries(tmp_path / "queries")
    scored = score_runs(paths, magnitudes, requests_of(["RaB"], ["tc"], [2]), queries=queries)
    assert [(r.value, r.n_queries, r.n_queries_missing) for r in scored.results] == [
        (1.0, 1, 1),
        (1.0, 1, 1),
    ]


def test_nothing_to_average_is_undefined(
    tmp_path: Path, paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    (tmp_path / "queries").write_text("3\n", encoding="utf-8")
    queries = read_queries(tmp_path / "queries")
    (result,) = score_runs(
        {"one": paths["one"]},
        magnitudes,
        requests_of(["RaB"], ["tf"], [1]),
        queries=queries,
        missing="skip",
    ).results
    assert result.value is None
    assert (result.n_queries, result.n_queries_missing) == (0, 1)


def test_the_file_of_queries_has_their_values_and_sides(
    tmp_path: Path, paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    scored = score_runs(paths, magnitudes, requests_of(["RaB"], ["tc"], [2]), missing="skip")
    write_per_query(scored, tmp_path / "q.parquet")
    table = pq.read_table(tmp_path / "q.parquet")
    assert table.column_names == (
        ["run", "qid", "measure", "magnitude", "cutoff", "value", "female", "male", "positive"]
    )
    rows = [tuple(row.values()) for row in table.to_pylist()]
    assert rows[0] == ("one", "1", "RaB", "tc", 2, 1.0, 0.5, 1.5, "male")
    assert rows[2] == ("one", "3", "RaB", "tc", 2, None, None, None, "male")
    assert len(rows) == 6
    assert json.loads(table.schema.metadata[b"fairpool.provenance"]) == scored.provenance


def test_the_provenance_names_files_rules_and_word_list(
    paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    scored = score_runs(paths, magnitudes, requests_of(["RaB"], ["tc"], [2]), missing="zero")
    said = scored.provenance
    assert said["runs"]["two"]["file"] == "two.run"
    assert said["runs"]["two"]["digest"] == digest_of(paths["two"])
    assert (said["order"], said["missing"]) == ("default", "zero")
    assert said["magnitudes"]["tokenizer"] == "word"
    assert said["magnitudes"]["lexicon_sha256"] == magnitudes.metadata.lexicon_sha256
    json.dumps(said)


def test_a_background_that_is_no_run_is_an_error(
    paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    requests = requests_of(["NFaiRR"], cutoffs=[2], background="three")
    with pytest.raises(InputError, match="'three'"):
        score_runs(paths, magnitudes, requests, missing="skip")


def test_one_run_can_be_the_background_of_another(
    paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    requests = requests_of(["NFaiRR"], cutoffs=[1], background="one")
    scored = score_runs({"one": paths["one"]}, magnitudes, requests, missing="skip")
    values = scored.results[0].per_query.value
    # Query 1: a is neutral with one gendered word, and so nothing better is to be had.
    np.testing.assert_allclose(values[:2], [1, 1])


def test_stored_results_are_read_back_one_by_one(
    tmp_path: Path, paths: dict[str, Path], magnitudes: Magnitudes
) -> None:
    requests = requests_of(["RaB", "ARaB"], ["tc", "bool"], [1, 2])
    scored = score_runs(paths, magnitudes, requests, missing="skip")
    write_per_query(scored, tmp_path / "q.parquet")
    stored = open_results(tmp_path / "q.parquet")
    assert stored.provenance == scored.provenance
    assert stored.read().rows() == scored.rows()
    some = stored.read(lambda key: key.run == "two" and key.cutoff == 2).results
    whole = [one for one in scored.results if one.run == "two" and one.cutoff == 2]
    assert [one.row() for one in some] == [one.row() for one in whole]
    for one, other in zip(some, whole, strict=True):
        np.testing.assert_array_equal(one.per_query.value, other.per_query.value)
        assert one.qids == other.qids


def test_another_parquet_file_holds_no_stored_results(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("not a Parquet")
    for name, said in (("other", "a file of results"), ("text", "damaged"), ("none", "no such")):
        with pytest.raises(InputError, match=said):
            open_results(tmp_path / f"{name}.parquet")
