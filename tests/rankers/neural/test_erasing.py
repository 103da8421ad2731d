"""The eraser on runs: what it takes, what it leaves, and its place in the table of all ways."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from metrics.runs import read_run
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from metrics.vocabulary import BALANCE_METHODS
from rankers.neural.erasing import fit_gender
from tests.program import failure, run, run_json
from tests.rankers.neural.material import (
    Material,
    make_material,
    save_sentence_encoder,
    tiny_bert,
)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module")
def encoder(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "encoder"
    lines = material.collection.read_text(encoding="utf-8").splitlines()
    model = tiny_bert([line.split("\t")[1] for line in lines])
    save_sentence_encoder(model, folder, {})
    return folder


def test_the_directions_are_those_in_which_swapped_wordings_differ() -> None:
    def embed(texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Number of words, and which group has more of them."""
        rows = [text.split() for text in texts]
        return np.array([[len(r), r.count("she") - r.count("he"), 7.0] for r in rows])

    texts = ["he is here", "rain", "she goes", "they say he came", "snow falls"]
    eraser = fit_gender(embed, texts, 1)  # type: ignore[arg-type]

    np.testing.assert_allclose(eraser(embed(texts))[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(eraser(embed(texts))[:, [0, 2]], embed(texts)[:, [0, 2]])


def call(material: Material, encoder: Path, *more: object) -> list[object]:
    return [
        "erase", "--model", encoder, "--run", material.run, "--collection", material.collection,
        "--queries", material.queries, "--directions", 2, "--device", "cpu", *more,
    ]  # fmt: skip


def test_strength_zero_is_the_model_as_it_is(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    run(*call(material, encoder, "--strength", 0, "--output", tmp_path / "zero.run"))
    run(*call(material, encoder, "--output", tmp_path / "erased.run"))
    run(
        "rerank", "--model", encoder, "--run", material.run, "--collection", material.collection,
        "--queries", material.queries, "--output", tmp_path / "plain.run", "--device", "cpu",
    )  # fmt: skip

    zero, plain, erased = (read_run(tmp_path / f"{n}.run") for n in ("zero", "plain", "erased"))
    for qid in plain.qids:
        assert sorted(erased.documents(qid)) == sorted(plain.documents(qid))
    np.testing.assert_allclose(zero.scores, plain.scores, atol=2e-6)
    assert abs(erased.scores - plain.scores).max() > 1e-3


def test_the_eraser_stands_beside_the_other_ways_in_one_table(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    more = ("--scores", material.magnitudes, "--qrels", material.qrels)
    made = run_json(*call(material, encoder, "--sweep", tmp_path / "front.csv", *more))

    with (tmp_path / "front.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows[::11]] == ["erase", *BALANCE_METHODS]
    assert len(rows) == len(made["rows"]) == 11 * (1 + len(BALANCE_METHODS))
    # All ways begin with the same run: the model's.
    assert len({(row["nDCG"], row["abs_ARaB"], row["permutation_p"]) for row in rows[::11]}) == 1
    assert (tmp_path / "front.svg").read_bytes().startswith(b"<?xml")


def test_judgments_and_scores_with_ids_as_a_program_writes_numbers_give_the_same_table(
    encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run says 7, the judgments and the scored collection 7.0; that is said."""
    whole = make_material(tmp_path)
    for path in (whole.collection, whole.run, whole.qrels):
        path.write_text(re.sub(r"\bd([0-9]+)\b", r"\1", path.read_text("utf-8")), "utf-8")
    floats = Material(tmp_path / "floats")
    floats.folder.mkdir()
    passages, judged = whole.collection.read_text("utf-8"), whole.qrels.read_text("utf-8")
    floats.collection.write_text(re.sub(r"(?m)^(\d+)", r"\1.0", passages), "utf-8")
    floats.qrels.write_text(re.sub(r"(?m)^(\d+) 0 (\d+)", r"\1.0 0 \2.0", judged), "utf-8")
    tables = []
    for given in (whole, floats):
        scores, front = given.folder / "scores.parquet", given.folder / "front.csv"
        score_collection(given.collection, scores, lexicon=read_lexicon())
        more = ("--scores", scores, "--qrels", given.qrels, "--method", "mmr")
        tables.append(run_json(*call(whole, encoder, "--sweep", front, *more))["rows"])

    said = capsys.readouterr().err
    assert tables[0] == tables[1]
    assert tables[0][0]["nDCG"] > 0
    assert "written otherwise" in said
    assert "the queries of the judgments" in said


@pytest.mark.parametrize(
    "more",
    [
        (),  # nothing to write
        ("--sweep", "front.csv"),  # without --scores
        ("--output", "y.run", "--directions", 5000),
    ],
)
def test_what_cannot_be_erased_is_refused(
    material: Material, encoder: Path, more: tuple[object, ...]
) -> None:
    said = failure(*call(material, encoder, *more))

    assert "fault of Fairpool" not in said
    assert not Path("y.run").exists()


def test_a_model_that_reads_both_texts_at_once_has_no_vectors_to_erase_from(
    material: Material, tmp_path: Path
) -> None:
    run(
        "train", "--model", "knrm", "--dimensions", 8, "--qrels", material.qrels, "--run",
        material.run, "--collection", material.collection, "--queries", material.queries,
        "--device", "cpu", "--output", tmp_path / "knrm",
    )  # fmt: skip

    said = failure(*call(material, tmp_path / "knrm", "--output", tmp_path / "y.run"))
    assert "not a bi-encoder" in said
