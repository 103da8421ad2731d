"""Bi-encoders: exact ranking of a collection that is encoded once, and re-ranking."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from metrics.errors import InputError
from metrics.runs import read_run
from rankers.neural import dense_index
from rankers.neural.model_folder import load_model
from rankers.neural.transformer_models import BiEncoder
from tests.program import failure, run, run_json
from tests.rankers.neural.material import Material, make_material, save_sentence_encoder, tiny_bert


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module")
def encoder(material: Material) -> Path:
    """A folder of a random bi-encoder."""
    model = tiny_bert(material.collection.read_text().splitlines())
    save_sentence_encoder(model, material.folder / "encoder", {"query": "work: "})
    return material.folder / "encoder"


def test_a_bi_encoder_pools_and_prompts_as_its_own_files_say(
    material: Material, encoder: Path
) -> None:
    tiny = tiny_bert(material.collection.read_text().splitlines()).eval()
    loaded = load_model(str(encoder), torch.device("cpu"))
    assert isinstance(loaded, BiEncoder)

    def first_token(text: str) -> torch.Tensor:
        tokens = tiny.tokenizer([text], return_tensors="pt")
        return tiny.model.bert(**tokens).last_hidden_state[:, 0].detach()

    for embed, text in ((loaded.embed_queries, "work: river"), (loaded.embed_passages, "river")):
        expected = torch.nn.functional.normalize(first_token(text), dim=1)
        torch.testing.assert_close(embed(["river"]), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", ["BertModel", "BertLMHeadModel", "GPT2LMHeadModel"])
def test_a_model_whose_files_do_not_say_how_it_scores_is_refused(kind: str, tmp_path: Path) -> None:
    config = {"architectures": [kind], "model_type": "gpt2" if "GPT" in kind else "bert"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")

    with pytest.raises(InputError, match=kind):
        load_model(str(tmp_path), torch.device("cpu"))


def test_weights_in_pickle_files_are_refused(encoder: Path, tmp_path: Path) -> None:
    shutil.copytree(encoder, tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").rename(tmp_path / "m" / "pytorch_model.bin")

    with pytest.raises(InputError, match="pickle"):
        load_model(str(tmp_path / "m"), torch.device("cpu"))


def test_truncated_weights_are_refused(encoder: Path, tmp_path: Path) -> None:
    shutil.copytree(encoder, tmp_path / "m")
    weights = tmp_path / "m" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])

    with pytest.raises(InputError, match=str(tmp_path)):
        load_model(str(tmp_path / "m"), torch.device("cpu"))


def test_the_tokenizer_of_another_model_is_refused(encoder: Path, tmp_path: Path) -> None:
    other = tiny_bert([f"word{n} alone" for n in range(300)])
    shutil.copytree(encoder, tmp_path / "m")
    other.tokenizer.save_pretrained(tmp_path / "m")

    with pytest.raises(InputError, match="the tokenizer of another model"):
        load_model(str(tmp_path / "m"), torch.device("cpu"))


def ranking(material: Material, encoder: Path, index: Path, output: Path) -> list[object]:
    return [
        "rank", "--dense", "--model", encoder, "--collection", material.collection, "--queries",
        material.queries, "--index", index, "--depth", 60, "--output", output, "--device", "cpu",
    ]  # fmt: skip


def test_the_ranking_is_that_of_all_dot_products_and_the_vectors_are_made_once(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    run(*ranking(material, encoder, tmp_path / "v", tmp_path / "a.run"))
    (path,) = (tmp_path / "v").glob("*.npy")
    made = path.stat().st_mtime_ns
    run(*ranking(material, encoder, tmp_path / "v", tmp_path / "b.run"))

    lines = (tmp_path / "a.run").read_text().replace(" a\n", " b\n")
    assert lines == (tmp_path / "b.run").read_text()
    assert path.stat().st_mtime_ns == made
    vectors = np.load(path)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    found = read_run(tmp_path / "a.run")
    assert len(found.documents("0")) == 60
    assert not found.notices


def test_reranking_by_a_bi_encoder_gives_the_scores_of_the_dense_ranking(
    material: Material, encoder: Path, tmp_path: Path
) -> None:
    run(*ranking(material, encoder, tmp_path / "v", tmp_path / "a.run"))
    run_json(
        "rerank", "--model", encoder, "--run", tmp_path / "a.run", "--collection",
        material.collection, "--queries", material.queries, "--output", tmp_path / "b.run",
        "--device", "cpu",
    )  # fmt: skip

    dense, again = read_run(tmp_path / "a.run"), read_run(tmp_path / "b.run")
    scores = [
        dict(zip(one.documents("3"), one.scores[one.offsets[3] : one.offsets[4]], strict=True))
        for one in (dense, again)
    ]
    assert scores[0].keys() == scores[1].keys()
    for docno, score in scores[0].items():
        assert score == pytest.approx(scores[1][docno], abs=2e-6)


def test_equal_scores_stand_by_docno_descending() -> None:
    vectors = np.array([[1.0], [1.0], [0.5]], dtype=np.float32)
    query = np.ones((1, 1), dtype=np.float32)

    ((_, found),) = dense_index.rank({"q": "x"}, query, ["a", "b", "c"], vectors, 3)

    assert found == [("b", 1.0), ("a", 1.0), ("c", 0.5)]


def test_a_folder_that_holds_no_model_is_named(material: Material, tmp_path: Path) -> None:
    said = failure(*ranking(material, tmp_path, tmp_path / "v", tmp_path / "a.run"))

    assert str(tmp_path) in said
    assert not (tmp_path / "a.run").exists()
