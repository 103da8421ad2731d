"""What is given is read, or somebody is told: by the library as by the command."""

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metrics as fairpool
from metrics.errors import InputError
from metrics.io.run_files import run_files
from metrics.texts.counterfactual.pairs import read_pairs
from metrics.texts.counterfactual.rewriting import rewrite_collection
from metrics.texts.magnitude_store import current_magnitudes

_TEXTS = {"d1": "He left.", "d2": "She left."}
_RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("other_name", [False, True])
def test_no_input_is_replaced_by_what_is_made_of_it(tmp_path: Path, other_name: bool) -> None:
    path = written(tmp_path / "c.tsv", "d1\tHe left.\n")
    output = path
    if other_name:
        output = tmp_path / "link.tsv"
        output.symlink_to(path)

    with pytest.raises(InputError, match="overwritten"):
        fairpool.score_collection(path, output)
    with pytest.raises(InputError, match="overwritten"):
        rewrite_collection(path, output, pairs=read_pairs())

    assert path.read_text() == "d1\tHe left.\n"


def test_a_file_that_was_scored_anew_is_read_anew(tmp_path: Path) -> None:
    scores = tmp_path / "m.parquet"
    values = []
    for text in ("He left.", "She left."):
        fairpool.score_collection(written(tmp_path / "c.tsv", f"d1\t{text}\n"), scores)
        table = fairpool.evaluate(_RUN, "RaB@1", current_magnitudes(scores), missing="zero")
        values += table["value"].tolist()

    assert values == pytest.approx([np.log(2), -np.log(2)])  # one male word, one female
    assert current_magnitudes(scores) is current_magnitudes(scores)


def test_two_runs_of_one_name_are_never_averaged(tmp_path: Path) -> None:
    part = fairpool.evaluate(_RUN, "RaB@1", _TEXTS, per_query=True)
    with pytest.raises(InputError, match="one name"):
        fairpool.compare(pd.concat([part, part]))

    paths = [written(tmp_path / name / "bm25.run", "q1 Q0 d1 1 2 x\n") for name in ("a", "b")]
    with pytest.raises(InputError, match="named 'bm25'"):
        fairpool.evaluate(paths, "RaB@1", _TEXTS)


def test_runs_of_one_name_are_told_apart_by_their_tags(tmp_path: Path) -> None:
    paths = [written(tmp_path / tag / "bm25.run", f"q1 Q0 d1 1 2 {tag}\n") for tag in ("a", "b")]

    assert fairpool.evaluate(paths, "RaB@1", _TEXTS)["run"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 Q0 d1 1 1 x\nq1 Q0 d2 2 2 x\n", "contradict"),
        ("q1 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n", "repeat"),
        ("q1 Q0 d1 1 2 x\nq1 Q0 d2 4 1 x\n", "gaps"),
    ],
)
def test_what_is_odd_in_a_run_is_a_warning(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "odd.run", text)

    with pytest.warns(UserWarning, match=message) as warned:
        fairpool.evaluate(path, "RaB@1", _TEXTS)

    assert warned[0].filename == __file__
    assert "--" not in str(warned[0].message)


@pytest.mark.parametrize(
    "given",
    [{"qrels": {"q1": {"d1": 1}}}, {"labels": {"d1": "a", "d2": "b"}}],
)
def test_what_no_measure_looks_at_is_a_warning(given: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="no measure here uses"):
        fairpool.evaluate(_RUN, "RaB@1", _TEXTS, **given)


def test_nothing_is_warned_of_where_all_is_read() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fairpool.evaluate(_RUN, ["RaB@1", "nDCG@2"], _TEXTS, qrels={"q1": {"d1": 1}})


def test_texts_by_docno_are_scored_and_not_their_docnos() -> None:
    assert fairpool.score_texts(_TEXTS).tc["m"].tolist() == [1, 0]


@pytest.mark.parametrize(
    "texts", [["He left.", np.nan], [("d1", "He left.")], pd.DataFrame({"text": ["He left."]})]
)
def test_what_is_no_text_is_not_scored(texts: Any) -> None:
    with pytest.raises(InputError):
        fairpool.score_texts(texts)


def test_a_measure_that_needs_a_background_says_how_to_give_one() -> None:
    with pytest.raises(InputError, match='background="collection"'):
        fairpool.evaluate(_RUN, "NFaiRR@1", _TEXTS)


def test_numbers_that_pandas_made_floats_are_the_ids_and_grades_that_they_were() -> None:
    run = pd.DataFrame({"qid": [261.0, 261.0], "docno": [7.0, 9.0], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"qid": [261.0, 261.0], "docno": [7.0, 9.0], "label": [1.0, 0.0]})
    texts = pd.DataFrame({"docno": [7.0, 9.0], "text": list(_TEXTS.values())})
    queries = pd.DataFrame({"qid": [261.0]})

    table = fairpool.evaluate(run, ["nDCG@2", "RaB@1"], texts, qrels=qrels, queries=queries)

    # One relevant document at rank 1; one male word at rank 1 and none female: log 2.
    assert table["value"].tolist() == pytest.approx([1.0, np.log(2)])


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("label", np.nan, "the grade of d2 is nan"),
        ("docno", np.nan, "nan is not an id of a document"),
        ("qid", np.nan, "nan is not an id of a query"),
        ("label", 0.5, "the grade of d2 is 0.5"),
        ("docno", "d1", "judged twice"),
    ],
)
def test_what_is_missing_in_a_frame_is_named(column: str, value: object, named: str) -> None:
    qrels: dict[str, list[Any]] = {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "label": [1.0, 0.0]}
    qrels[column] = [qrels[column][0], value]

    with pytest.raises(InputError, match=named):
        fairpool.evaluate(_RUN, "nDCG@2", qrels=pd.DataFrame(qrels))


@pytest.mark.parametrize(
    "name", ["run.bm25(k1=0.9,b=0.4).txt", "a=b.run", "dl19*.run", "[bm25].run", "x?y,z.run"]
)
def test_a_path_that_exists_is_that_path(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, "q1 Q0 d1 1 2 x\n")
    written(tmp_path / "dl19-other.run", "q9 Q0 d1 1 2 x\n")

    [(run, file)] = run_files(str(path))

    assert file == path
    assert "=" not in run
    assert fairpool.evaluate(str(path), "RaB@1", _TEXTS)["n_queries"].tolist() == [1]


def test_a_zip_of_runs_is_its_runs(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("runs/bm25.run", "q1 Q0 d1 1 2 x\n")
        archive.writestr("runs/colbert.tsv", "q1\td2\t1\t22.5\n")
        archive.writestr("runs/bm25.run.meta.json", "{}")
    path = tmp_path / "runs.zip"
    path.write_bytes(packed.getvalue())

    table = fairpool.evaluate(path, "RaB@1", _TEXTS)

    # log 2 for one male word, - log 2 for one female.
    assert table[["run", "value"]].to_numpy().tolist() == [
        ["bm25", pytest.approx(np.log(2))],
        ["colbert", pytest.approx(-np.log(2))],
    ]
